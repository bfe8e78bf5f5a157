import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { LengthMismatchError, SchemaError, UsageError } from "../../core/base/errors.ts";
import { applyCorrection, type CorrectionBlock, normalizerSums } from "./apply.ts";
import type { Aggregation, Bounds, Correction, Level, Measure, Statistic, Step } from "./correction.ts";

/** A block of sequences, each a list of [Δ, mask] with rollout log-prob −2. */
function makeBlock(rows: readonly (readonly (readonly [delta: number, mask: number])[])[]): CorrectionBlock {
  const tokens = rows.flat();
  let end = 0;
  return {
    rollout: new Float64Array(tokens.length).fill(-2),
    trainer: Float64Array.from(tokens, ([delta]) => delta - 2),
    mask: Uint8Array.from(tokens, ([, mask]) => mask),
    offsets: Int32Array.from([0, ...rows.map(({ length }) => (end += length))]),
  };
}

const LN2 = Math.log(2);
// Turns: {ln 2, 0}, {ln 4}; then {−ln 2}; then nothing; then no tokens at all.
const BLOCK = makeBlock([
  [
    [LN2, 1],
    [0, 1],
    [9, 0],
    [2 * LN2, 1],
  ],
  [[-LN2, 1]],
  [
    [5, 0],
    [5, 0],
  ],
  [],
]);
const measure = (statistic: Statistic, level: Level, aggregation: Aggregation = "sum"): Measure => ({
  statistic,
  level,
  aggregation,
});
const rounded = (values: Iterable<number>): number[] => [...values].map((value) => Number(value.toFixed(12)));

describe("weights", () => {
  test.each<[Level, "sum" | "mean", number[]]>([
    ["token", "sum", [2, 1, 0, 4, 0.5, 0, 0]],
    ["turn", "sum", [2, 2, 0, 4, 0.5, 0, 0]],
    ["turn", "mean", [Math.SQRT2, Math.SQRT2, 0, 4, 0.5, 0, 0]],
    ["sequence", "sum", [8, 8, 0, 8, 0.5, 0, 0]],
    ["sequence", "mean", [2, 2, 0, 2, 0.5, 0, 0]],
  ])("by %s, %s", (level, aggregation, expected) => {
    const { weights, rawWeights, mask } = applyCorrection(BLOCK, {
      weight: { level, aggregation },
      steps: [],
    });
    expect(rounded(weights!)).toEqual(rounded(expected));
    expect(weights).toEqual(rawWeights);
    expect([...mask]).toEqual([1, 1, 0, 1, 1, 0, 0]);
  });

  it("are absent without importance sampling, and 1 where a step zeroes some", () => {
    expect(applyCorrection(BLOCK, { steps: [] }).weights).toBeUndefined();
    const { weights } = applyCorrection(BLOCK, {
      steps: [{ action: "zero", measure: measure("ratio", "token"), upper: 3 }],
    });
    expect([...weights!]).toEqual([1, 1, 0, 0, 1, 0, 0]);
  });

  it("keep the log-ratio beyond the bound that the weight has", () => {
    const block = makeBlock([
      [
        [15, 1],
        [12, 1],
      ],
      [[-800, 1]],
    ]);
    const { weights, logWeights } = applyCorrection(block, {
      weight: { level: "sequence", aggregation: "sum", logBound: 20 },
      steps: [],
    });
    expect([...weights!]).toEqual([Math.exp(20), Math.exp(20), Math.exp(-20)]);
    expect([...logWeights!.values]).toEqual([27, -800]);
  });
});

