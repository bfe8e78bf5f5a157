import { formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { measureMatches } from "../features/matches.ts";
import type { View } from "../sample/view.ts";
import { listRows } from "./handles.ts";

/** Rows whose rollout log-probs belong to another row; their tokens are claimed. */
export function examineRows(view: View): Clue[] {
  const found = measureMatches(view);
  const { unfit, rows, matched, sameGroup, examples, unfitRows } = found;
  // Short answers of sure policies occasionally fit each other by chance.
  if (matched < 3 || matched < 0.5 * unfit) return [];
  for (const r of unfitRows) {
    const [from, to] = view.span(r);
    for (let i = from; i < to; i++) view.claim(i);
  }
  const inGroup = sameGroup / matched;
  const isGroup = inGroup > 0.9;
  const sentence = `${plural(matched, "sequence")} of ${rows} (${formatShare(matched / rows)}) have rollout log-probs that match the trainer log-probs of another sequence, not their own. ${formatShare(inGroup)} of these pairs share a prompt.`;
  const figures = { matched, unfit, sequences: rows, same_prompt_share: inGroup };
  const handles = listRows(view, examples.flat());
  const weight = 5 + 1.5 * Math.log(matched);
  return [
    { cause: "rows_shuffled_group", weight: hold(weight - (isGroup ? 0 : 4)), sentence, figures, handles },
    { cause: "rows_shuffled_batch", weight: hold(weight - (isGroup ? 4 : 0)), sentence, figures, handles },
  ];
}
