import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { at, closely } from "./closely.test-data.ts";
import { measureConfidence } from "./confidence.ts";

const of = (row: GivenRow, ...more: GivenRow[]) => measureConfidence(makeView([row, ...more]));
const pairs = (given: readonly (readonly [a: number, c: number])[], more: Partial<GivenRow> = {}) =>
  of({ rollout: given.map(([a]) => a), trainer: given.map(([, c]) => c), ...more });
const logits = (given: readonly (readonly [x: number, y: number])[]) =>
  pairs(given.map(([x, y]) => [at(x), at(y)]));

const NO_SURPLUS = { value: Number.NaN, z: 0, tokens: 0, entropy: Number.NaN };

it("tells nothing of no tokens", () => {
  for (const rows of [{ rollout: [] }, { rollout: [-1], trainer: [-2], mask: [0] }])
    expect(of(rows)).toEqual({
      ...{ slope: NaN, correlation: NaN, tokens: 0, ratioBySureness: [NaN, NaN, NaN, NaN] },
      ...{ positiveShare: 0, decided: 0, rolloutZero: 0, trainerZero: 0, likelyPositive: 0, likely: 0 },
      ...{
        unlikely: 0,
        unlikelyDelta: 0,
        unlikelyExcess: 0,
        lossSlope: NaN,
        quantiles: new Array(5).fill(NaN),
      },
      ...{ listSlope: NaN, listSpread: NaN, listPairs: 0, shortRollout: 0, shortTrainer: 0 },
      ...{ entropyRatio: NaN, rolloutSurplus: NO_SURPLUS, trainerSurplus: NO_SURPLUS },
    });
});

it("tells how the trainer's logits follow the rollout's", () => {
  const found = logits([
    [-1, -0.4],
    [0, 0.1],
    [1, 0.6],
    [2, 1.1],
    [3, 1.6],
  ]);
  expect(found).toEqual(
    closely({
      ...{ slope: 0.5, correlation: 1, tokens: 5 },
      // p of 1, 2 and 3: 0.73, 0.88 and 0.953; below 0.7 no bin takes them.
      ratioBySureness: [0.55, Number.NaN, Number.NaN, Number.NaN],
      ...{ positiveShare: 0.4, decided: 5, likely: 3, likelyPositive: 0 },
      ...{ rolloutZero: 0, trainerZero: 0 },
      ...{ unlikely: 1, unlikelyDelta: at(-0.4) - at(-1), unlikelyExcess: -at(-1) - 1 },
      lossSlope: Number.NaN,
      quantiles: expect.any(Array),
      ...{ listSlope: NaN, listSpread: NaN, listPairs: 0, shortRollout: 0, shortTrainer: 0 },
      ...{ entropyRatio: NaN, rolloutSurplus: NO_SURPLUS, trainerSurplus: NO_SURPLUS },
    }),
  );
});

it("gives the quantiles of Δ: 1 %, 10 %, 50 %, 90 % and 99 %", () => {
  const deltas = Array.from({ length: 101 }, (_, k) => ((k * 37) % 101) / 64 - 0.5);
  const { quantiles } = pairs(deltas.map((delta) => [-2, -2 + delta]));
  expect(quantiles).toEqual(closely([1, 10, 50, 90, 99].map((percent) => percent / 64 - 0.5)));
});

describe("slope and ratios", () => {
  it("leave out what is too sure, or less likely than e^−5, on either side", () => {
    const counted = ([a, c]: readonly [number, number]) => pairs([[a, c]]).tokens;
    const cases = [
      [-1, -1, 1],
      [-2e-5, -1, 0],
      [-1, -2e-5, 0],
      [-2.1e-5, -2.1e-5, 1],
      [-5, -4, 0],
      [-4, -5, 0],
      [-4.9, -4.9, 1],
      [0, -1, 0],
    ] as const;
    for (const [a, c, expected] of cases) expect([a, c, counted([a, c])]).toEqual([a, c, expected]);
  });

  it.each([
    { p: 0.69, scale: 2, bin: -1 },
    { p: 0.71, scale: 2, bin: 0 },
    { p: 0.9699, scale: 2, bin: 0 },
    { p: 0.9701, scale: 2, bin: 1 },
    { p: 0.9989, scale: 1.25, bin: 1 },
    { p: 0.99901, scale: 1.25, bin: 2 },
    { p: 0.99989, scale: 1.125, bin: 2 },
    { p: 0.99991, scale: 0.5, bin: 3 },
  ])("are kept by p of the rollout: $p", ({ p, scale, bin }) => {
    const x = Math.log(p / (1 - p));
    const wanted = [0, 1, 2, 3].map((at) => (at === bin ? scale : Number.NaN));
    expect(logits([[x, x * scale]]).ratioBySureness).toEqual(closely(wanted));
  });

  it("are medians of the trainer's logits over the rollout's", () => {
    const found = logits([
      [1, 1],
      [1.5, 3],
      [2, 8],
    ]);
    expect(found.ratioBySureness[0]).toBeCloseTo(2, 9);
  });
});

