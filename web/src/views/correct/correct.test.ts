import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import type { Bounds, Correction, Level, Step } from "../../../../src/trainers/neutral/correction.ts";
import { formatCorrection, parseCorrection } from "../../../../src/trainers/neutral/text.ts";
import { correctionParams, readCorrection, usualBounds, withStatistic } from "../../state/correction.ts";
import { type AxisName, linesOn, mainAxis, moveLine } from "../../state/lines.ts";
import { deltaTicks } from "../../ui/histogram/axis.ts";
import type { Figures } from "./figures.ts";
import { binned, type MadeSequence, makeTable, type NaiveFigures, naively } from "./naive.test-data.ts";
import { isOn } from "./pieces.ts";
import { makeAxis, prepare } from "./prepared.ts";
import { type RowGroups, rowGroups, sequenceFigures, vetoedShares } from "./sequence-sums.ts";
import { tokenFigures, tokenSums } from "./token-sums.ts";

const delta = fc.double({ min: -1.5, max: 1.5, noNaN: true });
const sequence = (correct: number): fc.Arbitrary<MadeSequence> =>
  fc.record({
    correct: fc.constant(correct),
    reward: fc.constantFrom(-1, 0, 0.5, 0.7, 1, 2),
    deltas: fc.array(delta, { minLength: 1, maxLength: 20 }),
  });
const run = fc
  .tuple(
    fc.array(sequence(1), { minLength: 1, maxLength: 8 }),
    fc.array(sequence(0), { minLength: 1, maxLength: 8 }),
  )
  .map(([right, wrong]) => [...right, ...wrong]);
const bounds = fc
  .record({
    lower: fc.double({ min: 0.3, max: 0.99, noNaN: true }),
    upper: fc.double({ min: 1.001, max: 3, noNaN: true }),
  })
  .chain((both) => fc.constantFrom<Bounds>({ lower: both.lower }, { upper: both.upper }, both));

/** Corrections on one level: weights on that level or none, and up to three steps. */
function corrections(level: Level, range: fc.Arbitrary<Bounds> = bounds): fc.Arbitrary<Correction> {
  const aggregation =
    level === "token" ? fc.constant("sum" as const) : fc.constantFrom("sum", "mean" as const);
  const action = fc.constantFrom("mask", "zero" as const);
  const reject = fc
    .record({ action, aggregation, bounds: range })
    .map(({ action, aggregation, bounds }): Step => {
      return { action, measure: { statistic: "ratio", level, aggregation }, ...bounds };
    });
  const onWeight: fc.Arbitrary<Step> = fc.oneof(
    range.map((own): Step => ({ action: "truncate", ...own })),
    fc.record({ action, own: range }).map(({ action, own }): Step => ({ action, measure: "weight", ...own })),
  );
  return fc.oneof(
    fc.array(reject, { maxLength: 2 }).map((steps) => ({ steps })),
    fc
      .record({ aggregation, steps: fc.array(fc.oneof(reject, onWeight), { maxLength: 3 }) })
      .map(({ aggregation, steps }) => ({ weight: { level, aggregation }, steps: clampFirst(steps) })),
  );
}

/** Puts truncations to a lower bound before steps that zero, because they would raise a weight of 0 again. */
function clampFirst(steps: readonly Step[]): Step[] {
  return [...steps].sort((a, b) => Number(b.action === "truncate") - Number(a.action === "truncate"));
}

function compared(figures: Figures): NaiveFigures {
  const { kept, clipped, ess, meanWeight = Number.NaN, dropped, byLength, byReward } = figures;
  return {
    ...{ kept, clipped, ess, meanWeight, droppedRight: dropped.right!, droppedWrong: dropped.wrong! },
    byLength: byLength.map((part) => part.dropped),
    byReward: byReward.map((part) => part.dropped),
  };
}

function groupsIn(made: readonly MadeSequence[]): RowGroups {
  return rowGroups(makeTable(made), binned(made, 12));
}

function expectClose(actual: NaiveFigures, wanted: NaiveFigures, within: number): void {
  for (const [name, value] of Object.entries(wanted)) {
    const own = actual[name as keyof NaiveFigures];
    if (typeof own !== "number") {
      expect(own, name).toHaveLength(value.length);
      for (const [at, share] of own.entries()) expect(share, name).toBeCloseTo(value[at], 6);
    } else if (Number.isNaN(value)) expect(Number.isNaN(own), name).toBe(true);
    else expect(Math.abs(own - value), `${name}: ${own}, ${value}`).toBeLessThanOrEqual(within);
  }
}

