import { describe, expect, it } from "vitest";
import { applyCorrection } from "../neutral/apply.ts";
import type { Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { miles } from "./preset.ts";

const block = {
  rollout: Float64Array.of(-1, -1, -1, -1, -1),
  trainer: Float64Array.of(-0.5, -2, -1, -31, -1),
  mask: Uint8Array.of(1, 1, 0, 1, 0),
  offsets: Int32Array.of(0, 3, 4, 5),
};

function computeMetrics(given: Settings): Readonly<Record<string, number>> {
  const settings = completeSettings(miles, given);
  const metrics = miles.metrics(settings);
  metrics.add(block, applyCorrection(block, miles.correction(settings)));
  return metrics.finish();
}

describe("miles", () => {
  it("logs (Σρ)² / (n Σρ²) of each sequence where the PPO ratio is the rollout ratio, and not else", () => {
    const [a, b] = [Math.exp(0.5), Math.exp(-1)];
    const first = (a + b) ** 2 / (2 * (a * a + b * b));
    // The log-ratio of −30 is clamped to −20, whose square is below the smallest divisor.
    const second = Math.exp(-20) ** 2 / 1e-8;
    const key = "train/ess_ratio";
    expect(computeMetrics({ use_rollout_logprobs: true, use_tis: false })[key]).toBeCloseTo(
      (first + second) / 3,
      12,
    );
    expect(Object.keys(computeMetrics({ use_rollout_logprobs: false }))).not.toContain(key);
  });

  it("names the traps of its guards", () => {
    const traps = listTraps(miles, completeSettings(miles, {}));
    for (const words of [
      "counts NaN and infinite differences as 0",
      "is capped at 10 nats per token",
      "the TIS weight itself is not guarded",
      "is of the PPO ratio",
    ]) {
      expect(traps.some((trap) => trap.includes(words))).toBe(true);
    }
  });

  it("is a preset of its own beside slime's", () => {
    expect(miles).toMatchObject({ name: "miles", trainer: "miles" });
    expect(miles.summary).toContain("guards");
    expect(miles.source).toContain("radixark/miles");
  });
});
