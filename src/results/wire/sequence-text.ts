/**
 * Texts of tokens, whose bytes may be parts of characters.
 *
 * @module
 */
import { TOKEN_FLAGS } from "../../core/base/index.ts";
import type { WireSequence } from "./sequence.ts";

type Spelled = Pick<WireSequence, "textOffsets" | "texts" | "flags">;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The characters that begin in the tokens `[from, to)`, counted from the first of the prompt. */
export function textBetween(sequence: Spelled, from: number, to: number): string {
  return utf8.decode(
    sequence.texts.subarray(firstCharacter(sequence, from), firstCharacter(sequence, Math.max(from, to))),
  );
}

/** Where in `texts` the first character begins that no earlier token has begun. */
function firstCharacter({ textOffsets, texts, flags }: Spelled, token: number): number {
  let at = textOffsets[token]!;
  for (let part = token; ((flags[part] ?? 0) & TOKEN_FLAGS.continuation) !== 0; part++) {
    const end = textOffsets[part + 1]!;
    while (at < end && (texts[at]! & 0xc0) === 0x80) at++;
    if (at < end) break;
  }
  return at;
}
