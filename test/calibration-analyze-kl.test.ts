import { describe, expect, it } from "vitest";
import { ANALYZE_CLAIMS } from "./support/calibration/analyze-claims.ts";
import { measureRate } from "./support/calibration/claim.ts";
import { KL_CLAIMS } from "./support/calibration/kl-claims.ts";

const RUNS = Number(process.env.CALIBRATION_RUNS ?? 250);

describe("what analyze and kl say is as certain as they say", () => {
  it.each([...ANALYZE_CLAIMS, ...KL_CLAIMS])(
    "$method: $process, $rate",
    (claim) => {
      const rate = measureRate(claim, RUNS);
      if (process.env.CALIBRATION_RUNS !== undefined)
        process.stdout.write(
          `| ${claim.method} | ${claim.process} | ${claim.rate} | ${(100 * claim.nominal).toFixed(1)} | ${(100 * rate).toFixed(1)} |\n`,
        );
      const [low, high] = claim.limits;
      expect(rate).toBeGreaterThanOrEqual(low);
      expect(rate).toBeLessThanOrEqual(high);
    },
    60_000,
  );
});
