import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { at, closely } from "./closely.test-data.ts";
import { measureConfidence } from "./confidence.ts";
import { measureConsistency } from "./consistency.ts";
import type { Packing } from "./packing.ts";
import { measurePlaces, type PlaceBin } from "./places.ts";
import { measurePrefixes } from "./prefixes.ts";
import { measureRepeats, type Repeats } from "./repeats.ts";
import { measureScale } from "./scale.ts";
import { describeShape, type Figures, measureFigures, SHAPE, type ShapeName } from "./shape.ts";
import { measureSpread } from "./spread.ts";
import { measureStaleness } from "./staleness.ts";
import { measureTilt } from "./tilt.ts";
import { measureTraining, type ReferenceFigures } from "./training.ts";

const bin = (gap: number): PlaceBin => ({ position: 0, tokens: 1, gap, medianGap: gap, abs: gap });
const REPEATS: Repeats = {
  ...{ repeated: 0.3, fresh: -0.1, repeatedTokens: 10, freshTokens: 10, z: 4, scope: "response" },
  explained: 0.5,
};
const REFERENCE: ReferenceFigures = {
  ...{ tokens: 5, trainerEqual: 0, rolloutEqual: 0, trainerDistance: 0.01, rolloutDistance: 0.1 },
  ...{ alongTrainer: 0.8, alongRollout: 0.2 },
};
const PACKING: Packing = { of: "sequences", size: 2, soundGap: 0.1, otherGap: 1, sound: 4, other: 4, z: 5 };

/** Figures of which every number of the shape is another one. */
const BASE: Figures = (() => {
  const figures = measureFigures(makeView([]));
  return {
    spread: {
      ...figures.spread,
      ...{ meanAbs: 0.01, logitNoiseMedian: 0.1, asymmetry: 0.4, logitGap: [0.1, 0.5, 1] },
      ...{ unitMeanZ: 3, trainerSurprised: 0.001, rolloutSurprised: 0.01 },
    },
    confidence: {
      ...figures.confidence,
      ...{
        slope: 0.5,
        correlation: 0.6,
        decided: 20,
        positiveShare: 0.7,
        rolloutZero: 0.2,
        trainerZero: 0.3,
      },
      ...{ ratioBySureness: [0.9, 0.8, 0.7, Number.NaN] },
      rolloutSurplus: { value: 0.1, z: 5, tokens: 1, entropy: 1 },
    },
    places: {
      ...figures.places,
      ...{ early: 0.1, later: 0.01, bins: [1, 2, 3, 4, 5, 6, 7, 100].map(bin), packing: PACKING },
      ...{ promptLength: { r: 0.25, z: 2 }, rowGaps: [0.1, Number.NaN, 0.1, 1, 1], copied: 1, written: 0.1 },
    },
    prefixes: { ...figures.prefixes, pairs: 20, trainer: 0.1, rollout: 0.01, between: 1 },
    repeats: REPEATS,
    scale: null,
    tilt: figures.tilt,
    training: { advantage: { r: 0.35, z: 2, rows: 16 }, reference: REFERENCE },
    consistency: {
      ...{ byToken: 0.11, byPair: 0.12, byPrompt: 0.13, neighbors: 0.14, sureness: 0.15, turnStarts: 10 },
    },
    staleness: null,
  };
})();
const change = <K extends keyof Figures>(part: K, values: Partial<Figures[K]>): Figures => ({
  ...BASE,
  [part]: { ...BASE[part], ...values },
});
const number = (name: ShapeName, figures: Figures): number => describeShape(figures)[name];

it("measures every figure of the view", () => {
  const view = makeView([
    { rollout: [-1, -2, -3], trainer: [-1.5, -2, -2], ids: Int32Array.of(1, 2, 1) },
    { rollout: [-1, -2, -3], trainer: [-1.5, -1, -2], ids: Int32Array.of(1, 2, 2) },
  ]);
  expect(measureFigures(view)).toEqual({
    spread: measureSpread(view),
    tilt: measureTilt(view),
    confidence: measureConfidence(view),
    places: measurePlaces(view),
    prefixes: measurePrefixes(view),
    repeats: measureRepeats(view),
    scale: measureScale(view),
    training: measureTraining(view),
    consistency: measureConsistency(view),
    staleness: measureStaleness(view),
  });
});