describe("tokens that differ by more than rounding", () => {
  it.each([
    { a: -1, c: -1.0201, decided: 1 },
    { a: -1, c: -1.02, decided: 0 },
    { a: -1, c: -0.9802, decided: 1 },
    { a: -1, c: -1.001, decided: 0 },
    { a: -1e-5, c: -1.3e-5, decided: 1 },
    { a: -1e-5, c: -1.2e-5, decided: 0 },
    { a: -1, c: -1, decided: 0 },
  ])("$a and $c: $decided", ({ a, c, decided }) => {
    expect(pairs([[a, c]]).decided).toBe(decided);
  });

  it("count as positive where the trainer's is the larger, as likely above a probability of 0.7", () => {
    expect(
      pairs([
        [-0.35, -0.1],
        [-0.35, -0.6],
        [-0.35, -0.7],
        [-0.36, -0.1],
        [-1, -0.5],
        [-0.1, -0.1],
      ]),
    ).toMatchObject({ decided: 5, positiveShare: 0.6, likely: 3, likelyPositive: expect.closeTo(1 / 3, 9) });
  });
});

describe("unlikely tokens", () => {
  it("exceed an entropy of 1 by a quarter of a nat where no column tells it", () => {
    const found = pairs([
      [-1.25, -2],
      [-1.26, -1],
      [-3, -4],
      [-0.2, -5],
    ]);
    expect(found).toMatchObject(
      closely({ unlikely: 2, unlikelyDelta: (0.26 - 1) / 2, unlikelyExcess: (0.26 + 2) / 2 }),
    );
  });

  it("exceed the larger entropy of the two sides", () => {
    const entropies = (rolloutEntropy: number, trainerEntropy: number): Partial<GivenRow> => ({
      ...{
        rolloutEntropy: Float64Array.of(0, rolloutEntropy),
        trainerEntropy: Float64Array.of(0, trainerEntropy),
      },
    });
    const excess = (more: Partial<GivenRow>) =>
      pairs(
        [
          [-0.1, -0.1],
          [-3, -3],
        ],
        more,
      ).unlikelyExcess;
    expect(excess(entropies(2, 0.5))).toBeCloseTo(1, 9);
    expect(excess(entropies(0.5, 2))).toBeCloseTo(1, 9);
    expect(excess(entropies(2.75, 0.5))).toBe(0);
    // Of one side alone nothing is known.
    expect(excess({ rolloutEntropy: Float64Array.of(0, 2) })).toBeCloseTo(2, 9);
    expect(excess({ trainerEntropy: Float64Array.of(0, 2) })).toBeCloseTo(2, 9);
  });
});

it("counts zeros where the other side is unsure: one that is nearly sure may round to 0", () => {
  const found = pairs([
    [0, -1],
    [0, -5e-3],
    [0, -7e-3],
    [0, 0],
    [-1, 0],
    [-7e-3, 0],
    [-5e-3, 0],
    [-1, -1],
    [-2, -5e-3],
  ]);
  // Of the unsure −1, −7e-3 and −1 of the trainer; of −1, −7e-3, −1 and −2 of the rollout.
  expect(found.rolloutZero).toBe(2 / 3);
  expect(found.trainerZero).toBe(2 / 4);
});

