/**
 * Which columns of a batch compute the same policy, and which of them is the reference.
 *
 * @module
 */
import type { FloatArray } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";

/**
 * Names of the reference, the best first: the same weights in float32. `reference` is not among them: it is the policy of
 * the KL penalty, which has other weights.
 */
export const REFERENCE_NAMES = [
  "float32",
  "fp32",
  "f32",
  "ref32",
  "reference_float32",
  "reference_fp32",
  "ref_float32",
  "ref_fp32",
] as const;

/** Further policies that have other weights by what their name means, so that what they differ by is no error. */
const OTHER_WEIGHTS: ReadonlySet<string> = new Set(["reference", "teacher", "updated"]);
/** Sums grow with the square of the number of columns; further policies beyond this number are left out. */
export const MOST_COLUMNS = 24;

export interface ErrorColumns {
  readonly reference: string;
  readonly base: FloatArray;
  /** Rollout, trainer, then further policies by name. */
  readonly names: readonly string[];
  readonly values: readonly FloatArray[];
  /** Names of further policies beyond {@link MOST_COLUMNS}. */
  readonly beyond: readonly string[];
}

/** Undefined for a batch without both sides and a reference. */
export function findColumns(batch: RecordBatch): ErrorColumns | undefined {
  const { rolloutLogprobs: rollout, trainerLogprobs: trainer, policyLogprobs } = batch;
  const reference = REFERENCE_NAMES.find((name) => policyLogprobs[name] !== undefined);
  if (rollout === undefined || trainer === undefined || reference === undefined) return undefined;
  const further = Object.keys(policyLogprobs)
    .filter((name) => name !== reference && !OTHER_WEIGHTS.has(name))
    .sort();
  const kept = further.slice(0, MOST_COLUMNS - 2);
  return {
    reference,
    base: policyLogprobs[reference]!,
    names: ["rollout", "trainer", ...kept],
    values: [rollout, trainer, ...kept.map((name) => policyLogprobs[name]!)],
    beyond: further.slice(kept.length),
  };
}
