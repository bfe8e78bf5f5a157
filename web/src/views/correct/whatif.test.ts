import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Correction, Reject } from "../../../../src/trainers/neutral/correction.ts";
import { PRESETS, presetNamed } from "../../../../src/trainers/presets.ts";
import { completeSettings } from "../../../../src/trainers/shared/settings.ts";
import {
  boundsOf,
  hasBand,
  hasCap,
  LEVELS,
  METHODS,
  parseSetting,
  questionOf,
  type Setting,
  settingParams,
  withBound,
} from "../../state/setting.ts";
import { OFF_BY_DEFAULT, TRAINER_DEFAULTS } from "../../state/trainer-defaults.ts";
import type { Figures } from "./figures.ts";
import { binned, type MadeSequence, type NaiveFigures, naively, tableOf } from "./naive.test-data.ts";
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
const setting: fc.Arbitrary<Setting> = fc.record({
  level: fc.constantFrom(...LEVELS),
  method: fc.constantFrom(...METHODS),
  cap: fc.double({ min: 0.5, max: 3, noNaN: true }),
  low: fc.double({ min: 0.3, max: 0.99, noNaN: true }),
  high: fc.double({ min: 1, max: 3, noNaN: true }),
  veto: fc.constant(null),
});

function compared(figures: Figures): NaiveFigures {
  const { kept, clipped, ess, meanWeight, dropped, byLength, byReward } = figures;
  return {
    ...{ kept, clipped, ess, meanWeight, droppedRight: dropped.right!, droppedWrong: dropped.wrong! },
    byLength: byLength.map((part) => part.dropped),
    byReward: byReward.map((part) => part.dropped),
  };
}

