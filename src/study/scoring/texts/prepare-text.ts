import type { Place } from "../../../core/base/index.ts";
import type { FindingCode, FindingLog, Severity } from "../../../core/schema/index.ts";
import type { TokenDecoder } from "../../../input/tokens/index.ts";
import type { StudyText } from "../../analysis/study.ts";
import type { NamedResponse } from "./names.ts";
import type { Preparation } from "./preparation.ts";
import type { Problem } from "./read-problems.ts";
import { fillTemplate } from "./template.ts";
import { type Tokenised, tokenise } from "./tokenise.ts";

/** A text of a study with everything that a policy needs to score it. */
export interface PreparedText extends StudyText {
  /** `[promptLength]`; the response's ids follow. */
  readonly promptIds: Int32Array;
  readonly responseText: string;
  /** The origin of the response's ids. */
  readonly idsFrom: "file" | "tokenizer";
  /** Where it was read from. */
  readonly at: Place;
}

/** Undefined, with a finding, if the text cannot be forced. */
export function prepareText(
  { given, id, problem }: NamedResponse,
  listed: Problem | undefined,
  { tokenizer, template, eosId }: Preparation,
  findings: FindingLog,
): PreparedText | undefined {
  const report = reporter(findings, { ...given.at }, id);
  const plain = given.prompt ?? listed?.text;
  const promptText = plain === undefined ? undefined : fillTemplate(template, plain);
  const ids = tokenise(tokenizer, {
    prompt: promptText,
    promptIds: given.promptIds ?? listed?.promptIds,
    response: given.response,
    responseIds: given.responseIds,
    eosId,
  });
  const { promptIds, responseIds: tokenIds } = ids;
  if (refused(ids, given.mask, plain === undefined, tokenizer, report)) return undefined;
  notes(ids, tokenizer, report);
  const mask = new Uint8Array(tokenIds.length).fill(1);
  if (given.mask !== undefined) {
    if (given.mask.some((value) => value !== 0 && value !== 1))
      report("non-binary-mask", "warning", "masks hold values other than 0 and 1; all but 0 count as 1");
    given.mask.forEach((value, t) => {
      mask[t] = value === 0 ? 0 : 1;
    });
    if (!mask.includes(1))
      report("empty-mask", "warning", "masks have no 1: no token counts as the policy's own");
  }
  let { errorToken } = given;
  if (errorToken !== undefined && !(Number.isInteger(errorToken) && errorToken < tokenIds.length)) {
    report(
      "length-mismatch",
      "warning",
      `error tokens lie outside their responses, the first at ${errorToken} of ${tokenIds.length}`,
    );
    errorToken = undefined;
  }
  return {
    id,
    problem,
    source: given.source,
    promptText,
    promptLength: promptIds.length,
    promptIds,
    tokenIds,
    tokens: Array.from(tokenIds, tokenizer.textOf),
    mask,
    correct: given.correct,
    level: given.level ?? listed?.level,
    subject: given.subject ?? listed?.subject,
    answer: listed?.answer ?? given.answer,
    errorToken,
    responseText: given.response ?? tokenizer.decode([...tokenIds]),
    idsFrom: given.responseIds === undefined ? "tokenizer" : "file",
    at: given.at,
  };
}

type Report = (
  code: FindingCode,
  severity: Severity,
  /** Words that follow the number of texts. */
  what: string,
  advice?: { readonly likely?: string; readonly hint?: string },
) => void;

/** Findings are summed by code and subject, with the first text as the example. */
function reporter(findings: FindingLog, at: Place, id: string): Report {
  return (code, severity, what, advice = {}) =>
    findings.add({
      code,
      severity,
      count: 1,
      // What follows the comma is about the first text only.
      subject: what.split(",", 1)[0]!,
      at,
      describe: (count) =>
        `${count} ${count === 1 ? "text" : "texts"} (${count === 1 ? "" : "first "}${id}): ${what}`,
      ...advice,
    });
}

function refused(
  { promptIds, responseIds }: Tokenised,
  mask: Int32Array | undefined,
  noPrompt: boolean,
  { name, vocabularySize }: TokenDecoder,
  report: Report,
): boolean {
  if (promptIds.length === 0) {
    report(
      "empty-text",
      "skipped",
      "the prompt has no tokens, so nothing predicts the first response token",
      {
        likely: noPrompt
          ? "the row has no prompt, and neither does any list of problems"
          : "the problem is empty and the tokenizer puts no <bos> before a text",
        hint: noPrompt
          ? "name the list of problems, or the column: prompt=NAME"
          : "give a prompt template with text of its own",
      },
    );
    return true;
  }
  if (responseIds.length === 0) {
    report("empty-text", "skipped", "the response is empty: there is no token to score");
    return true;
  }
  for (const [what, ids] of [
    ["prompt", promptIds],
    ["response", responseIds],
  ] as const) {
    const index = ids.findIndex((id) => id < 0 || id >= vocabularySize);
    if (index < 0) continue;
    report(
      "unknown-token",
      "skipped",
      `the ${what} has ids outside the tokenizer's ${vocabularySize}, the first ${ids[index]} at token ${index}`,
      {
        likely:
          ids[index]! < 0 ? "padding was saved with the ids" : "the ids come from another model's tokenizer",
        hint: `the tokenizer is ${name}`,
      },
    );
    return true;
  }
  if (mask !== undefined && mask.length !== responseIds.length) {
    report(
      "length-mismatch",
      "skipped",
      `response_mask and response have different lengths, the first ${mask.length} and ${responseIds.length} tokens`,
      { hint: "give response_ids with the mask, unpadded" },
    );
    return true;
  }
  return false;
}

function notes(
  { promptIds, responseIds, retokenised, otherPrompt, otherResponse }: Tokenised,
  tokenizer: TokenDecoder,
  report: Report,
): void {
  if (retokenised !== undefined) {
    const { index, alone, joined } = retokenised;
    const spelt = (id: number): string => `${id} ${JSON.stringify(tokenizer.textOf(id))}`;
    report(
      "retokenised",
      "warning",
      `the prompt's tokens change when the response follows, the first at token ${index} of ${promptIds.length}: ${spelt(alone)} becomes ${joined < 0 ? "nothing" : spelt(joined)}; prompt and response were encoded separately`,
      {
        likely: "the prompt ends in a space or in the middle of a word",
        hint: "end the prompt template where the model's responses begin, or give token ids",
      },
    );
  }
  const advice = {
    likely: "the ids are of another tokenizer, or the text was cleaned after it was decoded",
    hint: "the ids were used as they are",
  };
  if (otherResponse)
    report(
      "text-differs",
      "warning",
      `the ids of the response decode to a different text from the one given, the first ${responseIds.length} ids`,
      advice,
    );
  if (otherPrompt)
    report(
      "text-differs",
      "warning",
      `the ids of the prompt decode to a different text from the one given, the first ${promptIds.length} ids`,
      advice,
    );
}
