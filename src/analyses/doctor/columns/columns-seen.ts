/**
 * Which columns that help identify causes a run has, and what cannot be tested without the others. Judges nothing.
 *
 * @module
 */
import type { Codec } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { contents, layoutOf, Sums } from "../../../core/summaries/index.ts";
import type { UntestedQuestion } from "../../../results/diagnosis.ts";

/** A column of the record, how to tell whether a batch has it, and what it is needed for. */
interface Wanted extends UntestedQuestion {
  readonly isIn: (batch: RecordBatch) => boolean;
}

const some = <T>(values: Iterable<T>, is: (value: T) => boolean): boolean => {
  for (const value of values) if (is(value)) return true;
  return false;
};

/** Most informative first. */
const WANTED: readonly Wanted[] = [
  {
    test: "whether decoding, the engine's prefill or the trainer is wrong",
    column: "policy_logprobs.rescore",
    how: "score the finished texts with the rollout engine at the same weights: docs/doctor.md#three-columns",
    isIn: ({ policyLogprobs }) => policyLogprobs.rescore !== undefined,
  },
  {
    test: "whether the rollout log-probs describe the distribution that was sampled from (mean surprisal against mean entropy)",
    column: "entropy.rollout",
    how: "record the rollout engine's entropy of each token, or its top-k log-probs",
    isIn: ({ entropies, topK }) => entropies.rollout !== undefined || topK.rollout !== undefined,
  },
  {
    test: "how both policies rank the alternatives, and how much mass top-k or top-p keeps",
    column: "topk_logprobs",
    how: "record the 5 most probable tokens of both sides",
    isIn: ({ topK }) => topK.rollout !== undefined && topK.trainer !== undefined,
  },
  {
    test: "which tokens differ, and whether later turns were tokenized again",
    column: "response_token_ids",
    how: "record the response's token ids",
    isIn: ({ responseTokenIds }) => responseTokenIds !== undefined,
  },
  {
    test: "whether both sides saw the same prompt",
    column: "prompt_token_ids",
    how: "record the prompt's token ids",
    isIn: ({ promptTokenIds }) => promptTokenIds !== undefined,
  },
  {
    test: "whether tokens from older weights differ more",
    column: "weight_versions",
    how: "record the weight version that sampled each token",
    isIn: ({ weightVersions }) => weightVersions !== undefined,
  },
  {
    test: "whether both sides had the same weights",
    column: "rollout_weights",
    how: "record a digest of each side's weights: docs/doctor.md#digests-of-weights",
    isIn: ({ sides }) => sides?.rollout?.weights !== undefined && sides.trainer?.weights !== undefined,
  },
  {
    test: "when the mismatch began and whether it grows",
    column: "step",
    how: "record the training step of each sequence, or pass a directory with several steps",
    isIn: ({ steps }) => some(steps, (step) => !Number.isNaN(step)),
  },
  {
    test: "whether one rank or engine differs from the others",
    column: "rank",
    how: "record the rank that computed each sequence",
    isIn: ({ ranks }) => some(ranks, (rank) => !Number.isNaN(rank)),
  },
  {
    test: "whether one environment or data source differs from the others",
    column: "environment",
    how: "record the data source of each sequence",
    isIn: ({ environments }) => some(environments, (name) => name !== undefined),
  },
];

/** A bit for each wanted column. */
const COLUMNS: Codec<Iterable<string>> = {
  text: `bits of ${WANTED.map(({ column }) => column)}`,
  write(columns, to) {
    const seen = new Set(columns);
    to.bits(Uint8Array.from(WANTED, ({ column }) => Number(seen.has(column))));
  },
  read(from) {
    const seen = from.bits(WANTED.length);
    return WANTED.flatMap(({ column }, at) => (seen[at] === 1 ? [column] : []));
  },
};

/** Takes batches in any order; a column counts as there when one batch has it. */
export class ColumnsSeen extends Sums {
  static readonly layout = layoutOf<ColumnsSeen>({
    seen: contents(
      COLUMNS,
      (columns) => columns.#seen,
      (columns, seen) => {
        for (const column of seen) columns.#seen.add(column);
      },
    ),
  });
  readonly #seen = new Set<string>();

  add(batch: RecordBatch): void {
    for (const { column, isIn } of WANTED) if (!this.#seen.has(column) && isIn(batch)) this.#seen.add(column);
  }

  untested(): UntestedQuestion[] {
    return WANTED.filter(({ column }) => !this.#seen.has(column)).map(({ test, column, how }) => ({
      test,
      column,
      how,
    }));
  }
}
