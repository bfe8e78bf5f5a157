import { MissingSideError, UsageError } from "../../core/base/index.ts";
import type { TokenBlock } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import type { Metrics } from "../../trainers/index.ts";
import { packPadded } from "../../trainers/shared/index.ts";
import { Iteration } from "./iteration.ts";
import { divergenceLine, fillIteration } from "./line.ts";
import { checkOptions, type DivergenceOptions } from "./options.ts";
import { type DebugBatch, paddedFacts } from "./padded-facts.ts";
import { recordFacts } from "./record-facts.ts";
import type { FactsOf } from "./token-facts.ts";

/** The result for a batch: metrics, and the most divergent tokens. */
export interface DebugMetrics {
  /** verl's `training/rollout_probs_diff_*`, `training/rollout_actor_probs_pearson_corr`, and `per_round/*`. */
  readonly metrics: Metrics;
  /** Empty if the threshold is not reached, or if nothing is to be logged. */
  readonly records: readonly DivergenceRecord[];
}

/**
 * verl's `calculate_debug_metrics` on a padded batch, with its log of high-divergence tokens: if max
 * |exp(rollout_log_probs) − exp(old_log_probs)| over masked tokens reaches the threshold, the most divergent tokens are
 * returned, and appended to `divergenceJsonlPath` if given.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { calculateDebugMetrics } from "logratio/divergence";
 *
 * const { metrics, records } = calculateDebugMetrics({
 *   rollout_log_probs: [[Math.log(0.95), Math.log(0.5)]],
 *   old_log_probs: [[Math.log(0.05), Math.log(0.5)]],
 *   responses: [[12, 7]],
 * });
 * assert(Math.abs((metrics["training/rollout_probs_diff_max"] ?? NaN) - 0.9) < 1e-6); // a fraction
 * assert.equal(records[0]?.token_text, "<no_tokenizer:12>");
 * assert.equal(records[0]?.flip_type, "rollout_confident_actor_rejects");
 * ```
 *
 * @param batch `[B][T]` log-probs in nats, token ids and, if available, masks, texts and scores
 * @returns verl's metrics (fractions and a correlation), and the records that were or would be logged
 * @throws LengthMismatchError if columns do not align
 * @throws UsageError if an option is invalid
 */
export function calculateDebugMetrics(batch: DebugBatch, options: DivergenceOptions = {}): DebugMetrics {
  const checked = checkOptions(options);
  const block = packPadded(batch);
  const readFacts = paddedFacts(batch, block.mask, block.offsets, checked.contextWindow);
  return measure(block, readFacts, options, options.iteration ?? null);
}

/**
 * `calculateDebugMetrics` for a record batch, whatever steps it contains. The iteration defaults to the step of its
 * sequences, if they agree.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder } from "logratio";
 * import { calculateRecordDebugMetrics } from "logratio/divergence";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder = createRecordBuilder({ provenance });
 * builder.push({
 *   length: 3,
 *   responseMask: Uint8Array.of(1, 1, 0),
 *   rolloutLogprobs: Float32Array.of(-0.105, -1.609, -0.357), // nats
 *   trainerLogprobs: Float32Array.of(-0.105, -1.204, -0.357),
 *   step: 10,
 * });
 * const { metrics, records } = calculateRecordDebugMetrics(builder.flush(), { divergenceThreshold: 0.05 });
 * assert((metrics["training/rollout_probs_diff_max"] ?? NaN) > 0.09); // a fraction
 * assert.equal(records[0]?.iteration, 10);
 * ```
 *
 * @returns verl's metrics (fractions and a correlation), and the records that were or would be logged
 * @throws MissingSideError if the batch lacks either policy's log-probs
 * @throws UsageError if an option is invalid
 */
export function calculateRecordDebugMetrics(
  batch: RecordBatch,
  options: DivergenceOptions = {},
): DebugMetrics {
  const checked = checkOptions(options);
  const factsOf = recordFacts(batch, checked.contextWindow);
  return measure(tokenBlock(batch), factsOf, options, options.iteration ?? commonStep(batch));
}

/** @throws MissingSideError if the batch lacks either policy's log-probs. */
export function tokenBlock(batch: RecordBatch): TokenBlock {
  const { rolloutLogprobs: rollout, trainerLogprobs: trainer, responseMask: mask, turnMask, offsets } = batch;
  if (rollout && trainer) return { rollout, trainer, mask, offsets, ...(turnMask && { turnMask }) };
  throw new MissingSideError(
    `cannot compare policies: the ${rollout ? "trainer" : "rollout"} log-probs are missing`,
    { at: { file: batch.provenance.file } },
  );
}

function measure(
  block: TokenBlock,
  factsOf: FactsOf,
  options: DivergenceOptions,
  number: number | null,
): DebugMetrics {
  const { logDivergence = true, divergenceJsonlPath: path, appendLines } = options;
  if (path !== undefined && appendLines === undefined) {
    throw new UsageError("divergenceJsonlPath is given, but nothing that could write the file", {
      hint: "in Node, also give appendLines: appendJsonl from logratio/node",
    });
  }
  const checked = checkOptions(options);
  const iteration = new Iteration(checked, logDivergence);
  iteration.add(block, [0, block.offsets.length - 1], factsOf, { release: false });
  const records = iteration.records(number, checked, factsOf);
  if (path !== undefined && records.length > 0)
    appendLines?.(
      fillIteration(path, number),
      records.map((record) => divergenceLine(record)),
    );
  return { metrics: iteration.metrics, records };
}

function commonStep({ steps }: RecordBatch): number | null {
  const [first] = steps;
  return first !== undefined && !Number.isNaN(first) && steps.every((step) => step === first) ? first : null;
}
