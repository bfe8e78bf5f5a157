/**
 * The log of a run: takes batches of the record, returns one result per training step.
 *
 * @module
 */

import type { RecordBatch } from "../../core/schema/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import type { Metrics } from "../../trainers/index.ts";
import { checkOptions, type LogOptions } from "./options.ts";
import { createSegmentSplitter, type Segment } from "./segments.ts";

/** The result of a finished training step. */
export interface IterationResult {
  /** Null if the source names no step. */
  readonly step: number | null;
  /** The iteration number of its records: the step, or the option if the source names no step. */
  readonly iteration: number | null;
  /** Number of sequences in the step. */
  readonly sequences: number;
  /** Number of tokens with mask 1 and two known probabilities. */
  readonly tokens: number;
  /** Largest |Δp|, a fraction; null without tokens. */
  readonly maxDivergence: number | null;
  /** Figures of the step under the keys that trainers log. */
  readonly metrics: Metrics;
  /** The tokens to log, most divergent first. */
  readonly records: readonly DivergenceRecord[];
  /** Whether the step had already ended: its sequences are not contiguous, and each part was ranked separately. */
  readonly again: boolean;
}

/** Options of a whole run. */
export interface RunLogOptions extends LogOptions {
  /** For sequences whose step is not known. */
  readonly iteration?: number | undefined;
  /** Logs only steps that are multiples of this; sequences without a known step always stay. Default 1. */
  readonly every?: number;
}

/** Logs a run. */
export interface RunLog {
  /** Adds a batch; returns the steps that it ended. */
  add(batch: RecordBatch): readonly IterationResult[];
  /** Sequences in steps that `every` left out. */
  readonly leftOut: number;
  /** Ends the last step. */
  finish(): readonly IterationResult[];
}

/**
 * Splits a run into training steps and logs each. A step ends when sequences of another step arrive, in the order in
 * which runs are read; sequences without a step count as one step.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { createRecordBuilder } from "logratio";
 * import { createRunLog } from "logratio/divergence";
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
 * const log = createRunLog({ divergenceThreshold: 0.05 });
 * const ended = [...log.add(builder.flush()), ...log.finish()];
 * assert.equal(ended[0]?.step, 10);
 * assert((ended[0]?.maxDivergence ?? 0) > 0.09); // |p_rollout − p_trainer|, a fraction
 * ```
 *
 * @returns a log to add batches to; metrics and records of each step as it ends, probabilities as fractions
 * @throws UsageError if an option is invalid
 */
export function createRunLog(options: RunLogOptions = {}): RunLog {
  const finish = createFinisher(options);
  const splitter = createSegmentSplitter(checkOptions(options), options.every ?? 1);
  return {
    add: (batch) => splitter.add(batch).map(finish),
    get leftOut() {
      return splitter.leftOut;
    },
    finish: () => splitter.finish().map(finish),
  };
}

/**
 * Returns a function that turns each finished step into its result; call it for one step after another.
 *
 * @throws UsageError if an option is invalid
 */
export function createFinisher(options: RunLogOptions): (segment: Segment) => IterationResult {
  const checked = checkOptions(options);
  const ended = new Set<number>();
  return ({ step, iteration, accuracy }) => {
    const known = Number.isNaN(step) ? null : step;
    const number = known ?? options.iteration ?? null;
    const again = ended.has(step);
    ended.add(step);
    return {
      step: known,
      iteration: number,
      sequences: iteration.sequences,
      tokens: iteration.tokens,
      maxDivergence: iteration.maxDivergence ?? null,
      metrics: iteration.metrics,
      records: iteration.records(number, checked).map((record) => ({ ...record, ...accuracy.fields })),
      again,
    };
  };
}
