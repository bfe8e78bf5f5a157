import { formatCount, formatPlain, plural } from "../../core/text/index.ts";
import type { CaseStudy } from "../results/texts.ts";

type CaseText = Pick<
  CaseStudy,
  "problem" | "text" | "source" | "correct" | "subject" | "level" | "tokens" | "mask" | "error_token"
> & { readonly spikes: readonly unknown[] };

/**
 * Facts about a case's text: `problem test/algebra/661.json`, `written by dpo`, `wrong`, …; unknown ones are left out.
 */
export function caseFacts(study: CaseText): string[] {
  const { problem, text, source, correct, subject, level, tokens, mask, spikes, error_token } = study;
  const tool = mask.filter((own) => own === 0).length;
  return [
    `problem ${problem}`,
    ...(text === problem ? [] : [`text ${text}`]),
    ...(source === null ? [] : [`written by ${source}`]),
    ...(correct === null ? [] : [correct ? "right" : "wrong"]),
    ...(subject === null ? [] : [subject]),
    ...(level === null ? [] : [`level ${formatPlain(level)}`]),
    `${plural(tokens.length, "token")}${tool > 0 ? `, ${formatCount(tool)} of them tool output` : ""}`,
    plural(spikes.length, "spike"),
    ...(error_token === null ? [] : [`first error at token ${error_token}`]),
  ];
}