describe("corrections of sequences", () => {
  it("equal what a loop over all tokens gives", () => {
    fc.assert(
      fc.property(run, corrections("sequence"), (made, correction) => {
        expect(isOn(correction, ["sum", "mean"])).toBe(true);
        const figures = compared(sequenceFigures(makeTable(made), correction, groupsIn(made)));
        expectClose(figures, naively(made, correction), 1e-9);
      }),
    );
  });

  it("split the dropped tokens by length and by reward, and the parts add up", () => {
    fc.assert(
      fc.property(run, corrections("sequence"), (made, correction) => {
        const figures = sequenceFigures(makeTable(made), correction, groupsIn(made));
        for (const parts of [figures.byLength, figures.byReward]) {
          const dropped = parts.reduce((sum, part) => sum + part.tokens * part.dropped, 0);
          expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(figures.tokens);
          expect(dropped / figures.tokens).toBeCloseTo(1 - figures.kept, 9);
        }
      }),
    );
  });

  it("drop at most the sequences with a token beyond the veto", () => {
    const made = [
      { correct: 1, deltas: [-10, 0, 0] },
      { correct: 0, deltas: [0, 0] },
      { correct: 0, deltas: [10, 0, 0] },
    ];
    const table = makeTable(made);
    expect(vetoedShares(table, -Math.log(1e-4), groupsIn(made))).toEqual({
      sides: { right: 1, wrong: 0.6, unknown: 0 },
      byLength: [0, 1],
      byReward: [],
    });
    const vetoing = parseCorrection("veto:ratio:0.0001..");
    const { kept, vetoedAtMost } = sequenceFigures(table, vetoing, groupsIn(made));
    expect([kept, vetoedAtMost]).toEqual([0.25, 0.75]);
  });
});

describe("corrections of tokens", () => {
  const sums = (made: readonly MadeSequence[]) => tokenSums(binned(made, 102));

  it("equal what a loop over all tokens gives if bounds are edges of bins", () => {
    const edges = fc
      .tuple(fc.integer({ min: 1, max: 49 }), fc.integer({ min: 51, max: 99 }))
      .map(([low, high]) => [low, high].map((at) => Math.exp(-1 + (2 * at) / 100)))
      .chain(([lower, upper]) =>
        fc.constantFrom<Bounds>({ lower: lower! }, { upper: upper! }, { lower: lower!, upper: upper! }),
      );
    fc.assert(
      fc.property(run, corrections("token", edges), (made, correction) => {
        expect(isOn(correction, ["token"])).toBe(true);
        expectClose(
          compared(tokenFigures(sums(made), correction, undefined)),
          naively(made, correction),
          1e-9,
        );
      }),
    );
  });

  it("differ by at most the tokens in the bins that contain a bound", () => {
    fc.assert(
      fc.property(run, corrections("token"), (made, correction) => {
        const { edges } = binned(made, 102);
        const figures = compared(tokenFigures(sums(made), correction, undefined));
        const naive = naively(made, correction);
        const findBin = (log: number): number => edges.filter((at) => at !== null && at <= log).length;
        const held = new Set(linesOn(correction, "token").map(({ at }) => findBin(at)));
        const all = made.flatMap(({ deltas }) => deltas);
        const unsure = all.filter((each) => held.has(findBin(each))).length / all.length;
        expect(Math.abs(figures.kept - naive.kept)).toBeLessThanOrEqual(unsure + 1e-9);
        expect(Math.abs(figures.clipped - naive.clipped)).toBeLessThanOrEqual(unsure + 1e-9);
      }),
    );
  });

  it("can compare k3 with a bound", () => {
    const made = [{ correct: 1, deltas: Array.from({ length: 1000 }, (_, i) => -1 + i / 500) }];
    const correction = parseCorrection("mask:token.k3:..0.1");
    const { kept } = tokenFigures(sums(made), correction, undefined);
    expect(kept).toBeCloseTo(naively(made, correction).kept, 2);
  });

  it("know where the tails begin", () => {
    const made = [{ correct: 1, deltas: Array.from({ length: 1000 }, (_, i) => -0.5 + i / 1000) }];
    const wide = tokenSums(binned(made, 402));
    expect(wide.quantile(0.01)).toBeCloseTo(-0.49, 1);
    expect(wide.quantile(0.99)).toBeCloseTo(0.49, 1);
  });
});

