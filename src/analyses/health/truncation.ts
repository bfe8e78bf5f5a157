import { orNull } from "../../core/base/index.ts";
import type { TruncationCheck } from "../../results/health.ts";
import type { AnswerTable } from "./answers.ts";
import { StepCounts } from "./steps.ts";

/**
 * Chosen: beyond a tenth, the reward partly measures the length limit. DAPO (arXiv 2503.14476, 3.4) masks such
 * responses.
 */
const LIMIT = 0.1;
const LEAST_SEQUENCES = 30;
/** This many responses of exactly the largest length are not chance. */
const LEAST_LONGEST = 3;
/** The spellings of OpenAI, vLLM and SGLang, TGI, Gemini, SkyRL and rLLM. */
const REASONS = new Set(["length", "max_tokens", "max_length", "truncated", "max_model_len"]);

/** Uses finish reasons if at least half of the sequences have one, else lengths. */
export function checkTruncation(table: AnswerTable): TruncationCheck {
  const { length, columns, texts } = table;
  const { step, reward, response_tokens: tokens } = columns;
  const { values, codes } = texts.finish_reason;
  const longest = tokens.reduce((a, b) => Math.max(a, b), 0);
  const isLongest = (row: number): boolean => tokens[row] === longest;
  const withReason = codes.filter((code) => code >= 0).length;
  const isStated = length > 0 && 2 * withReason >= length;
  const isGuessed = !isStated && tokens.filter((count) => count === longest).length >= LEAST_LONGEST;
  const basis = isStated ? "finish_reason" : isGuessed ? "longest" : null;
  const means = values.map((value) => REASONS.has(value.toLowerCase()));
  const isTruncated = isStated ? (row: number) => means[codes[row]!] === true : isLongest;
  const isCounted = isStated ? (row: number) => codes[row]! >= 0 : () => basis !== null;
  const steps = new StepCounts();
  const [cut, rest] = [new Mean(), new Mean()];
  let sequences = 0;
  let truncated = 0;
  for (let row = 0; row < length; row++) {
    if (!isCounted(row)) continue;
    sequences++;
    const own = isTruncated(row);
    if (own) truncated++;
    steps.add(step[row]!, own);
    (own ? cut : rest).add(reward[row]!);
  }
  const value = sequences === 0 ? null : truncated / sequences;
  return {
    id: "truncation",
    outcome:
      value === null
        ? "unknown"
        : sequences < LEAST_SEQUENCES
          ? "too_few"
          : value > LIMIT
            ? "beyond"
            : "within",
    value,
    limit: LIMIT,
    basis,
    sequences,
    truncated,
    longest,
    reward_truncated: cut.finish(),
    reward_rest: rest.finish(),
    reasons: values.filter((_, code) => means[code]),
    per_step: steps.finish(),
  };
}

/** Mean of the known values. */
class Mean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    if (!Number.isFinite(value)) return;
    this.#sum += value;
    this.#count++;
  }

  finish(): number | null {
    return orNull(this.#sum / this.#count);
  }
}
