import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ConformanceCase, runConformanceCase } from "../src/apps/conformance/index.ts";
import { GOLDEN, warnIfAbsent } from "./support/shared-data.ts";

const present = existsSync(GOLDEN);
warnIfAbsent("golden cases", GOLDEN);

interface GoldenCase extends ConformanceCase {
  readonly expected: Readonly<Record<string, unknown>>;
  readonly expected_float64?: unknown;
}

const cases = present
  ? readdirSync(GOLDEN)
      .filter((name) => name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(`${GOLDEN}${name}`, "utf8")) as GoldenCase)
  : [];

/** Compares every number in `expected` with the float64 reference to 1e-5 (1e-4 if only float32 ran). */
function expectClose(
  actual: unknown,
  expected: unknown,
  relative: number,
  absolute: number,
  path: string,
): void {
  if (expected !== null && typeof expected === "object") {
    for (const [key, value] of Object.entries(expected)) {
      expectClose(
        (actual as Record<string, unknown> | undefined)?.[key],
        value,
        relative,
        absolute,
        `${path}.${key}`,
      );
    }
    return;
  }
  const isText = typeof expected === "string" && !["NaN", "Infinity", "-Infinity"].includes(expected);
  if (expected === null || typeof expected === "boolean" || isText) {
    expect(actual, path).toBe(expected);
    return;
  }
  const [a, e] = [Number(actual), Number(expected)];
  const close = Object.is(a, e) || Math.abs(a - e) <= absolute + relative * Math.abs(e);
  expect(close, `${path}: want ${expected}, got ${actual}`).toBe(true);
}

describe.skipIf(!present)("golden cases", () => {
  const inReach = cases.filter((given) => !("skipped" in runConformanceCase(given)));

  it.each(inReach.map((given) => [given.id, given] as const))("%s", (_, given) => {
    const result = runConformanceCase(given);
    if ("error" in given.expected) {
      expect(result).toEqual({ id: given.id, actual: { error: given.expected.message } });
      return;
    }
    // RL-Probe's own float32 values with its epsilon are included for information.
    const { rl_probe_float32: _information, ...wanted } = given.expected;
    const expected = given.expected_float64 ?? wanted;
    const [relative, absolute] = given.expected_float64 ? [1e-5, 1e-12] : [1e-4, 1e-6];
    expectClose("actual" in result ? result.actual : undefined, expected, relative, absolute, given.id);
  });

  it("covers the kinds that are in reach", () => {
    expect([...new Set(inReach.map(({ kind }) => kind))].sort()).toEqual([
      "category_statistics",
      "identity",
      "kl",
      "merge",
      "ntl",
      "spikes",
      "stats",
      "token_category",
      "turning_points",
      "verl.debug_metrics",
      "verl.divergence_log",
      "verl.offpolicy",
      "verl.per_round",
      "verl.rollout_corr",
      "xtuner.rollout_is",
    ]);
  });
});