it("is a list of numbers, most of them logarithms of ratios", () => {
  const shape = describeShape(BASE);
  expect(Object.keys(shape)).toEqual([...SHAPE]);
  expect(shape).toEqual(
    closely({
      ...{ level: -2, noise: -1, asymmetry: 0.4, concentration: Math.log10(1 / 0.100001) },
      ...{ slope: Math.log(0.5), scatter: Math.log10(0.64) + 2, positive: 0.7, bend: 3, early: 1 },
      position: Math.log10(53.5 / 1.5),
      prefixTrainer: Math.log10(0.1 / 1.000001),
      prefixRollout: Math.log10(0.01 / 1.000001),
      packing: Math.log10(1 / 0.100001),
      ...{ promptLength: 0.25, advantage: 0.35, alongTrainer: 0.8, referenceDistance: 1, repeats: 0.5 },
      ...{ zeros: 0.3, surplus: 5, trainerSurprised: -3, rolloutSurprised: -2 },
      // Quantiles of 15 % and 85 %: 0.1 and 1.
      ...{ rowSpread: Math.log10(1 / 0.100001), unitMean: 3 },
      ...{
        byToken: 0.11,
        byPair: 0.12,
        byPrompt: 0.13,
        neighbors: 0.14,
        sureness: 0.15,
        turnStarts: 1,
        copied: 1,
      },
    }),
  );
});

it.each<[ShapeName, Figures, number]>([
  ["level", change("spread", { meanAbs: 0 }), -8],
  ["noise", change("spread", { logitNoiseMedian: 0 }), -6],
  ["concentration", change("spread", { logitGap: [1, 1, 0.5] }), 0],
  ["concentration", change("spread", { logitGap: [0, 1, 1] }), 6],
  ["trainerSurprised", change("spread", { trainerSurprised: 0 }), -4],
  ["rolloutSurprised", change("spread", { rolloutSurprised: 0 }), -4],
  ["unitMean", change("spread", { unitMeanZ: 13 }), 12],
  ["unitMean", change("spread", { unitMeanZ: -13 }), -12],
  ["slope", change("confidence", { slope: 10 }), 1.5],
  ["slope", change("confidence", { slope: 0.1 }), -1.5],
  ["scatter", change("confidence", { correlation: 1 }), -5],
  ["scatter", change("spread", { logitNoiseMedian: 0 }), Math.log10(0.64) + 6],
  ["positive", change("confidence", { decided: 19 }), Number.NaN],
  ["zeros", change("confidence", { rolloutZero: 0.4 }), 0.4],
  [
    "surplus",
    change("confidence", { rolloutSurplus: { value: 0, z: 5, tokens: 0, entropy: 1 } }),
    Number.NaN,
  ],
  ["surplus", change("confidence", { rolloutSurplus: { value: 0, z: 13, tokens: 1, entropy: 1 } }), 12],
  ["early", change("places", { early: 0 }), -2],
  ["early", change("places", { later: 0 }), 3],
  ["packing", change("places", { packing: null }), Number.NaN],
  ["packing", change("places", { packing: { ...PACKING, otherGap: 0 } }), -1],
  ["packing", change("places", { packing: { ...PACKING, soundGap: 0 } }), 6],
  ["rowSpread", change("places", { rowGaps: [0, 0, 1, 1] }), 6],
  ["rowSpread", change("places", { rowGaps: [1, 1, 1] }), 0],
  ["copied", change("places", { written: 1e-4 }), 2],
  ["copied", change("places", { copied: 0 }), -2],
  ["turnStarts", change("consistency", { turnStarts: 1e4 }), 2],
  ["prefixTrainer", change("prefixes", { pairs: 19 }), Number.NaN],
  ["prefixRollout", change("prefixes", { pairs: 19 }), Number.NaN],
  ["prefixTrainer", change("prefixes", { trainer: 0 }), -3],
  ["prefixRollout", change("prefixes", { rollout: 0 }), -3],
  ["prefixTrainer", change("prefixes", { between: 0 }), 5],
  ["prefixRollout", change("prefixes", { between: 0 }), 4],
  ["advantage", change("training", { advantage: { r: 0.35, z: 2, rows: 15 } }), Number.NaN],
  ["alongTrainer", change("training", { reference: null }), Number.NaN],
  ["referenceDistance", change("training", { reference: null }), Number.NaN],
  ["referenceDistance", change("training", { reference: { ...REFERENCE, trainerDistance: 0 } }), 2],
  ["referenceDistance", change("training", { reference: { ...REFERENCE, trainerDistance: 0.001 } }), 2],
  ["referenceDistance", change("training", { reference: { ...REFERENCE, rolloutDistance: 0 } }), -2],
])("the %s of other figures", (name, figures, expected) => {
  expect(number(name, figures)).toEqual(closely(expected));
});