describe("steps", () => {
  const token = { level: "token", aggregation: "sum" } as const;

  it("come in the order in which they are written", () => {
    const truncate: Step = { action: "truncate", upper: 3 };
    const normalize: Step = { action: "normalize", over: "token" };
    const first = applyCorrection(BLOCK, { weight: token, steps: [truncate, normalize] });
    expect(first.steps[1]?.factor).toBe(6.5 / 4);
    expect(rounded(first.weights!)).toEqual(rounded([2, 1, 0, 3, 0.5, 0, 0].map((w) => w / 1.625)));
    const second = applyCorrection(BLOCK, { weight: token, steps: [normalize, truncate] });
    expect(second.steps[0]?.factor).toBe(7.5 / 4);
    expect(second.rawWeights).toEqual(first.rawWeights);
    expect(rounded(second.weights!)).toEqual(rounded([2, 1, 0, 4, 0.5, 0, 0].map((w) => w / 1.875)));
  });

  it("reject by turn and by sequence as a whole", () => {
    const rejecting = (level: Level, aggregation: Aggregation, upper: number): number[] => [
      ...applyCorrection(BLOCK, {
        steps: [{ action: "mask", measure: measure("k2", level, aggregation), upper }],
      }).mask,
    ];
    const k2 = LN2 ** 2 / 2;
    expect(rejecting("token", "sum", k2 * 1.01)).toEqual([1, 1, 0, 0, 1, 0, 0]);
    expect(rejecting("turn", "mean", k2 * 0.9)).toEqual([1, 1, 0, 0, 0, 0, 0]);
    expect(rejecting("sequence", "max", k2 * 3.9)).toEqual([0, 0, 0, 0, 1, 0, 0]);
    expect(rejecting("sequence", "mean", (k2 * 5.1) / 3)).toEqual([1, 1, 0, 1, 1, 0, 0]);
  });

  it("do not reject at a bound, and say what they measured", () => {
    const block = makeBlock([
      [
        [-0.5, 1],
        [0.5, 1],
        [9, 0],
        [0.75, 1],
      ],
    ]);
    const { mask, steps } = applyCorrection(block, {
      steps: [{ action: "mask", measure: measure("k1", "token"), lower: -0.5, upper: 0.5 }],
    });
    expect([...mask]).toEqual([1, 1, 0, 0]);
    const { values, rejected } = steps[0]!.measured!;
    expect([...values]).toEqual([0.5, -0.5, Number.NaN, -0.75]);
    expect([...rejected]).toEqual([0, 0, 0, 1]);
  });

  it("veto a sequence for one token, without regard to tokens of others", () => {
    const { mask, weights } = applyCorrection(BLOCK, {
      weight: token,
      steps: [
        { action: "veto", measure: { ...measure("ratio", "token"), level: "token" }, lower: 0.1, upper: 3 },
      ],
    });
    expect([...mask]).toEqual([0, 0, 0, 0, 1, 0, 0]);
    expect(rounded(weights!)).toEqual([2, 1, 0, 4, 0.5, 0, 0]);
  });

  it("take a batch's own divisor where it spans several blocks", () => {
    const correction: Correction = { weight: token, steps: [{ action: "normalize", over: "sequence" }] };
    const { rawWeights } = applyCorrection(BLOCK, { weight: token, steps: [] });
    expect(normalizerSums(BLOCK, rawWeights!, "sequence")).toEqual({ sum: 7 / 3 + 0.5, count: 2 });
    expect(rounded(applyCorrection(BLOCK, correction, { factor: 2 }).weights!)).toEqual([
      1, 0.5, 0, 2, 0.25, 0, 0,
    ]);
  });

  it("leave weights alone whose mean is 0", () => {
    const { weights, steps } = applyCorrection(BLOCK, {
      weight: token,
      steps: [
        { action: "zero", measure: "weight", lower: 100 },
        { action: "normalize", over: "token" },
      ],
    });
    expect(steps[1]?.factor).toBe(1);
    expect([...weights!]).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it("look at the sign of advantages", () => {
    const advantages = Float64Array.of(1, 1, 1, 1, -1, 0, 0);
    const rejecting = (when: "positive" | "negative"): number[] => [
      ...applyCorrection(
        { ...BLOCK, advantages },
        { steps: [{ action: "mask", measure: measure("k3", "sequence", "mean"), upper: 0.1, when }] },
      ).mask,
    ];
    expect(rejecting("positive")).toEqual([0, 0, 0, 0, 1, 0, 0]);
    expect(rejecting("negative")).toEqual([1, 1, 0, 1, 0, 0, 0]);
  });
});

describe("what is not a number or not finite", () => {
  const broken = makeBlock([
    [
      [Number.NaN, 1],
      [0, 1],
    ],
    [
      [Number.POSITIVE_INFINITY, 1],
      [0, 1],
    ],
    [
      [Number.NEGATIVE_INFINITY, 1],
      [0, 1],
    ],
    [
      [Number.NaN, 0],
      [0, 1],
    ],
  ]);

  it("is rejected by bounds, not by a veto, and stays NaN as a weight", () => {
    const veto = { ...measure("ratio", "token"), level: "token" } as const;
    const { weights, mask } = applyCorrection(broken, {
      weight: { level: "token", aggregation: "sum", logBound: 20 },
      steps: [
        { action: "truncate", upper: 2 },
        { action: "veto", measure: veto, lower: 1e-4, upper: 1e4 },
      ],
    });
    expect([...weights!]).toEqual([Number.NaN, 1, 2, 1, Math.exp(-20), 1, 0, 1]);
    expect([...mask]).toEqual([1, 1, 0, 0, 0, 0, 0, 1]);
    const bounded = applyCorrection(broken, {
      steps: [{ action: "mask", measure: { ...measure("k2", "token"), deltaBound: 20 }, upper: 250 }],
    });
    expect([...bounded.mask]).toEqual([0, 1, 1, 1, 1, 1, 0, 1]);
  });

  test.each<Aggregation>(["sum", "mean", "max"])("makes the %s of its sequence NaN", (aggregation) => {
    const { steps, mask } = applyCorrection(broken, {
      steps: [{ action: "mask", measure: measure("k2", "sequence", aggregation), upper: 1 }],
    });
    const infinite = Number.POSITIVE_INFINITY;
    expect([...steps[0]!.measured!.values]).toEqual([Number.NaN, infinite, infinite, 0]);
    expect([...mask]).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });
});

describe("refuses", () => {
  it("bounds and steps that contradict each other", () => {
    const refused: readonly [Correction, RegExp][] = [
      [{ steps: [{ action: "truncate", upper: 2 }] }, /no weight/],
      [{ steps: [{ action: "normalize", over: "token" }] }, /no weights/],
      [{ steps: [{ action: "mask", measure: measure("k1", "token") }] }, /no bound/],
      [
        { steps: [{ action: "mask", measure: measure("k1", "token"), lower: 2, upper: 0.5 }] },
        /2 above .* 0\.5/,
      ],
      [
        { steps: [{ action: "mask", measure: measure("ratio", "token"), upper: -1 }] },
        /bounds a ratio by -1/,
      ],
      [{ steps: [{ action: "mask", measure: measure("k2", "token"), upper: Number.NaN }] }, /not a number/],
    ];
    for (const [correction, message] of refused) {
      expect(() => applyCorrection(BLOCK, correction)).toThrow(UsageError);
      expect(() => applyCorrection(BLOCK, correction)).toThrow(message);
    }
  });

  it("columns that do not align, and a rule about advantages without any", () => {
    const rule: Correction = {
      steps: [{ action: "mask", measure: measure("k1", "token"), upper: 1, when: "positive" }],
    };
    expect(() => applyCorrection({ ...BLOCK, mask: BLOCK.mask.subarray(1) }, { steps: [] })).toThrow(
      LengthMismatchError,
    );
    expect(() => applyCorrection(BLOCK, rule)).toThrow(SchemaError);
    expect(() => applyCorrection({ ...BLOCK, advantages: new Float64Array(2) }, rule)).toThrow(
      "7 rollout log-probs, 2 advantages",
    );
  });
});

test("a block without rows has nothing to correct", () => {
  const { weights, mask } = applyCorrection(makeBlock([]), {
    weight: { level: "turn", aggregation: "mean" },
    steps: [{ action: "mask", measure: measure("k3", "sequence", "max"), upper: 1 }],
  });
  expect([weights!.length, mask.length]).toEqual([0, 0]);
});

/** A token of the direct computation below: objects and lists where the real one has columns and offsets. */
interface Token {
  readonly delta: number;
  weight: number;
  kept: boolean;
}

/** The groups of tokens with mask 1 that share a value. */
function groups(rows: readonly (readonly (Token | null)[])[], level: Level): Token[][] {
  const isToken = (token: Token | null): token is Token => token !== null;
  if (level === "sequence") return rows.map((row) => row.filter(isToken)).filter((row) => row.length > 0);
  const turns = rows.flatMap((row) => {
    const found: Token[][] = [[]];
    for (const token of row) {
      if (token) found.at(-1)!.push(token);
      else found.push([]);
    }
    return found.filter((turn) => turn.length > 0);
  });
  return level === "turn" ? turns : turns.flat().map((token) => [token]);
}

function direct(
  rows: readonly (readonly (readonly [number, number])[])[],
  { weight, steps }: Correction,
): Token[][] {
  const table = rows.map((row) =>
    row.map(([delta, mask]): Token | null => (mask ? { delta: delta - 2 + 2, weight: 0, kept: true } : null)),
  );
  const aggregated = (tokens: readonly Token[], of: Omit<Measure, "level">): number => {
    const { statistic, aggregation, deltaBound = 1e9 } = of;
    const figures = tokens.map(({ delta }) => {
      const d = Math.max(-deltaBound, Math.min(deltaBound, delta));
      return { ratio: d, k1: -d, k2: d ** 2 / 2, k3: Math.expm1(d) - d }[
        statistic as "ratio" | "k1" | "k2" | "k3"
      ];
    });
    const sum = figures.reduce((a, b) => a + b, 0);
    return { sum, mean: sum / figures.length, max: Math.max(...figures) }[aggregation];
  };
  const value = (tokens: readonly Token[], of: Measure): number =>
    of.statistic === "ratio" ? Math.exp(aggregated(tokens, of)) : aggregated(tokens, of);
  const outside = (
    x: number,
    { lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY }: Bounds,
  ) => x < lower || x > upper;
  for (const tokens of groups(table, weight!.level)) {
    const log = aggregated(tokens, { statistic: "ratio", aggregation: weight!.aggregation });
    const bounded = Math.min(weight!.logBound!, Math.max(-weight!.logBound!, log));
    for (const token of tokens) token.weight = Math.exp(bounded);
  }
  for (const step of steps) {
    const own = step.action === "truncate" || step.action === "normalize" ? "weight" : step.measure;
    const level = step.action === "veto" ? "sequence" : own === "weight" ? weight!.level : own.level;
    const found = groups(table, level);
    const means = found.map((tokens) => tokens.reduce((sum, token) => sum + token.weight, 0) / tokens.length);
    const mean = means.reduce((a, b) => a + b, 0) / means.length;
    for (const tokens of found) {
      const x = own === "weight" ? tokens[0]!.weight : value(tokens, own);
      const gone =
        step.action === "veto"
          ? tokens.some((token) => outside(value([token], step.measure), step))
          : step.action !== "normalize" && outside(x, step);
      for (const token of tokens) {
        if (step.action === "normalize") token.weight /= mean > 1e-8 ? mean : 1;
        else if (step.action === "truncate")
          token.weight = Math.min(step.upper!, Math.max(step.lower!, token.weight));
        else if (gone && step.action === "zero") token.weight = 0;
        else if (gone) token.kept = false;
      }
    }
  }
  return table.map((row) => row.map((token) => token ?? { delta: 0, weight: 0, kept: false }));
}

const level = fc.constantFrom<Level>("token", "turn", "sequence");
const bounds = fc
  .tuple(fc.double({ min: 0.05, max: 1, noNaN: true }), fc.double({ min: 1, max: 8, noNaN: true }))
  .map(([lower, upper]) => ({ lower, upper }));
const anyMeasure = fc.record({
  statistic: fc.constantFrom<Statistic>("ratio", "k1", "k2", "k3"),
  level,
  aggregation: fc.constantFrom<Aggregation>("sum", "mean", "max"),
  deltaBound: fc.constantFrom(0.5, 20),
});
const anyStep = fc.oneof(
  bounds.map((each): Step => ({ action: "truncate", ...each })),
  fc.tuple(fc.constantFrom("zero", "mask"), fc.oneof(anyMeasure, fc.constant("weight")), bounds).map(
    ([action, of, { lower, upper }]) =>
      ({
        action,
        measure: of,
        ...(of === "weight" || (of as Measure).statistic === "ratio"
          ? { lower, upper }
          : { lower: -upper / 4, upper: upper / 4 }),
      }) as Step,
  ),
  bounds.map(
    (each): Step => ({
      action: "veto",
      measure: { statistic: "ratio", level: "token", aggregation: "mean" },
      ...each,
    }),
  ),
);
const anyCorrection: fc.Arbitrary<Correction> = fc
  .tuple(
    fc.record({ level, aggregation: fc.constantFrom("sum", "mean"), logBound: fc.constantFrom(1, 20) }),
    fc.array(anyStep, { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([weight, steps, normalized]) => ({
    weight,
    // Means of weights over turns are not a step of the neutral form.
    steps:
      normalized && weight.level !== "turn" ? [...steps, { action: "normalize", over: weight.level }] : steps,
  })) as fc.Arbitrary<Correction>;
const anyRows = fc.array(
  fc.array(
    fc.tuple(
      fc.oneof(fc.double({ min: -2, max: 2, noNaN: true }), fc.constantFrom(0, 25, -25, 1e-6)),
      fc.constantFrom(0, 1, 1, 1),
    ),
    { maxLength: 12 },
  ),
  { maxLength: 6 },
);

test("any correction does what a direct computation by lists does", () => {
  fc.assert(
    fc.property(anyRows, anyCorrection, (rows, correction) => {
      const { weights, mask } = applyCorrection(makeBlock(rows), correction);
      const wanted = direct(rows, correction).flat();
      expect([...mask]).toEqual(wanted.map(({ kept }) => (kept ? 1 : 0)));
      wanted.forEach(({ weight }, t) => {
        expect(Math.abs(weights![t]! - weight)).toBeLessThanOrEqual(1e-12 * Math.abs(weight));
      });
    }),
    { numRuns: 500 },
  );
});

test("sequences do not depend on each other, but for normalization", () => {
  fc.assert(
    fc.property(anyRows, anyCorrection, (rows, { weight, steps }) => {
      const correction = {
        ...(weight && { weight }),
        steps: steps.filter(({ action }) => action !== "normalize"),
      };
      const whole = applyCorrection(makeBlock(rows), correction);
      const single = rows.map((row) => applyCorrection(makeBlock([row]), correction));
      expect([...whole.mask]).toEqual(single.flatMap(({ mask }) => [...mask]));
      expect([...whole.weights!]).toEqual(single.flatMap(({ weights }) => [...weights!]));
    }),
    { numRuns: 200 },
  );
});

test("a sequence without tokens is not rejected, whatever its bounds: there is nothing to lose", () => {
  for (const level of ["sequence", "turn"] as const) {
    for (const bounds of [{ lower: 100 }, { upper: 1e-3 }]) {
      const rule: Step = { action: "mask", measure: measure("ratio", level), ...bounds };
      const { segments, rejected } = applyCorrection(BLOCK, { steps: [rule] }).steps[0]!.measured!;
      const lengths = [...segments.starts].map((start, i) => segments.ends[i]! - start);
      expect([...rejected]).toEqual(lengths.map((length) => (length === 0 ? 0 : 1)));
      if (level === "sequence") expect(lengths).toContain(0);
    }
  }
});

test("weights whose mean is 1e-8 or below stay as they are, and above it are divided by it", () => {
  const normalized = (delta: number) =>
    applyCorrection(
      makeBlock([
        [
          [delta, 1],
          [delta, 1],
        ],
      ]),
      {
        weight: { level: "token", aggregation: "sum" },
        steps: [{ action: "normalize", over: "token" }],
      },
    );
  const [above, below] = [normalized(Math.log(1.01e-8)), normalized(Math.log(0.99e-8))];
  expect(above.weights![0]).toBeCloseTo(1, 12);
  expect(above.steps[0]!.factor! / 1.01e-8).toBeCloseTo(1, 9);
  expect(below.weights![0]! / 0.99e-8).toBeCloseTo(1, 9);
  expect(below.steps[0]!.factor).toBe(1);
});
