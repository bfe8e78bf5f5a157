import { describe, expect, it } from "vitest";
import { measureLattice } from "../features/lattice.ts";
import { makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineStorage } from "./storage.ts";

const full = Array.from({ length: 40 }, (_, t) => Math.fround(-0.1 - Math.abs(Math.sin(t + 1)) * 3));
const round = (values: readonly number[], bits: number): number[] =>
  values.map((value) => {
    const spacing = 2 ** (Math.floor(Math.log2(-value)) - bits);
    return Math.round(value / spacing) * spacing;
  });
const BF16 = round(full, 7);
const FP16 = round(full, 10);

const examine = (rollout: readonly number[], trainer: readonly number[]) => {
  const view = makeView([{ rollout, trainer }]);
  return examineStorage(view, measureLattice(view));
};

describe("log-probs on the grid of a narrower format", () => {
  it("are told with side, format and what rounding alone would make", () => {
    const [clue] = examine(BF16, full);
    expect(clue).toMatchObject({
      cause: "logprob_storage_rounding",
      figures: { rollout: "bf16", trainer: "full", values: 40 },
    });
    expect(clue!.sentence).toMatch(/^All rollout log-probs are bfloat16 numbers \(40 values;/);
    // Rounding to nearest moves a value by a quarter of the spacing on average.
    const spacings = BF16.map((value) => 2 ** (Math.floor(Math.log2(-value)) - 7) / 4);
    const mean = spacings.reduce((sum, one) => sum + one, 0) / 40;
    expect(clue!.figures.expected_delta_abs).toBeCloseTo(mean, 12);
    expect(examine(full, FP16)[0]!.sentence).toMatch(/^All trainer log-probs are float16 numbers/);
    expect(examine(FP16, FP16)[0]!.sentence).toMatch(/^All rollout and trainer log-probs are float16/);
    expect(examine(BF16, BF16)[0]!.figures.expected_delta_abs).toBeCloseTo(mean * Math.SQRT2, 12);
    expect(examine(full, full)).toEqual([]);
  });

  it("are twenty or more, and nearly all; zeros say nothing", () => {
    const cut = (length: number) => examine(BF16.slice(0, length), full.slice(0, length)).length;
    expect([cut(19), cut(20)]).toEqual([0, 1]);
    expect(examine([...BF16, full[3]!], [...full, full[3]!])).toEqual([]);
    const many = Array.from({ length: 10 }, () => BF16).flat();
    const others = Array.from({ length: 10 }, () => full).flat();
    expect(examine([...many, full[3]!], [...others, full[3]!])).toHaveLength(1);
    const zeros = new Array<number>(10).fill(0);
    const [clue] = examine([...BF16.slice(0, 20), ...zeros], [...full.slice(0, 20), ...zeros]);
    expect(clue!.figures.values).toBe(20);
    expect(examine([...BF16.slice(0, 15), ...zeros], [...full.slice(0, 15), ...zeros])).toEqual([]);
  });

  it("may be a few decimals, of which a sure token keeps only its error", () => {
    const two = full.map((value) => Math.round(value * 100) / 100);
    const sure = [-0.05, -0.09, 0, -0.1];
    const view = makeView([{ rollout: [...two, ...sure], trainer: [...full, ...sure] }]);
    const [clue] = examineStorage(view, measureLattice(view));
    expect(clue!.sentence).toMatch(/^All rollout log-probs are numbers of 2 decimals \(43 values;/);
    expect(clue!.figures.expected_delta_abs).toBeCloseTo(0.0025, 12);
    expect([...view.left].flatMap((left, i) => (left === LEFT_OUT.claimed ? [view.a[i]] : []))).toEqual(
      [...two, ...sure].filter((value) => value > -0.1),
    );
  });
});
