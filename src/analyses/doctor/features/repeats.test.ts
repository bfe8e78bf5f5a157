import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { apart, at, closely } from "./closely.test-data.ts";
import { measureRepeats } from "./repeats.ts";

const measure = (...rows: readonly GivenRow[]) => measureRepeats(makeView(rows));
const ids = (...values: number[]) => Int32Array.from(values);
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Five new tokens, then the same again; logits apart by these. */
const row = (fresh: readonly number[], repeated: readonly number[], group: number): GivenRow => ({
  ...apart([...fresh, ...repeated]),
  ...{ ids: ids(...fresh.keys(), ...repeated.keys()), group },
});
const [fresh, repeated] = [
  [
    [0.1, -0.1, 0.2, 0.1, 0],
    [0.3, 0.1, 0, 0.1, 0.2],
  ],
  [
    [0.9, 1.1, 1, 1.2, 1],
    [1.3, 1, 1.1, 0.8, 1.2],
  ],
] as const;
const rows = [0, 1].map((k) => row(fresh[k]!, repeated[k]!, k));

it("compares repeated tokens with new ones", () => {
  const means = [0.1, 1.06] as const;
  const influence = [0, 1].map(
    (k) => (sum(repeated[k]!) - 5 * means[1]) / 10 - (sum(fresh[k]!) - 5 * means[0]) / 10,
  );
  const squares = (values: readonly number[], center: number): number =>
    sum(values.map((value) => (value - center) ** 2));
  const residual = squares(fresh.flat(), means[0]) + squares(repeated.flat(), means[1]);
  expect(measure(...rows)).toEqual(
    closely({
      ...{ fresh: 0.1, repeated: 1.06, freshTokens: 10, repeatedTokens: 10, scope: "response" },
      z: 0.96 / Math.hypot(...influence),
      explained: 1 - residual / squares([...fresh, ...repeated].flat(), 0),
    }),
  );
});

it("takes rows of one prompt for one cluster", () => {
  const [one, other] = [rows.map((each) => ({ ...each, group: 1 })), rows];
  const more = row([0.5, 0, 0.1, 0, 0], [1.2, 1, 1, 1, 1.5], 9);
  const [joined, split] = [measure(...one, more)!, measure(...other, more)!];
  expect(joined.repeated).toBe(split.repeated);
  const means = [(1 + 0.6) / 15, (10.6 + 5.7) / 15] as const;
  const influence = (both: readonly (readonly [number, number, number])[]): number[] =>
    both.map(([own, again, n]) => (again - n * means[1]) / 15 - (own - n * means[0]) / 15);
  const z = (influences: readonly number[]): number => (means[1] - means[0]) / Math.hypot(...influences);
  expect(joined.z).toBeCloseTo(
    z(
      influence([
        [1, 10.6, 10],
        [0.6, 5.7, 5],
      ]),
    ),
    6,
  );
  expect(split.z).toBeCloseTo(
    z(
      influence([
        [0.3, 5.2, 5],
        [0.7, 5.4, 5],
        [0.6, 5.7, 5],
      ]),
    ),
    6,
  );
});

it("is null where no row has token ids, and leaves out those that have none", () => {
  expect(measure()).toBeNull();
  expect(measure(apart([1, 2]))).toBeNull();
  expect(measure(...rows, apart([3, 3, 3]))).toEqual(measure(...rows));
});

it("counts the policy's own tokens of which both sides have digits", () => {
  const [first, second] = rows as [GivenRow, GivenRow];
  const count = (change: (given: { rollout: number[]; trainer: number[]; mask: number[] }) => void) => {
    const given = { rollout: [...first.rollout], trainer: [...first.trainer!], mask: new Array(10).fill(1) };
    change(given);
    const found = measure({ ...first, ...given }, second)!;
    return [found.freshTokens, found.repeatedTokens];
  };
  expect(count(() => undefined)).toEqual([10, 10]);
  // A token of mask 0 is not counted, but what comes again after it is repeated.
  expect(count(({ mask }) => mask.fill(0, 0, 2))).toEqual([8, 10]);
  expect(count(({ rollout }) => rollout.fill(-2e-5, 6, 7))).toEqual([10, 9]);
  expect(count(({ trainer }) => trainer.fill(-2e-5, 6, 7))).toEqual([10, 9]);
  expect(count(({ rollout }) => rollout.fill(0, 0, 1))).toEqual([9, 10]);
  expect(count(({ trainer }) => trainer.fill(-2.1e-5, 6, 7))).toEqual([10, 10]);
});

it("holds gaps to 3 either way", () => {
  const far = { rollout: [at(0), at(0), at(0)], trainer: [at(9), at(-9), at(-9)], ids: ids(1, 2, 2) };
  const found = measure(far);
  expect(found).toMatchObject(closely({ fresh: 0, repeated: -3, freshTokens: 2, repeatedTokens: 1 }));
  // 9 of the 27 squares are about the means.
  expect(found?.explained).toBeCloseTo(1 - 18 / 27, 9);
});

describe("z", () => {
  it("needs ten tokens of each kind, and clusters that differ", () => {
    const less = (mask: readonly number[]) => measure({ ...rows[0]!, mask }, rows[1]!)!.z;
    expect(less([0, 1, 1, 1, 1, 1, 1, 1, 1, 1])).toBe(0);
    expect(less([1, 1, 1, 1, 1, 1, 1, 1, 1, 0])).toBe(0);
    expect(less(new Array(10).fill(1))).toBeGreaterThan(3);
    const same = row([0, 0, 0, 0, 0], [0, 0, 0, 0, 0], 1);
    expect(measure(same, same)).toMatchObject({ z: 0, explained: 0, fresh: 0, repeated: 0 });
  });

  it("is negative where repeated tokens are the less likely to the trainer", () => {
    const turned = [0, 1].map((k) =>
      row(
        fresh[k]!,
        repeated[k]!.map((gap) => -gap),
        k,
      ),
    );
    expect(measure(...turned)!.z).toBeLessThan(-3);
  });
});

describe("the scope", () => {
  /** Twelve rows: tokens of the prompt, of the response alone, and new ones, each with its gap. */
  const scoped = (inPrompt: number, again: number) =>
    measure(
      ...Array.from({ length: 12 }, (_, k): GivenRow => {
        const noise = (t: number): number => Math.sin(12.9 * k + 78.2 * t) / 4;
        return {
          ...apart([0.1, inPrompt, again, 0.1].map((gap, t) => gap + noise(t))),
          ...{ ids: ids(1, 2, 1, 3), prompt: ids(2), group: k },
        };
      }),
    )!;

  it("is the prompt too where that separates better by 15 %", () => {
    expect(scoped(1, 1)).toMatchObject({ scope: "prompt", freshTokens: 24, repeatedTokens: 24 });
    expect(scoped(1, 0.1).scope).toBe("prompt");
    expect(scoped(-1, 0.1)).toMatchObject({ scope: "prompt", repeatedTokens: 24 });
  });

  it("is the response alone where the prompt adds nothing", () => {
    expect(scoped(0.1, 1)).toMatchObject({ scope: "response", freshTokens: 36, repeatedTokens: 12 });
    expect(scoped(0.1, -1)).toMatchObject({ scope: "response", repeatedTokens: 12 });
  });
});
