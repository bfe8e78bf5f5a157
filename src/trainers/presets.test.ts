import { describe, expect, it } from "vitest";
import { UsageError } from "../core/base/errors.ts";
import { applyCorrection } from "./neutral/apply.ts";
import type { Bounds, Correction, Measure, Step } from "./neutral/correction.ts";
import { PRESETS, presetNamed } from "./presets.ts";
import type { Preset, Setting, Settings } from "./shared/preset.ts";
import { completeSettings } from "./shared/settings.ts";

/** Its fallbacks, and its fallbacks with each other choice of each setting. */
function variants(preset: Preset): Settings[] {
  const changed = preset.parameters.flatMap(({ name, kind, choices, fallback }) => {
    const others = choices ?? (kind === "boolean" ? [true, false] : []);
    return others.filter((value) => value !== fallback).map((value) => ({ [name]: value }));
  });
  return [{}, ...changed].map((settings) => completeSettings(preset, settings));
}

const BLOCK = {
  rollout: Float64Array.of(-1, -2, -0.5, -1, -3, -1),
  trainer: Float64Array.of(-1.2, -1, -0.5, -7, -2.9, -1.3),
  mask: Uint8Array.of(1, 1, 0, 1, 1, 1),
  advantages: Float64Array.of(1, 1, 1, 1, -1, -1),
  offsets: Int32Array.of(0, 4, 6),
};

/** Corrections in the neutral form, of which most trainers have none. */
const FOREIGN: readonly Correction[] = (() => {
  const token = { level: "token", aggregation: "sum" } as const;
  const product = { level: "sequence", aggregation: "sum" } as const;
  const mean = { level: "sequence", aggregation: "mean" } as const;
  const measures: Measure[] = (["ratio", "k1", "k2"] as const).flatMap((statistic) =>
    [token, product, mean, { ...mean, aggregation: "max" as const }].map((over) => ({ statistic, ...over })),
  );
  const rejections = (bounds: Bounds): Step[] =>
    measures.flatMap((measure) => [
      { action: "mask", measure, ...bounds },
      { action: "zero", measure, ...bounds },
      { action: "mask", measure, when: "negative", ...bounds },
    ]);
  const second: Step = { action: "mask", measure: { statistic: "ratio", ...product }, upper: 3 };
  const all = [{ upper: 2 }, { lower: 0.5, upper: 2 }].flatMap((bounds) => [
    ...[token, product, mean].flatMap((weight): Correction[] =>
      [
        { action: "truncate" as const, ...bounds },
        { action: "mask" as const, measure: "weight" as const, ...bounds },
        { action: "zero" as const, measure: "weight" as const, ...bounds },
      ].flatMap((step) => [
        { weight, steps: [step] },
        { weight, steps: [step, second] },
      ]),
    ),
    ...rejections(bounds).flatMap((step): Correction[] => [
      { weight: token, steps: [step] },
      ...(step.action === "mask" ? [{ steps: [step] }] : []),
    ]),
  ]);
  return [...all, ...[token, product, mean].map((weight) => ({ weight, steps: [] }))];
})();

/** Undefined where the trainer itself refuses the settings. */
function accepted<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return undefined;
  }
}

describe("presets", () => {
  it("are found by their names, which differ", () => {
    expect(new Set(PRESETS.map(({ name }) => name)).size).toBe(PRESETS.length);
    for (const preset of PRESETS) expect(presetNamed(preset.name)).toBe(preset);
    expect(() => presetNamed("verI")).toThrow(UsageError);
  });
});

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))("%s", (_, preset) => {
  it("says what it is, of which trainer, and from which code at which commit or release", () => {
    expect(preset.trainer).toMatch(/\S/);
    expect(preset.summary).toMatch(/\w+ \w+/);
    expect(preset.source).toMatch(/^[\w.-]+\/[\w.-]+ .*[\w./{},-]+.*\b([0-9a-f]{7,}|\d+\.\d+\.\d+)$/);
  });

  it("says what every setting means, and has a fallback that it would take", () => {
    const names = preset.parameters.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, meaning, choices, fallback, kind } of preset.parameters) {
      expect(name).toMatch(/^[\w.-]+$/);
      expect(meaning).toMatch(/\w+/);
      expect(["text", "number", "boolean", "pair", "number or text"]).toContain(kind);
      if (choices !== undefined) {
        expect(choices.every((choice) => choice !== "")).toBe(true);
        if (fallback !== null) expect(choices).toContain(fallback);
      } else if (fallback !== null && (kind === "number" || kind === "boolean")) {
        expect(typeof fallback).toBe(kind);
      }
    }
    expect(completeSettings(preset, completeSettings(preset, {}))).toEqual(completeSettings(preset, {}));
  });

  it("refuses a value of another kind, or reads it as its own", () => {
    for (const { name, kind, choices } of preset.parameters) {
      const complete = (value: Setting) => completeSettings(preset, { [name]: value })[name];
      if (choices !== undefined) {
        expect(() => complete("none of these"), name).toThrow(UsageError);
        // A shell's `key=a,b` is a list to us and text to the trainer.
        if (kind === "text") expect(complete([choices[0] as never])).toBe(choices[0]);
      } else if (kind === "number or text") expect([complete(2), complete([1, 2])]).toEqual([2, "1,2"]);
      else if (kind === "text") expect([complete(2), complete([1, 2])]).toEqual(["2", "1,2"]);
      else {
        const known = { number: "a number", boolean: "true or false", pair: "two numbers" }[kind];
        expect(() => complete("text"), name).toThrow(`${preset.name}: ${name} is ${known}, not "text"`);
      }
    }
  });

  it("has words for every trap, and a place and text for every config", () => {
    for (const settings of variants(preset)) {
      for (const { says } of accepted(() => preset.traps(settings)) ?? [])
        expect(says).toMatch(/\w+ .*[^.]$/);
      const config = accepted(() => preset.config(settings));
      if (config === undefined) continue;
      expect(["yaml", "toml", "python", "flags"]).toContain(config.language);
      expect(config.place).toMatch(/\S/);
      expect(config.text).not.toMatch(/undefined|NaN|\[object/);
    }
  });

  it("finds settings of the same effect for each of its own corrections", () => {
    for (const settings of variants(preset)) {
      const correction = accepted(() => preset.correction(settings));
      if (correction === undefined) continue;
      const expressed = preset.express(correction);
      expect(expressed, JSON.stringify(settings)).toBeDefined();
      const [there, back] = [correction, preset.correction(expressed!)].map((each) =>
        applyCorrection(BLOCK, each),
      );
      expect(back!.mask).toEqual(there!.mask);
      expect(back!.weights).toEqual(there!.weights);
    }
  });

  it("finds settings for no correction that does something else", () => {
    for (const foreign of FOREIGN) {
      const expressed = accepted(() => preset.express(foreign));
      if (expressed === undefined) continue;
      const [there, back] = [foreign, preset.correction(expressed)].map((each) =>
        applyCorrection(BLOCK, each),
      );
      expect([back!.mask, back!.weights], JSON.stringify(foreign)).toEqual([there!.mask, there!.weights]);
    }
  });
});
