/**
 * Holds a preset against what its trainer's own code made of the same batch (scripts/fixtures/corrections_*.py).
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import type { Preset, Settings } from "./preset.ts";
import { completeSettings } from "./settings.ts";

interface Reference {
  readonly source: string;
  readonly inputs: Readonly<Record<"rollout" | "trainer" | "mask" | "advantages" | "offsets", number[]>>;
  readonly cases: readonly {
    readonly settings: Settings;
    /** Null: the trainer multiplies by none, or (an element) does not say. */
    readonly weights?: readonly (number | null)[] | null;
    readonly mask?: readonly number[];
    readonly metrics: Readonly<Record<string, number>>;
  }[];
}

export function readReference(trainer: string): Reference {
  const file = new URL(`../../../test/fixtures/corrections/${trainer}/reference.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Reference;
}

export function referenceBlock({
  rollout,
  trainer,
  mask,
  advantages,
  offsets,
}: Reference["inputs"]): CorrectionBlock {
  return {
    rollout: Float64Array.from(rollout),
    trainer: Float64Array.from(trainer),
    mask: Uint8Array.from(mask),
    advantages: Float64Array.from(advantages),
    offsets: Int32Array.from(offsets),
  };
}

/** The sequences [start, end) of a block. */
export function cutRows(block: CorrectionBlock, start: number, end: number): CorrectionBlock {
  const [from, to] = [block.offsets[start]!, block.offsets[end]!];
  return {
    rollout: block.rollout.subarray(from, to),
    trainer: block.trainer.subarray(from, to),
    mask: block.mask.subarray(from, to),
    ...(block.advantages && { advantages: block.advantages.subarray(from, to) }),
    offsets: block.offsets.subarray(start, end + 1).map((offset) => offset - from),
  };
}

/**
 * One test per case: weights and mask, metrics under exactly the trainer's keys, metrics of the batch in two pieces, and
 * that `express` finds settings of the same effect.
 *
 * @param tolerance Relative, for trainers whose code computes in float32 whatever it is given.
 */
export function checkReference(preset: Preset, folder: string = preset.name, tolerance = 1e-10): void {
  const reference = readReference(folder);
  const block = referenceBlock(reference.inputs);
  const rows = block.offsets.length - 1;
  describe(reference.source, () => {
    test.each(reference.cases.map((each) => [JSON.stringify(each.settings), each] as const))(
      "%s",
      (_, each) => {
        const settings = completeSettings(preset, each.settings);
        const correction = preset.correction(settings);
        const applied = applyCorrection(block, correction);
        if (each.weights === null) expect(applied.weights).toBeUndefined();
        else if (each.weights) expectClose(applied.weights ?? [], each.weights, tolerance, "weights");
        if (each.mask) expect([...applied.mask]).toEqual(each.mask);

        const whole = preset.metrics(settings);
        whole.add(block, applied);
        expectMetrics(whole.finish(), each.metrics, tolerance);

        const factor = applied.steps.find((step) => step.factor !== undefined)?.factor;
        const pieces = preset.metrics(settings);
        for (const [start, end] of [
          [0, 2],
          [2, rows],
        ] as const) {
          const piece = cutRows(block, start, end);
          pieces.add(piece, applyCorrection(piece, correction, factor === undefined ? {} : { factor }));
        }
        expectMetrics(pieces.finish(), each.metrics, tolerance);

        const expressed = preset.express(correction);
        expect(expressed).toBeDefined();
        const again = applyCorrection(block, preset.correction(expressed!));
        expect([...again.mask]).toEqual([...applied.mask]);
        expect(again.weights).toEqual(applied.weights);
      },
    );
  });
}

function expectMetrics(
  actual: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, number>>,
  tolerance: number,
): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  for (const [key, value] of Object.entries(expected)) expectClose([actual[key]!], [value], tolerance, key);
}

function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number | null>,
  tolerance: number,
  name: string,
): void {
  expect(actual.length, name).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const value = expected[i]!;
    if (value === null) continue;
    const allowed = tolerance * Math.max(1e-3, Math.abs(value));
    expect(Math.abs(actual[i]! - value), `${name}[${i}]: ${actual[i]} for ${value}`).toBeLessThanOrEqual(
      allowed,
    );
  }
}
