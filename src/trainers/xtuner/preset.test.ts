import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { isLogratioError } from "../../core/base/errors.ts";
import { applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import type { Correction } from "../neutral/correction.ts";
import type { Setting, Settings } from "../shared/preset.ts";
import { checkReference, cutRows, readReference, referenceBlock } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { xtunerPackMetrics } from "./correction-metrics.ts";
import { xtunerStepMetrics } from "./merge.ts";
import { xtuner } from "./preset.ts";
import { readXtunerSettings } from "./settings.ts";

// The reference's figures are those of one pack; a step's are merged over packs, which drops `mismatch/valid`.
checkReference(
  { ...xtuner, metrics: (settings) => xtunerPackMetrics(readXtunerSettings(settings)) },
  undefined,
  1e-7,
);

const of = (settings: Settings): Settings => completeSettings(xtuner, settings);

describe("xtuner refuses in its own words", () => {
  test.each<[Settings, string]>([
    [
      { rollout_is_threshold: [0.8, 1.2] },
      "upper_threshold must be greater than lower_threshold, but got 0.8 and 1.2",
    ],
    [
      { rollout_is_threshold: [2, 0.5], rollout_is_mask_threshold: [1, 1] },
      "upper_mask_threshold must be greater than lower_mask_threshold, but got 1.0 and 1.0",
    ],
    [
      { rollout_is_threshold: [2, 0.5], rollout_is_mode: "clip" },
      "Invalid rollout_is_mode: clip. Must be 'truncate', 'mask', or 'both'.",
    ],
    [
      { rollout_is_threshold: [2, 0.5], rollout_is_level: "turn" },
      "Invalid rollout_is_level: turn. Must be 'token', 'sequence', or 'geometric'.",
    ],
    [
      { rollout_is_threshold: [2, 0.5], rollout_is_veto_threshold: [1e-4, 1e4] },
      "rollout_is_veto_threshold is (upper, lower), but got 0.0001 and 10000.0: every ratio is below 10000.0 or above 0.0001, so xtuner, which does not check this pair, would mask every sequence",
    ],
  ])("%j", (settings, message) => {
    try {
      xtuner.correction(of(settings));
      expect.unreachable();
    } catch (error) {
      expect(isLogratioError(error, "UsageError") && error.message).toBe(message);
    }
  });
});

test("equal bounds are not advised again, and bounds the other way round are turned", () => {
  const hint = (threshold: Setting): string | undefined => {
    try {
      xtuner.correction(of({ rollout_is_threshold: threshold }));
      return undefined;
    } catch (error) {
      return isLogratioError(error, "UsageError") ? error.hint : undefined;
    }
  };
  expect(hint([0.5, 0.5])).toBe("give two different bounds, the upper one first, such as (2.0, 0.5)");
  expect(hint([0.8, 1.2])).toBe("write (1.2, 0.8)");
});

test("without rollout_is_threshold nothing else counts, nor is it checked", () => {
  const settings = of({ rollout_is_mode: "clip", rollout_is_veto_threshold: [1e4, 1e-4] });
  expect(xtuner.correction(settings)).toEqual({ steps: [] });
  expect(listTraps(xtuner, settings).join("\n")).toContain(
    "rollout_is_veto_threshold is set but has no effect",
  );
});

describe("metrics of a step", () => {
  const { packs, cases } = JSON.parse(
    readFileSync(new URL("../../../test/fixtures/corrections/xtuner/merged.json", import.meta.url), "utf8"),
  ) as {
    packs: number[][];
    cases: { settings: Settings; logged: Record<string, number> }[];
  };
  const block = referenceBlock(readReference("xtuner").inputs);
  const blocks = packs.map((rows) => cutRows(block, rows[0]!, rows.at(-1)! + 1));

  const merge = (settings: Settings, parts: readonly CorrectionBlock[]) => {
    const correction = xtuner.correction(settings);
    const step = xtunerStepMetrics(readXtunerSettings(settings));
    for (const [i, part] of parts.entries()) step.add(part, applyCorrection(part, correction), String(i));
    const logged = step.finish();
    const discrepancies = step.discrepancies();
    const differing = Object.fromEntries(discrepancies.map(({ key, correct }) => [key, correct]));
    return { logged, correct: { ...logged, ...differing }, discrepancies };
  };

  it.each(cases.map((each) => [JSON.stringify(each.settings), each] as const))(
    "logs as xtuner: %s",
    (_, each) => {
      const { logged } = merge(of(each.settings), blocks);
      expect(Object.keys(logged).sort()).toEqual(Object.keys(each.logged).sort());
      for (const [key, value] of Object.entries(each.logged)) expect(logged[key], key).toBeCloseTo(value, 5);
    },
  );

  it.each(cases.map((each) => [JSON.stringify(each.settings), each] as const))(
    "is right however sequences are packed: %s",
    (_, each) => {
      const settings = of(each.settings);
      const merged = merge(settings, blocks);
      const single = merge(settings, [block]);
      for (const [key, value] of Object.entries(single.correct)) {
        expect(merged.correct[key], key).toBeCloseTo(value, 6);
      }
      expect(merged.discrepancies.length).toBeGreaterThan(0);
      for (const { key, logged, correct, reason } of merged.discrepancies) {
        expect(merged.logged[key]).toBe(logged);
        expect(merged.correct[key]).toBe(correct);
        expect(reason.length).toBeGreaterThan(10);
      }
    },
  );

  it("pools tokens, sequences and spreads", () => {
    const pack = (deltas: number[][]): CorrectionBlock => {
      const flat = deltas.flat();
      return {
        rollout: new Float64Array(flat.length).fill(-2),
        trainer: Float64Array.from(flat, (delta) => delta - 2),
        mask: new Uint8Array(flat.length).fill(1),
        offsets: Int32Array.from([0, ...deltas.map((_, i) => deltas.slice(0, i + 1).flat().length)]),
      };
    };
    const [two, three] = [Math.log(2), Math.log(3)];
    const settings = of({ rollout_is_threshold: [10, 0.1] });
    const { logged, correct, discrepancies } = merge(settings, [pack([[0, 0, 0], [two]]), pack([[three]])]);
    expect(logged["mismatch/rollout_is_mean"]).toBeCloseTo((1.25 + 3) / 2, 7);
    expect(correct["mismatch/rollout_is_mean"]).toBeCloseTo(8 / 5, 12);
    expect(correct["mismatch/rollout_is_eff_sample_size"]).toBeCloseTo(64 / (5 * 16), 12);
    expect(correct["mismatch/rollout_is_std"]).toBeCloseTo(Math.sqrt(16 / 5 - (8 / 5) ** 2), 12);
    expect(correct["mismatch/rollout_is_seq_mean"]).toBeCloseTo(2, 7);
    expect(correct["mismatch/rollout_is_seq_std"]).toBeCloseTo(1, 7);
    const findReason = (key: string) => discrepancies.find((each) => each.key === `mismatch/${key}`)?.reason;
    expect(findReason("rollout_is_mean")).toContain("a short pack weighs as much");
    expect(findReason("rollout_is_std")).toContain("spread of all");
    expect(findReason("rollout_is_max")).toBeUndefined();
  });

  it("does not count a sequence without tokens of its own", () => {
    const { logged, correct, discrepancies } = merge(
      of({ rollout_is_level: "sequence", rollout_is_threshold: [1.01, 0.99] }),
      [cutRows(block, 2, 4)],
    );
    expect(logged["mismatch/rollout_is_ratio_fraction_low"]).toBe(0.5);
    expect(correct["mismatch/rollout_is_ratio_fraction_low"]).toBe(1);
    expect(discrepancies.find(({ key }) => key.endsWith("fraction_low"))?.reason).toContain("with ratio 1");
  });
});

describe("xtuner express", () => {
  const bounded = { level: "token", aggregation: "sum", logBound: 20 } as const;
  const token = { statistic: "ratio", level: "token", aggregation: "mean" } as const;

  test.each<[string, Correction, Settings | undefined]>([
    ["nothing", { steps: [] }, { rollout_is_threshold: null }],
    [
      "truncation from above",
      { weight: bounded, steps: [{ action: "truncate", upper: 2 }] },
      { rollout_is_mode: "truncate", rollout_is_threshold: [2, 0], rollout_is_veto_threshold: null },
    ],
    [
      "raw weights",
      { weight: bounded, steps: [] },
      { rollout_is_mode: "truncate", rollout_is_threshold: [1e9, 0] },
    ],
    [
      "a geometric mask and a veto from below",
      {
        weight: { level: "sequence", aggregation: "mean" },
        steps: [
          { action: "veto", measure: token, lower: 1e-4 },
          { action: "mask", measure: "weight", lower: 0.99, upper: 1.01 },
        ],
      },
      {
        rollout_is_level: "geometric",
        rollout_is_mode: "mask",
        rollout_is_threshold: [1.01, 0.99],
        rollout_is_mask_threshold: null,
        rollout_is_veto_threshold: [1e9, 1e-4],
      },
    ],
    [
      "a mask on the ratio after truncation",
      {
        weight: { level: "token", aggregation: "sum" },
        steps: [
          { action: "truncate", lower: 0.5, upper: 2 },
          { action: "mask", measure: token, lower: 0.3, upper: 3 },
        ],
      },
      { rollout_is_mode: "both", rollout_is_threshold: [2, 0.5], rollout_is_mask_threshold: [3, 0.3] },
    ],
    [
      "a mask on weights after truncation",
      {
        weight: bounded,
        steps: [
          { action: "truncate", upper: 2 },
          { action: "mask", measure: "weight", upper: 1.5 },
        ],
      },
      undefined,
    ],
    ["zeroing", { weight: bounded, steps: [{ action: "zero", measure: "weight", upper: 2 }] }, undefined],
    ["normalization", { weight: bounded, steps: [{ action: "normalize", over: "token" }] }, undefined],
    ["a mask without weights", { steps: [{ action: "mask", measure: token, upper: 2 }] }, undefined],
    [
      "a mask at another level",
      { weight: bounded, steps: [{ action: "mask", measure: { ...token, level: "sequence" }, upper: 2 }] },
      undefined,
    ],
    ["unbounded raw weights", { weight: { level: "token", aggregation: "sum" }, steps: [] }, undefined],
  ])("%s", (_, correction, expected) => {
    const settings = xtuner.express(correction);
    if (expected) expect(settings).toMatchObject(expected);
    else expect(settings).toBeUndefined();
  });
});

test("traps and config say which bound comes first", () => {
  const settings = of({ rollout_is_mode: "both", rollout_is_threshold: [2, 0.5] });
  const traps = listTraps(xtuner, settings).join("\n");
  expect(traps).toContain("(upper, lower) = (2.0, 0.5)");
  expect(traps).toContain("clamps weights on both sides");
  expect(xtuner.config(settings).text).toContain("    rollout_is_threshold=(2, 0.5),  # (upper, lower)\n");
});
