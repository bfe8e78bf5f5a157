/**
 * The names of a cache's files. Those that grow with a run that is followed are `PASS_FILES` (`pass/run-pass.ts`).
 *
 * @module
 */

/** Answers that are sent as they are written, by their path below `api/`. */
export const ANSWER_FILES = {
  run: "run.json",
  report: "report.json",
  steps: "steps.json",
  tokens: "tokens.json",
  "correct-bins": "correct-bins.json",
  doctor: "doctor.json",
  sequences: "table.bin",
} as const;
export type AnswerName = keyof typeof ANSWER_FILES;
/** Only where `RunInfo.has.digits`. */
export const DIGITS_FILE = "digits.json";
export const OFFSETS_FILE = "offsets.bin";
export const VOCABULARY_FILE = "vocabulary.json";

export const CACHE_FACTS = "cache.json";

/** Facts needed to open a cache that no answer has: the content of {@link CACHE_FACTS}. */
export interface CacheFacts {
  readonly sequences: number;
  /** Policies with alternatives, as `topk.bin` counts them. */
  readonly topK: readonly string[];
}
