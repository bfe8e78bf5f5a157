import { TextRefusedError } from "../../../core/base/index.ts";
import type { ForcedText } from "../policy.ts";
import { endsInPadding, type SavedText } from "./saved-text.ts";

/**
 * Finds the saved text with the same token ids, whatever its name and place. Where a file does not mark its padding, a
 * text may be followed by repetitions of one token.
 *
 * @throws TextRefusedError ("no-logits") when there is none
 */
export type Matcher = (text: ForcedText) => SavedText;

export function makeMatcher(file: string, texts: readonly SavedText[]): Matcher {
  const byIds = new Map<string, SavedText>();
  // Of several equal texts, the first is used.
  for (const text of [...texts].reverse()) byIds.set(text.ids.join(), text);
  const unmarked = texts.filter(({ positions, row }) => positions === undefined && row !== undefined);
  return ({ id, ids, promptLength }) => {
    const found =
      byIds.get(ids.join()) ??
      unmarked.find(
        (text) => commonLength(text.ids, ids) === ids.length && endsInPadding(text.ids, ids.length),
      );
    if (found !== undefined) return found;
    let [nearest, most] = ["", -1];
    let length = 0;
    for (const text of texts) {
      const common = commonLength(text.ids, ids);
      if (common > most) [nearest, most, length] = [text.key, common, text.ids.length];
    }
    throw new TextRefusedError(
      `no saved logits for this text: none of the ${texts.length} texts in the file has its ${ids.length} token ids; the closest is ${nearest}, whose first ${most} of ${length} are the same`,
      {
        at: { file, entry: id },
        reason: "no-logits",
        likely:
          most < promptLength
            ? "the file covers other problems, or its prompts were built with another template or tokenizer"
            : "the file has another response to this problem, or one that ends differently (with or without its last token)",
        hint: "texts are matched by token ids: save the logits of exactly the ids to be scored",
      },
    );
  };
}

function commonLength(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i;
  return most;
}
