import { expect, it } from "vitest";
import type { SweepReport } from "../../../../src/results/sweep.ts";
import { sayEffect, shortConfig } from "./say-effect.ts";

const METRICS = { tokens: 50_000, ess: 0.99913 } as SweepReport["metrics"];

it("says what a correction clips and drops", () => {
  const dropped = { tokens: 0 } as SweepReport["corrections"][number]["dropped"];
  const found = { truncated_share: 4 / 50_000, dropped, ess_tokens: 0.99946 };
  expect(sayEffect({ metrics: METRICS }, found)).toBe("Clips 4 tokens, drops none. ESS 0.99913 → 0.99946.");
  expect(
    sayEffect({ metrics: METRICS }, { ...found, truncated_share: 0, dropped: { ...dropped, tokens: 1 } }),
  ).toBe("Clips none, drops 1 token. ESS 0.99913 → 0.99946.");
});

it("omits settings that are off from a config, and says so", () => {
  expect(shortConfig("a:\n  b: 2\n  c: null\n  d: false\n")).toBe("a:\n  b: 2\n…");
  expect(shortConfig("--use-tis --tis-clip 2\n")).toBe("--use-tis --tis-clip 2");
  expect(shortConfig("x = None\ny = 1")).toBe("y = 1\n…");
});
