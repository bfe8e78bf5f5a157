/**
 * The log of a run: batches of the record in, one result per training step out.
 *
 * @module
 */

import type { RecordBatch } from "../../core/schema/index.ts";
import type { DivergenceRecord } from "../../results/divergence.ts";
import type { Metrics } from "../../trainers/index.ts";
import { checkOptions, type LogOptions } from "./options.ts";
import { createSegmentSplitter, type Segment } from "./segments.ts";

/** What a training step gave when it ended. */
export interface IterationResult {
  /** Null where the source names no step. */
  readonly step: number | null;
  /** The number that its records have: the step, or the option's where the source names none. */
  readonly iteration: number | null;
  /** Sequences of the step. */
  readonly sequences: number;
  /** With mask 1 and two known probabilities. */
  readonly tokens: number;
  /** Largest |Δp|, a fraction; null without tokens. */
  readonly maxDivergence: number | null;
  /** Figures of the step under the keys that trainers log. */
  readonly metrics: Metrics;
  /** Its tokens that are logged, the furthest apart first. */
  readonly records: readonly DivergenceRecord[];
  /** The step had ended before: its sequences do not stand together, and each part was ranked by itself. */
  readonly again: boolean;
}

/** Options of a whole run. */
export interface RunLogOptions extends LogOptions {
  /** Of sequences whose step is not known. */
  readonly iteration?: number | undefined;
  /** Only steps that this divides; sequences whose step is not known stay. Default 1. */
  readonly every?: number;
}

/** A run on its way into the log. */
export interface RunLog {
  /** Adds a batch; returns the steps that ended with it. */
  add(batch: RecordBatch): readonly IterationResult[];
  /** Sequences of steps that `every` left out. */
  readonly leftOut: number;
  /** The last step. */
  finish(): readonly IterationResult[];
}

/**
 * Splits a run into training steps and logs each. A step ends when sequences of another one come, which is the order in
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
 * @returns a log to add batches to; metrics and records of each step when it ends, probabilities as fractions
 * @throws UsageError when an option makes no sense
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
 * What becomes of a step when it has ended; called for one step after the other.
 *
 * @throws UsageError when an option makes no sense
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
