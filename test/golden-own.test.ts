import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ConformanceCase, runConformanceCase } from "../src/apps/conformance/index.ts";

/** Made by scripts/fixtures/golden_cases.py from the definitions; every clone has them. */
const CASES = new URL("./golden/", import.meta.url);

interface GoldenCase extends ConformanceCase {
  readonly expected: Readonly<Record<string, unknown>>;
}

const cases = readdirSync(CASES)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(readFileSync(new URL(name, CASES), "utf8")) as GoldenCase);

/** Logits are single precision, as in dumps; everything else is held to 1e-9. */
const chooseTolerance = (kind: string): number => (kind === "kl" ? 1e-6 : 1e-9);

/** Everything expected must be there, with lists of the same length; additional figures are ignored. */
function expectClose(actual: unknown, expected: unknown, relative: number, path: string): void {
  if (expected !== null && typeof expected === "object") {
    if (Array.isArray(expected))
      expect((actual as unknown[] | undefined)?.length, path).toBe(expected.length);
    for (const [key, value] of Object.entries(expected)) {
      const inner = (actual as Record<string, unknown> | null | undefined)?.[key];
      expectClose(inner, value, relative, `${path}.${key}`);
    }
    return;
  }
  if (typeof expected !== "number") {
    expect(actual, path).toBe(expected);
    return;
  }
  const isClose = Math.abs(Number(actual) - expected) <= 1e-12 + relative * Math.abs(expected);
  expect(isClose, `${path}: want ${expected}, got ${actual}`).toBe(true);
}

describe("our own golden cases", () => {
  it.each(cases.map((given) => [given.id, given] as const))("%s", (_, given) => {
    const result = runConformanceCase(given);
    expect(result).not.toHaveProperty("skipped");
    expectClose("actual" in result && result.actual, given.expected, chooseTolerance(given.kind), given.id);
  });

  it("are of every kind", () => {
    expect([...new Set(cases.map(({ kind }) => kind))].sort()).toEqual([
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