describe("the slope of losses", () => {
  const lost = (p: number, size: number): readonly [number, number] => {
    const a = Math.log1p(-p);
    return [a, a - size];
  };

  it("is that of log |Δ| on log(1 − p) of the surer side, of the sign that most have", () => {
    const below = [0.001, 0.01, 0.09].map((p) => lost(p, p ** 1.5));
    expect(pairs(below).lossSlope).toBeCloseTo(1.5, 9);
    const above = [0.002, 0.02, 0.08].map((p) => lost(p, p ** 0.5)).map(([a, c]) => [c, a] as const);
    expect(pairs(above).lossSlope).toBeCloseTo(0.5, 9);
    expect(pairs([...below, ...below, ...above]).lossSlope).toBeCloseTo(1.5, 9);
    expect(pairs([...below, ...above, ...above]).lossSlope).toBeCloseTo(0.5, 9);
    // As many of each: those above.
    expect(pairs([...below, ...above]).lossSlope).toBeCloseTo(0.5, 9);
  });

  it("leaves out what is not sure, too sure, or differs by rounding alone", () => {
    const below = [0.001, 0.01, 0.09].map((p) => lost(p, p ** 1.5));
    const others = [
      [-0.1, -0.5],
      [-2e-5, -4],
      [-0.05, -0.05 - 1e-6],
      [-1, -2],
    ] as const;
    for (const other of others) expect(pairs([...below, other]).lossSlope).toBeCloseTo(1.5, 9);
    for (const other of [
      [-0.099, -0.5],
      [-2.1e-5, -4],
      [-0.05, -0.05 - 3e-6],
    ] as const)
      expect(Math.abs(pairs([...below, other]).lossSlope - 1.5)).toBeGreaterThan(0.01);
  });
});

describe("lists of alternatives", () => {
  const top = (...lists: readonly (readonly (readonly [id: number, logprob: number])[])[]) => ({
    k: lists[0]!.length,
    ids: Int32Array.from(lists.flat(), ([id]) => id),
    logprobs: Float32Array.from(lists.flat(), ([, logprob]) => logprob),
  });
  const lists = (rolloutTop: ReturnType<typeof top>, trainerTop: ReturnType<typeof top>, mask?: number[]) => {
    const rollout = new Array(rolloutTop.ids.length / rolloutTop.k).fill(-1);
    const found = of({ rollout, rolloutTop, trainerTop, ...(mask && { mask }) });
    const { listSlope, listSpread, listPairs, shortRollout, shortTrainer } = found;
    return { listSlope, listSpread, listPairs, shortRollout, shortTrainer };
  };
  const none = { listSlope: NaN, listSpread: NaN, listPairs: 0, shortRollout: 0, shortTrainer: 0 };
  const pair = (gap: number) =>
    [
      [7, -0.25],
      [8, -0.25 - gap],
    ] as const;

  it("give the trainer's distance of the rollout's best two over the rollout's", () => {
    expect(
      lists(
        top(pair(1), pair(2), pair(4)),
        top(
          pair(1),
          [
            [8, -0.25],
            [7, -0.75],
          ],
          [
            [7, -1],
            [8, -9],
          ],
        ),
      ),
    ).toEqual(closely({ ...none, listSlope: 1, listSpread: (1.8 - (-0.25 + 0.2 * 1.25)) / 2, listPairs: 3 }));
  });

  it("take the best that both have, where they are more than half a nat apart", () => {
    const missing = top([
      [9, -0.125],
      [7, -1],
      [8, -2],
    ]);
    expect(
      lists(
        missing,
        top([
          [7, -1],
          [8, -4],
          [3, -5],
        ]),
      ),
    ).toMatchObject({ listSlope: 3, listPairs: 1 });
    expect(lists(top(pair(0.5)), top(pair(1)))).toEqual(none);
    expect(lists(top(pair(0.75)), top(pair(1.5)))).toMatchObject({ listSlope: 2 });
    expect(
      lists(
        top(pair(1)),
        top([
          [7, -1],
          [3, -2],
        ]),
      ),
    ).toEqual(none);
    expect(
      lists(
        top(pair(1)),
        top([
          [1, -1],
          [3, -2],
        ]),
      ),
    ).toEqual(none);
  });

  it("are short where places hold no token, or one that a filter took out", () => {
    const short = top(
      [
        [7, -0.25],
        [-1, -1],
      ],
      pair(1),
      [
        [7, -0.25],
        [8, -1000],
      ],
      [
        [0, -1],
        [8, -999],
      ],
    );
    const whole = top(pair(1), pair(1), pair(1), pair(1));
    expect(lists(short, whole)).toMatchObject({ shortRollout: 0.5, shortTrainer: 0, listPairs: 1 });
    expect(lists(whole, short)).toMatchObject({ shortRollout: 0, shortTrainer: 0.5, listPairs: 1 });
  });

  it("are read at the policy's own tokens, where both sides have them", () => {
    expect(lists(top(pair(1), pair(1)), top(pair(2), pair(3)), [0, 1])).toMatchObject({ listSlope: 3 });
    expect(lists(top(pair(1), pair(1)), top(pair(2), pair(3)), [1, 0])).toMatchObject({ listSlope: 2 });
    const one = top(pair(1));
    expect(of({ rollout: [-1], rolloutTop: one }).listPairs).toBe(0);
    expect(of({ rollout: [-1], trainerTop: one }).listPairs).toBe(0);
    expect(of({ rollout: [-1] }, { rollout: [-1], rolloutTop: one, trainerTop: one }).listPairs).toBe(1);
  });
});

