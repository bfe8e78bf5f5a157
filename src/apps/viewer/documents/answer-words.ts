/**
 * Words of the answer: its sentence in two parts, and where the parts of a run lead.
 *
 * @module
 */
import { capitalize } from "../../../render/text/index.ts";
import type { Assessment, StandingPart } from "../../../results/assessment.ts";
import type { PageMove } from "../../../results/page.ts";
import { sequencesOf } from "./moves.ts";

/** What stands out, and the rest: after the steps, or after the first sentence. */
export function splitSentence({
  sentence,
  when,
}: Pick<Assessment, "sentence"> & { readonly when: Pick<Assessment["when"], "words"> }): readonly [
  headline: string,
  detail: string,
] {
  const { words } = when;
  const text = capitalize(sentence);
  if (words !== null && sentence.startsWith(words))
    return [text.slice(0, words.length), sentence.slice(words.length).replace(/^[:;,.]?\s*/, "")];
  const end = /\. /.exec(text) ?? /: /.exec(text);
  return end === null ? [text, ""] : [text.slice(0, end.index), text.slice(end.index + 2)];
}

/** Adds names to Greek letters on first occurrence. */
export function nameGreek(text: string): string {
  return text.replace("|Δp|", "probability difference |Δp|").replace(/\|Δ\|/, "log-prob difference |Δ|");
}

/** The sequences of a part, or its tokens if no filter selects the part. */
export function partMove({ kind, name }: StandingPart): PageMove {
  if (kind === "turn") return { view: "tokens", params: { filter: `turn:${name}` } };
  if (kind === "position_decile") return { view: "tokens", params: { by: "position" } };
  return sequencesOf(kind, name) ?? { view: "tokens" };
}
