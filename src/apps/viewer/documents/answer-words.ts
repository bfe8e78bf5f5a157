/**
 * Words of the answer: its sentence in two, and the parts of a run with what they lead to.
 *
 * @module
 */
import type { Assessment, PageMove, StandingPart } from "../../../results/index.ts";
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
  const text = capitalized(sentence);
  if (words !== null && sentence.startsWith(words))
    return [text.slice(0, words.length), sentence.slice(words.length).replace(/^[:;,.]?\s*/, "")];
  const end = /\. /.exec(text) ?? /: /.exec(text);
  return end === null ? [text, ""] : [text.slice(0, end.index), text.slice(end.index + 2)];
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Greek letters with their names where they first appear. */
export function nameGreek(text: string): string {
  return text.replace("|Δp|", "probability difference |Δp|").replace(/\|Δ\|/, "log-prob difference |Δ|");
}

/** `wrong answers`, `turn 1`. */
export function partLabel({ kind, name }: StandingPart): string {
  switch (kind) {
    case "correctness":
      return name === "incorrect" ? "wrong answers" : "right answers";
    case "turn":
    case "rank":
      return `${kind} ${name}`;
    case "staleness":
      return `weights ${name} updates old`;
    case "position_decile":
      return `answer at ${10 * Number(name)}–${10 * Number(name) + 10} %`;
    case "environment":
    case "engine":
      return name;
  }
}

/** The sequences of a part, or the tokens where no filter picks them. */
export function partMove({ kind, name }: StandingPart): PageMove {
  if (kind === "turn") return { view: "tokens", params: { filter: `turn:${name}` } };
  if (kind === "position_decile") return { view: "tokens", params: { by: "position" } };
  return sequencesOf(kind, name) ?? { view: "tokens" };
}
