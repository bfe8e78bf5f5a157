/**
 * Columns like those of a run: most tokens are certain, some are not, and the trainer is off by its own rounding.
 *
 * @module
 */
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { seededRandom } from "../../core/statistics/random.ts";

export interface Drawn {
  readonly rollout: Float32Array;
  readonly trainer: Float32Array;
  readonly mask: Uint8Array;
  /** Columns of the row in the source, where rows are padded. */
  readonly width?: number;
}

export interface Drawing {
  readonly sequences: number;
  readonly tokens: number;
  /** Share of tokens that the policy is unsure of. */
  readonly open: number;
  /** Relative and absolute size of the trainer's noise. */
  readonly noise: number;
}

/** Columns in place: Δ is noise. */
export function drawLogprobs(seed: number, { sequences, tokens, open, noise }: Drawing): Drawn[] {
  const random = seededRandom(seed);
  const exponential = (): number => -Math.log(1 - random());
  return Array.from({ length: sequences }, () => {
    const length = Math.max(1, Math.round(tokens * (0.5 + random())));
    // Responses grow more certain, as real ones do.
    const rollout = Float32Array.from({ length }, (_, t) =>
      random() < open * (1.5 - t / length) ? -exponential() : -1e-4 * exponential(),
    );
    const trainer = rollout.map((value) =>
      Math.min(0, value * (1 + noise * (2 * random() - 1)) - 1e-5 * noise * random()),
    );
    return { rollout, trainer, mask: new Uint8Array(length).fill(1) };
  });
}

/** Output entry t is input entry t − by; the entries that move in from outside are like the rest. */
export function moveEntries(values: Float32Array, by: number): Float32Array {
  return values.map((_, t) => values[(t - by + 2 * values.length) % values.length]!);
}

export function packDrawn(sequences: readonly Drawn[]): RecordBatch {
  const provenance = { file: "drawn.npz", format: "npz", trainer: "verl", alignment: "token" } as const;
  const builder = createRecordBuilder({ provenance });
  for (const { rollout, trainer, mask, width } of sequences) {
    builder.push({
      length: mask.length,
      responseMask: mask,
      rolloutLogprobs: rollout,
      trainerLogprobs: trainer,
      array: width === undefined ? undefined : { layout: "padded", start: 0, width },
    });
  }
  return builder.flush();
}
