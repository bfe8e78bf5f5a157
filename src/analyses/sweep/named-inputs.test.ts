import { describe, expect, it } from "vitest";
import type { Correction, Step } from "../../trainers/neutral/correction.ts";
import { PRESETS } from "../../trainers/presets.ts";
import type { Preset } from "../../trainers/shared/preset.ts";
import { buildSweep } from "./build-sweep.ts";
import { writeConfigs } from "./configs.ts";
import { coreRegion } from "./core-region.ts";
import { CorrectionSums } from "./correction-sums.ts";
import { DeltaMoments } from "./delta-moments.ts";
import { unsweepable } from "./evaluate.ts";
import { BASELINE, checkCorrections } from "./named-correction.ts";
import { parsePresetCorrection } from "./preset-correction.ts";
import { randomBatch } from "./random.test-data.ts";
import { RunCorrectionSums } from "./run-sums.ts";
import { Sweep } from "./sweep.ts";

const TOKEN = { level: "token", aggregation: "sum" } as const;
const RATIO = { statistic: "ratio", level: "token", aggregation: "sum" } as const;
const cap: Step = { action: "truncate", upper: 2 };
const mask: Step = { action: "mask", measure: { ...RATIO, statistic: "k3" }, upper: 0.1 };

describe("a correction of a trainer's settings", () => {
  it("is the preset as it stands, or with what is set after a colon", () => {
    const plain = parsePresetCorrection(" verl ", PRESETS);
    expect([plain.name, plain.methods, plain.preset?.name]).toEqual(["verl", ["verl"], "verl"]);
    const set = parsePresetCorrection("verl: rollout_is=token, rollout_is_threshold=5", PRESETS);
    expect(set.name).toBe("verl rollout_is=token rollout_is_threshold=5");
    expect(set.correction.steps).toContainEqual({ action: "truncate", upper: 5 });
    expect(parsePresetCorrection("xtuner:rollout_is_threshold=(5, 0.5)", PRESETS).name).toBe(
      "xtuner rollout_is_threshold=5,0.5",
    );
    expect(parsePresetCorrection("verl:", PRESETS).name).toBe("verl");
    expect(() => parsePresetCorrection("verl2:a=1", PRESETS)).toThrow('unknown preset "verl2"');
  });
});

describe("the corrections of a sweep", () => {
  it("begin with the baseline, and each has a name of its own", () => {
    const named = (name: string) => ({ name, methods: [], correction: { steps: [mask] } });
    expect(checkCorrections([named("a")]).map(({ name }) => name)).toEqual(["none", "a"]);
    expect(checkCorrections([named("a"), BASELINE]).map(({ name }) => name)).toEqual(["none", "a"]);
    expect(() => checkCorrections([named("a"), named("a")])).toThrow('two corrections are called "a"');
  });

  it("are refused by name where they contradict themselves, with the advice of the rule", () => {
    const wrong = { name: "odd", methods: [], correction: { steps: [cap] } };
    let own: unknown;
    let refusal: unknown;
    try {
      checkCorrections([wrong]);
    } catch (error) {
      refusal = error;
      own = (error as Error).cause;
    }
    expect(refusal).toMatchObject({
      message: `odd: ${(own as Error).message}`,
      likely: (own as { likely?: string }).likely,
      hint: (own as { hint?: string }).hint,
    });
  });

  it.each<[sweepable: boolean, steps: Step[]]>([
    [true, [cap, mask]],
    [true, [{ action: "zero", measure: "weight", upper: 2 }, cap]],
    [
      true,
      [
        { action: "truncate", lower: 0.5 },
        { action: "zero", measure: "weight", upper: 2 },
      ],
    ],
    [
      false,
      [
        { action: "zero", measure: "weight", upper: 2 },
        { action: "truncate", lower: 0.5 },
      ],
    ],
    [true, [mask, { action: "truncate", lower: 0.5 }]],
    [true, [cap, { action: "normalize", over: "token" }, mask]],
    [false, [{ action: "normalize", over: "token" }, cap]],
    [
      false,
      [
        { action: "normalize", over: "token" },
        { action: "mask", measure: "weight", upper: 2 },
      ],
    ],
  ])("can be summed: %j, of %j", (sweepable, steps) => {
    expect(unsweepable({ weight: TOKEN, steps }) === undefined).toBe(sweepable);
  });

  it("count the sequences of each file that was read", () => {
    const sweep = new Sweep([BASELINE]);
    sweep.add(randomBatch(1, 20, 1));
    const source = { file: "random", format: "npz", trainer: "verl" } as never;
    const other = { file: "other.npz", format: "npz", trainer: "verl" } as never;
    const { sources } = buildSweep({ run: "r", sweep, presets: [], findings: [], sources: [source, other] });
    expect(sources.map(({ sequences }) => sequences)).toEqual([20, 0]);
  });
});

describe("why a trainer has no settings for a correction", () => {
  const why = (correction: Correction, canDo: (asked: Correction) => boolean) => {
    const preset = {
      name: "toy",
      trainer: "Toy",
      express: (asked: Correction) => (canDo(asked) ? {} : undefined),
    } as unknown as Preset;
    return writeConfigs(correction, [preset]).inexpressible[0]!.why;
  };

  it("names what would be possible: the other rejection, the rest, the rejection alone", () => {
    const both: Correction = { weight: TOKEN, steps: [cap, mask] };
    const zero: Correction = { weight: TOKEN, steps: [cap, { ...mask, action: "zero" } as Step] };
    const zeroes = ({ steps }: Correction) => steps.some(({ action }) => action === "zero");
    expect(why(both, zeroes)).toMatch(/^sets the weight of what it rejects to 0 instead of masking it/);
    expect(why(zero, (asked) => !zeroes(asked))).toMatch(/^masks what it rejects instead of setting/);
    expect(why(both, ({ steps }) => steps.length === 1 && steps[0] === cap)).toMatch(
      /^has the rest, but not: .*k3/,
    );
    expect(why(both, ({ weight, steps }) => weight === undefined && steps.length === 1)).toBe(
      "has the rejection, but not together with these weights",
    );
    expect(why(both, () => false)).toBe("has no settings that do this");
  });
});

