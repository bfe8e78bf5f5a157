import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { corrections } from "../../analyses/sweep/random.test-data.ts";
import { PRESETS } from "../presets.ts";
import { completeSettings } from "../shared/settings.ts";
import type { Correction } from "./correction.ts";
import { formatCorrection, parseCorrection } from "./text.ts";

/** A token has nothing to aggregate, and text does not say how. */
function withoutTokenAggregation({ weight, steps }: Correction): Correction {
  return {
    ...(weight && { weight: weight.level === "token" ? { ...weight, aggregation: "sum" } : weight }),
    steps: steps.map((step) =>
      "measure" in step &&
      step.measure !== "weight" &&
      step.measure.level === "token" &&
      step.action !== "veto"
        ? { ...step, measure: { ...step.measure, aggregation: "sum" } }
        : step.action === "veto"
          ? { ...step, measure: { ...step.measure, aggregation: "sum" } }
          : step,
    ),
  };
}

const TIS: Correction = {
  weight: { level: "token", aggregation: "sum" },
  steps: [{ action: "truncate", upper: 2 }],
};

describe("a correction as text", () => {
  it("parses to the same correction, whatever it says", () => {
    fc.assert(
      fc.property(corrections, (correction) => {
        const text = formatCorrection(correction);
        const { over: _, ...rest } = { over: undefined, ...correction };
        const wanted = withoutTokenAggregation(rest);
        // A veto has no `over`: it is about single tokens.
        const steps = wanted.steps.map((step) => {
          if (step.action !== "veto") return step;
          const { over: _, ...measure } = step.measure;
          return { ...step, measure };
        });
        expect(parseCorrection(text)).toEqual({ ...wanted, steps });
        expect(formatCorrection(parseCorrection(text))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  it("says the same however it is spaced and its numbers are written", () => {
    const spaced = "  weight:token \t truncate:0.50..2e0  veto:ratio:1e-4..\n";
    expect(formatCorrection(parseCorrection(spaced))).toBe(
      "weight:token truncate:0.5..2 veto:ratio:0.0001..",
    );
  });

  test.each([
    ["tis", "weight:token truncate:..2"],
    ["tis:0.5..3", "weight:token truncate:0.5..3"],
    ["icepop", "weight:token zero:weight:0.5..5"],
    ["mis:..4 veto:ratio:1e-4..", "weight:token mask:weight:..4 veto:ratio:0.0001.."],
  ])("reads %s as short for %s", (short, text) => {
    expect(formatCorrection(parseCorrection(short))).toBe(text);
  });

  it("holds what every trainer ships", () => {
    for (const preset of PRESETS) {
      const correction = preset.correction(completeSettings(preset, {}));
      expect(formatCorrection(parseCorrection(formatCorrection(correction)))).toBe(
        formatCorrection(correction),
      );
    }
  });

  test.each<[string, Correction]>([
    ["none", { steps: [] }],
    ["weight:token truncate:..2", TIS],
    ["weight:sequence.mean", { weight: { level: "sequence", aggregation: "mean" }, steps: [] }],
    [
      "zero:sequence.mean.k1:..0.001:negative:nan",
      {
        steps: [
          {
            action: "zero",
            measure: { statistic: "k1", level: "sequence", aggregation: "mean" },
            upper: 0.001,
            when: "negative",
            nan: "kept",
          },
        ],
      },
    ],
    [
      "veto:ratio:1e-7..1e21",
      {
        steps: [
          {
            action: "veto",
            measure: { statistic: "ratio", level: "token", aggregation: "sum" },
            lower: 1e-7,
            upper: 1e21,
          },
        ],
      },
    ],
  ])("%s", (text, correction) => {
    expect(parseCorrection(text)).toEqual(correction);
    expect(formatCorrection(correction)).toBe(text);
  });

  test.each([
    ["", /empty/],
    ["truncate:..2", /no weight/],
    ["weight:planet", /no level "planet"; known: token, turn, sequence/],
    ["weight:token weight:turn", /the one weight comes first/],
    ["weight:sequence.max", /no aggregation of a weight "max"/],
    ["drop:token.ratio:..2", /must begin with one of weight, truncate/],
    ["mask:token.k4:..1", /no statistic "k4"; known: ratio/],
    ["mask:sequence.ratio:..1", /LEVEL\.AGGREGATION\.STATISTIC/],
    ["mask:token.sum.ratio:..1", /token\.STATISTIC/],
    ["mask:token.ratio", /a range is missing/],
    ["mask:token.ratio:2", /"2" is not a range/],
    ["mask:token.ratio:..", /no bound/],
    ["mask:token.ratio:..two", /"two" is not a number/],
    ["mask:token.ratio:..Infinity", /not a number/],
    ["mask:token.ratio:2..0.5", /lower bound 2 above its upper bound 0\.5/],
    ["mask:token.ratio:..2:sometimes", /no option "sometimes" here/],
    ["mask:token.ratio:..2:positive:negative", /no option "negative"/],
    ["normalize:batch", /no divisor "batch"; known: token, sequence, every-sequence/],
    ["weight:token truncate:..2:..3", /no option "\.\.3" here/],
    ["__proto__:x", /must begin with/],
    ["tis:", /range/],
    ["weight:token truncate:..2 truncate:..x", '"truncate:..x" (part 3): "x" is not a number'],
    ["truncate:..x truncate:..2", '"truncate:..x" (part 1): "x" is not a number'],
  ])("%s is refused, and why", (text, why) => {
    expect(() => parseCorrection(text)).toThrow(why);
  });
});