describe("entropies", () => {
  const entropies = (rollout: readonly number[], trainer: readonly number[]): Partial<GivenRow> => ({
    ...{ rolloutEntropy: Float64Array.from(rollout), trainerEntropy: Float64Array.from(trainer) },
  });

  it("are compared by the median of the trainer's over the rollout's, where there is any", () => {
    const own = { rollout: [-1, -1, -1, -1, -1, -1], mask: [1, 1, 1, 1, 1, 0] };
    const found = of({ ...own, ...entropies([1, 2, 0.05, 4, 1, 1], [2, 1, 9, 12, 0.001, 9]) });
    expect(found.entropyRatio).toBe(2);
    expect(of({ rollout: [-1], ...entropies([0.0625], [0.0078125]) }).entropyRatio).toBe(0.125);
    expect(of({ rollout: [-1], rolloutEntropy: Float64Array.of(1) }).entropyRatio).toBe(NaN);
    expect(of({ rollout: [-1], trainerEntropy: Float64Array.of(1) }).entropyRatio).toBe(NaN);
  });

  it("are less than the surprisal by a surplus, of each side its own", () => {
    const found = of(
      {
        ...{ rollout: [-1, -2, -3, -9, -1], trainer: [-2, -1, -4, -9, -1], mask: [1, 1, 1, 0, 1] },
        ...entropies([0.5, 1, 1, 1, NaN], [0.5, 1.5, 1, 1, NaN]),
      },
      { rollout: [-1] },
    );
    // Two alternatives whose entropy is the next below 0.5 in steps of a sixteenth of a decade.
    const q = 0.5 * 10 ** (-7 / 16);
    const expected = q * (1 - q) * Math.log(q / (1 - q)) ** 2 + 1 + 4;
    const variance = Math.sqrt((0.25 + 1 + 4) * expected);
    expect(found.rolloutSurplus).toEqual(
      closely({ value: 3.5 / 3, z: 3.5 / Math.sqrt(variance), tokens: 3, entropy: 2.5 / 3 }),
    );
    expect(found.trainerSurplus).toEqual(
      closely({ value: 4 / 3, z: 4 / Math.sqrt(2.25 + 0.25 + 9), tokens: 3, entropy: 1 }),
    );
    const exact = of({ rollout: [-1, -2], ...entropies([1, 2], [1, 1]) });
    expect(exact.rolloutSurplus).toEqual({ value: 0, z: 0, tokens: 2, entropy: 1.5 });
  });

  it("have a z that a sure policy without unlikely samples does not inflate", () => {
    // 400 tokens of entropy 0.056 nats (p = 0.99), all of them the likelier alternative.
    const count = 400;
    const entropy = -0.99 * Math.log(0.99) - 0.01 * Math.log(0.01);
    const { value, z } = of({
      rollout: Array.from({ length: count }, () => Math.log(0.99)),
      ...entropies(
        Array.from({ length: count }, (_, t) => entropy + (t % 2) * 1e-6),
        Array.from({ length: count }, () => Number.NaN),
      ),
    }).rolloutSurplus;
    expect(value).toBeCloseTo(-Math.log(0.99) - entropy, 5);
    // By its own squares alone, z would be −20: each token adds the same.
    expect(z).toBeGreaterThan(-6.5);
    expect(z).toBeLessThan(-5.5);
  });
});
