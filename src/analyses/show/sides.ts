import type { FloatArray } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";

/** The log-probs of both policies; all NaN for a policy that the batch lacks. */
export interface Sides {
  readonly rollout: FloatArray;
  readonly trainer: FloatArray;
  /** The policy that has log-probs, if only one does. */
  readonly only: "rollout" | "trainer" | undefined;
}

export function takeSides({ rolloutLogprobs, trainerLogprobs, responseMask }: RecordBatch): Sides {
  const absent = (): FloatArray => new Float32Array(responseMask.length).fill(Number.NaN);
  return {
    rollout: rolloutLogprobs ?? absent(),
    trainer: trainerLogprobs ?? absent(),
    only:
      (rolloutLogprobs === undefined) === (trainerLogprobs === undefined)
        ? undefined
        : rolloutLogprobs === undefined
          ? "trainer"
          : "rollout",
  };
}