it("an axis reaches the furthest value, however rare, and has a label near its end", () => {
  const deltas = [-10.7, ...Array.from({ length: 50_000 }, (_, i) => -0.02 + i / 1_250_000)];
  const table = madeTable([{ tokens: deltas.length, delta_abs_max: 10.7, worst_token: 0, delta_sum: -3 }]);
  const prepared = prepare(table, binned([{ correct: 1, deltas }], 402));
  const correction = parseCorrection("weight:token truncate:..2");
  const { reach } = makeAxis(prepared, correction, "token");
  expect(reach).toBe(10.7);
  expect(Math.min(...deltaTicks(reach).filter((tick) => tick >= -reach))).toBe(-10);
  expect(makeAxis(prepared, parseCorrection("weight:sequence"), "sum").reach).toBe(3);
});

describe("another statistic of a step", () => {
  it("is guarded if it is a binary KL, and only then", () => {
    const ratio = { statistic: "ratio", level: "sequence", aggregation: "mean" } as const;
    const kl = withStatistic(ratio, "binary_kl");
    expect(kl).toEqual({ ...ratio, statistic: "binary_kl", probBound: 1e-6 });
    expect(withStatistic({ ...kl, restShift: 1e-8 }, "k3")).toEqual({ ...ratio, statistic: "k3" });
    expect(usualBounds(kl)).toEqual({ upper: 0.01 });
    expect(usualBounds({ ...kl, level: "token" })).toEqual({ upper: 0.05 });
  });
});

describe("what the prepared sums cannot give", () => {
  it.each([
    "weight:turn",
    "mask:turn.mean.k2:..1",
    "mask:token.prob_diff:..0.1",
    "mask:token.binary_kl:..0.1",
    "mask:token.ratio:..2:positive",
    "weight:token mask:sequence.mean.ratio:..1.1",
    "mask:sequence.mean.k3:..1",
  ])("%s", (text) => {
    const correction = parseCorrection(text);
    expect([isOn(correction, ["token"]), isOn(correction, ["sum", "mean"])]).toEqual([false, false]);
  });
});

describe("lines on an axis", () => {
  it.each<[string, AxisName, string[]]>([
    ["weight:token truncate:..2", "token", ["1 truncate above"]],
    ["weight:token zero:weight:0.5..2", "token", ["1 zero below", "1 zero above"]],
    ["mask:sequence.mean.ratio:0.9..1.1", "mean", ["1 mask below", "1 mask above"]],
    ["mask:sequence.sum.k1:..0.1", "sum", ["1 mask below"]],
    ["mask:token.k3:..0.1", "token", ["1 mask below", "1 mask above"]],
    ["mask:turn.mean.ratio:..2", "token", []],
  ])("%s", (text, axis, labels) => {
    const correction = parseCorrection(text);
    expect(mainAxis(correction)).toBe(axis);
    expect(linesOn(correction, axis).map(({ label }) => label)).toEqual(labels);
  });

  it("move their own bound, but never across the other", () => {
    const move = (text: string, at: number, to: number): string => {
      const correction = parseCorrection(text);
      return formatCorrection(moveLine(correction, linesOn(correction, mainAxis(correction))[at]!, to));
    };
    expect(move("mask:token.ratio:0.5..2", 0, Math.log(0.75))).toBe("mask:token.ratio:0.75..2");
    expect(move("mask:token.ratio:0.5..2", 0, 3)).toBe("mask:token.ratio:2..2");
    expect(move("mask:token.ratio:0.5..2", 1, -3)).toBe("mask:token.ratio:0.5..0.5");
    expect(move("mask:sequence.mean.k1:-0.1..0.2", 0, -0.05)).toBe("mask:sequence.mean.k1:-0.1..0.05");
    expect(move("mask:token.k2:..0.5", 1, 2)).toBe("mask:token.k2:..2");
  });
});

describe("a correction in the address", () => {
  it("comes back as it was", () => {
    fc.assert(
      fc.property(corrections("sequence"), (correction) => {
        expect(readCorrection(correctionParams(correction)).correction).toEqual(correction);
      }),
    );
    expect(readCorrection({})).toEqual({ correction: undefined });
  });

  it("says what is wrong with one written by hand", () => {
    expect(readCorrection({ correction: "weight:planet" })).toMatchObject({
      correction: undefined,
      problem: expect.stringMatching(/no level "planet"/) as string,
    });
  });
});