describe("the tokens that every correction treats alike", () => {
  const region = (steps: Step[], weight: object = {}) =>
    coreRegion([{ weight: { ...TOKEN, ...weight }, steps }, { steps: [] }]);

  it("lie within all bounds of single tokens, a little inside", () => {
    const { delta } = region([cap, { action: "mask", measure: RATIO, lower: 0.5, upper: 4 }]);
    expect(delta.low).toBeCloseTo(-Math.LN2, 9);
    expect(delta.high).toBeCloseTo(Math.LN2, 9);
    expect(delta.low).toBeGreaterThan(-Math.LN2);
    expect(delta.high).toBeLessThan(Math.LN2);
    expect(region([], { logBound: 3 }).delta.high).toBeCloseTo(3, 9);
    expect(region([], { deltaBound: 3 }).delta.low).toBeCloseTo(-3, 9);
    expect(
      region([{ action: "mask", measure: { ...RATIO, level: "sequence", deltaBound: 1 }, upper: 9 }]).delta
        .high,
    ).toBeCloseTo(1, 9);
  });

  it("are all where no rule looks at single tokens", () => {
    const everything = { low: -Infinity, high: Infinity };
    const sequence: Step = { action: "mask", measure: { ...RATIO, level: "sequence" }, upper: 2 };
    expect(coreRegion([{ steps: [sequence] }])).toEqual({
      delta: everything,
      probDiff: everything,
      divergingInTail: false,
      binaryKls: [],
      sums: new Map(),
    });
  });

  it("are told apart by Δp and by the sign of the advantage where a rule asks for them", () => {
    const diff: Step = { action: "mask", measure: { ...RATIO, statistic: "abs_prob_diff" }, upper: 0.1 };
    const turn: Step = {
      action: "mask",
      measure: { ...RATIO, level: "turn" },
      upper: 2,
      only: "diverging tokens",
    };
    const found = region([diff, turn]);
    expect(found.probDiff.high).toBeCloseTo(0.1, 9);
    expect(found.probDiff.low).toBeCloseTo(-0.1, 9);
    expect(found.divergingInTail).toBe(true);
    // A token within its own bounds is not rejected, whichever way its update goes.
    expect(region([{ ...mask, only: "diverging tokens" } as Step]).divergingInTail).toBe(false);
    const summed = (["k3", "k2", "error_ratio", "k3"] as const).map(
      (statistic): Step => ({
        action: "mask",
        measure: { statistic, level: "turn", aggregation: "mean" },
        upper: 9,
      }),
    );
    expect([...region(summed).sums.keys()]).toEqual(["k3", "error_ratio"]);
  });

  it("are told apart by the smallest bound on each binary KL, and none where its maximum or minimum is asked", () => {
    const kl = (more: object, bounds: object = { upper: 0.1 }): Step =>
      ({ action: "mask", measure: { ...RATIO, statistic: "binary_kl", ...more }, ...bounds }) as Step;
    const clamped = { probBound: 1e-6 };
    const found = region([kl({}), kl({}, { upper: 0.05 }), kl(clamped), kl({}, { upper: 0.2 })]);
    expect(found.binaryKls.map(({ figure, upper }) => [figure.probBound, upper])).toEqual([
      [undefined, 0.05],
      [1e-6, 0.1],
    ]);
    const mean = { level: "sequence", aggregation: "mean" } as const;
    expect(region([kl(mean), kl({ ...mean, ...clamped })]).sums.size).toBe(2);
    expect(region([kl(mean)]).delta.low).toBe(-Infinity);
    const isEmpty = ({ low, high }: { low: number; high: number }): boolean => low > high;
    expect(isEmpty(region([kl({ ...mean, aggregation: "max" })]).delta)).toBe(true);
    expect(isEmpty(region([kl({}, { lower: 0.01 })]).delta)).toBe(true);
  });
});

describe("sums of parts", () => {
  it("have what both dropped, by length and by turn", () => {
    const [one, other] = [new CorrectionSums(), new CorrectionSums()];
    one.droppedByLength[3] = 2;
    other.droppedByLength[3] = 5;
    other.droppedByTurn[1] = 7;
    const run = new RunCorrectionSums(0);
    run.add(one);
    run.add(other);
    const { droppedByLength, droppedByTurn } = run.fold();
    expect([droppedByLength[3], droppedByTurn[1], droppedByTurn[0]]).toEqual([7, 7, 0]);
  });

  it("have the variance between sequences of unequal lengths that analysis of variance has", () => {
    // Means 1 of two tokens and 4 of four: square between (2·1 + 4·16) − 18²/6 = 12, over 1; within 0.
    const moments = new DeltaMoments();
    moments.add(2, 2, 2);
    moments.add(4, 16, 64);
    moments.add(0, 0, 0);
    expect([moments.mean, moments.withinVariance]).toEqual([3, 0]);
    expect(moments.betweenVariance).toBeCloseTo(12 / (6 - 20 / 6), 12);
  });
});