function groupsIn(made: readonly MadeSequence[]): RowGroups {
  return rowGroups(tableOf(made), binned(made, 12));
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

describe("sequence and geometric level", () => {
  it("are what a loop over all tokens gives", () => {
    fc.assert(
      fc.property(
        run,
        setting,
        fc.constantFrom("sequence" as const, "geometric" as const),
        (made, any, level) => {
          const asked = { ...any, level };
          const table = tableOf(made);
          expectClose(compared(sequenceFigures(table, asked, groupsIn(made))), naively(made, asked), 1e-9);
        },
      ),
    );
  });

  it("part the drop by length and by reward, and the parts add up", () => {
    fc.assert(
      fc.property(run, setting, (made, any) => {
        const table = tableOf(made);
        const figures = sequenceFigures(table, { ...any, level: "sequence" }, groupsIn(made));
        for (const parts of [figures.byLength, figures.byReward]) {
          const dropped = parts.reduce((sum, part) => sum + part.tokens * part.dropped, 0);
          expect(parts.reduce((sum, part) => sum + part.tokens, 0)).toBe(figures.tokens);
          expect(dropped / figures.tokens).toBeCloseTo(1 - figures.kept, 9);
        }
      }),
    );
  });

  it("take at most the sequences with a token beyond the veto", () => {
    const made = [
      { correct: 1, deltas: [-10, 0, 0] },
      { correct: 0, deltas: [0, 0] },
      { correct: 0, deltas: [10, 0, 0] },
    ];
    const table = tableOf(made);
    expect(vetoedShares(table, 1e-4, groupsIn(made))).toEqual({
      sides: { right: 1, wrong: 0.6, unknown: 0 },
      byLength: [0, 1],
      byReward: [],
    });
    const vetoing: Setting = { level: "sequence", method: "none", cap: 2, low: 0.5, high: 2, veto: 1e-4 };
    const { kept, vetoedAtMost } = sequenceFigures(table, vetoing, groupsIn(made));
    expect([kept, vetoedAtMost]).toEqual([0.25, 0.75]);
  });
});

describe("token level", () => {
  it("is what a loop over all tokens gives where bounds lie on edges of bins", () => {
    const edge = fc.integer({ min: 1, max: 99 }).map((at) => Math.exp(-1 + (2 * at) / 100));
    fc.assert(
      fc.property(run, setting, edge, edge, edge, (made, any, a, b, cap) => {
        const asked: Setting = { ...any, level: "token", cap, low: Math.min(a, b), high: Math.max(a, b) };
        const figures = tokenFigures(tokenSums(binned(made, 102)), asked, undefined);
        expectClose(compared(figures), naively(made, asked), 1e-9);
      }),
    );
  });

  it("is off by no more than the tokens in the bins that hold a bound", () => {
    fc.assert(
      fc.property(run, setting, (made, any) => {
        const asked: Setting = { ...any, level: "token" };
        const whatIf = binned(made, 102);
        const figures = compared(tokenFigures(tokenSums(whatIf), asked, undefined));
        const naive = naively(made, asked);
        const bounds = [
          ...(hasBand(any.method) ? [any.low, any.high] : []),
          ...(hasCap(any.method) ? [any.cap] : []),
        ];
        const binOf = (log: number): number => whatIf.edges.filter((at) => at !== null && at <= log).length;
        const held = new Set(bounds.map((bound) => binOf(Math.log(bound))));
        let [tokens, unsure] = [0, 0];
        for (const { deltas } of made)
          for (const each of deltas) {
            tokens++;
            if (held.has(binOf(each))) unsure++;
          }
        expect(Math.abs(figures.kept - naive.kept)).toBeLessThanOrEqual(unsure / tokens + 1e-9);
        expect(Math.abs(figures.clipped - naive.clipped)).toBeLessThanOrEqual(unsure / tokens + 1e-9);
      }),
    );
  });

  it("finds where the tails begin", () => {
    const made = [{ correct: 1, deltas: Array.from({ length: 1000 }, (_, i) => -0.5 + i / 1000) }];
    const sums = tokenSums(binned(made, 402));
    expect(sums.quantile(0.01)).toBeCloseTo(-0.49, 1);
    expect(sums.quantile(0.99)).toBeCloseTo(0.49, 1);
  });
});

describe("a setting in the address", () => {
  it("comes back as it was, with only the bounds that are in play", () => {
    const rounded = (value: number): number => Number(value.toPrecision(4));
    fc.assert(
      fc.property(setting, fc.option(fc.double({ min: 1e-6, max: 0.1, noNaN: true })), (any, veto) => {
        const params = settingParams({ ...any, veto });
        const back = parseSetting(params);
        expect([back.level, back.method]).toEqual([any.level, any.method]);
        for (const bound of boundsOf({ ...any, veto }))
          expect(back[bound]).toBe(rounded({ ...any, veto }[bound]!));
        for (const bound of ["cap", "low", "high", "veto"] as const)
          expect(params[bound] !== undefined).toBe(boundsOf({ ...any, veto }).includes(bound));
      }),
    );
  });

  it("reads what someone wrote by hand, and refuses nonsense", () => {
    expect(parseSetting({})).toMatchObject({ level: "token", method: "truncate", cap: 2, veto: null });
    expect(parseSetting({ low: "0.9", high: "1.1" })).toMatchObject({ method: "mask", low: 0.9, high: 1.1 });
    expect(parseSetting({ low: "0", high: "inf", method: "icepop" })).toMatchObject({
      low: 0,
      high: Infinity,
    });
    expect(parseSetting({ cap: "-3", level: "planet", veto: "x" })).toMatchObject({ level: "token", cap: 2 });
    expect(parseSetting({ low: "3", high: "1" })).toMatchObject({ low: 0.5, high: 2 });
  });

  it("keeps the ends of the band in order", () => {
    const start = parseSetting({ method: "mask" });
    expect(withBound(start, "low", 5).low).toBe(2);
    expect(withBound(start, "high", 0.1).high).toBe(0.5);
  });

  it("becomes a question to the server", () => {
    expect(questionOf(parseSetting({ method: "icepop", low: "0", high: "5", level: "sequence" }))).toEqual({
      weights: { level: "sequence", upper: null, lower: null },
      mask: { level: "sequence", upper: 5, lower: null, action: "zero" },
      veto: null,
    });
    expect(questionOf(parseSetting({ method: "mask", veto: "1e-4" }))).toEqual({
      weights: { level: "none", upper: null, lower: null },
      mask: { level: "token", upper: 2, lower: 0.5 },
      veto: 1e-4,
    });
  });
});

describe("trainers' defaults", () => {
  it("are those of the presets", () => {
    for (const { presets, setting: shown } of TRAINER_DEFAULTS)
      for (const name of presets) {
        const preset = presetNamed(name);
        expect(shownPart(preset.correction(completeSettings(preset, {}))), name).toEqual({
          level: shown.level,
          cap: hasCap(shown.method) ? shown.cap : undefined,
          band: hasBand(shown.method) ? [shown.low, shown.high, shown.method === "icepop"] : undefined,
          veto: shown.veto,
        });
      }
  });

  it("name those that are off until told otherwise", () => {
    const off = PRESETS.filter(
      (preset) => preset.correction(completeSettings(preset, {})).steps.length === 0,
    );
    expect(off.map(({ name }) => name)).toEqual(OFF_BY_DEFAULT);
  });
});

/** Of a correction, what the picture can show. */
function shownPart({ weight, steps }: Correction): unknown {
  const truncate = steps.find((step) => step.action === "truncate");
  const reject = steps.find((step): step is Reject => step.action === "zero" || step.action === "mask");
  const veto = steps.find((step) => step.action === "veto");
  return {
    level: weight?.level,
    cap: truncate?.upper,
    band: reject && [reject.lower ?? 0, reject.upper ?? Infinity, reject.action === "zero"],
    veto: veto?.lower ?? null,
  };
}