describe("the bend", () => {
  const bend = (...ratioBySureness: number[]) => number("bend", change("confidence", { ratioBySureness }));

  it("is the scale of the surest logits, less 1, over that of the least sure", () => {
    expect(bend(0.9, 0.8, 0.7, 0.85)).toBeCloseTo(1.5, 9);
    expect(bend(Number.NaN, 1.5, Number.NaN, 2)).toBeCloseTo(2, 9);
    expect(bend(1.5, 0.75)).toBeCloseTo(-0.5, 9);
    expect(bend(1.1, 9)).toBe(3);
    expect(bend(1.1, -9)).toBe(-3);
  });

  it("is not known of one ratio, or where nothing is scaled", () => {
    expect(bend(0.9, Number.NaN)).toBeNaN();
    expect(bend()).toBeNaN();
    expect(bend(1.019, 2)).toBeNaN();
    expect(bend(0.981, 2)).toBeNaN();
    expect(bend(1.025, 1.05)).toBeCloseTo(2, 9);
    expect(bend(0.975, 0.95)).toBeCloseTo(2, 9);
  });
});

describe("the level of the last positions over that of the first", () => {
  const position = (...gaps: number[]) => number("position", change("places", { bins: gaps.map(bin) }));

  it("is of a quarter of the bins, one at least", () => {
    expect(position(1, 5, 10)).toBeCloseTo(1, 9);
    expect(position(1, 9, 3, 4, 5, 6, 50, 50)).toBeCloseTo(1, 9);
    expect(position(1, 9, 9, 9, 9, 9, 10)).toBeCloseTo(1, 9);
    expect(position(1)).toBe(0);
  });

  it("has a floor, and is 0 without bins", () => {
    expect(position(0, 1)).toBeCloseTo(4, 9);
    expect(position(1, 0)).toBeCloseTo(-4, 9);
    expect(position()).toBe(0);
  });
});

describe("the contrast of repeated and new tokens", () => {
  const contrast = (more: Partial<Repeats>) =>
    number("repeats", { ...BASE, repeats: { ...REPEATS, ...more } });

  it("is their difference over the sum of their sizes, as far as it explains", () => {
    expect(contrast({ repeated: 0.3, fresh: 0.1 })).toBeCloseTo(0.25, 9);
    expect(contrast({ repeated: -0.3, fresh: 0.1 })).toBeCloseTo(-0.5, 9);
    expect(contrast({ repeated: 0, fresh: 0 })).toBe(0);
  });

  it("needs ten tokens of each, and ids", () => {
    expect(contrast({ freshTokens: 9 })).toBeNaN();
    expect(contrast({ repeatedTokens: 9 })).toBeNaN();
    expect(number("repeats", { ...BASE, repeats: null })).toBeNaN();
  });
});

it("has NaN where the data do not say", () => {
  const shape = describeShape(measureFigures(makeView([{ rollout: [at(0)] }])));
  const known = SHAPE.filter((name) => !Number.isNaN(shape[name]));
  expect(known).toEqual([
    ...["level", "noise", "asymmetry", "concentration", "position", "promptLength", "zeros"],
    ...["trainerSurprised", "rolloutSurprised", "unitMean"],
  ]);
});
