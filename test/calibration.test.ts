import { describe, expect, it } from "vitest";
import { COMPARE_CLAIMS, measureRate, REPORT_CLAIMS } from "./support/calibration/index.ts";
import { sample } from "./support/run-size.ts";

/** The limits of a claim are wide enough for this few runs; `npm run bench -- calibration` prints the figures. */
const RUNS = 30;

describe("what `logratio report` and `compare` say of their own certainty", () => {
  it.each(
    [...sample(REPORT_CLAIMS, 3), ...sample(COMPARE_CLAIMS, 6)].map(
      (claim) => [`${claim.method}: ${claim.rate}, ${claim.process}`, claim] as const,
    ),
  )(
    "holds: %s",
    (_, claim) => {
      const rate = measureRate(claim, RUNS);
      expect(rate).toBeGreaterThanOrEqual(claim.limits[0]);
      expect(rate).toBeLessThanOrEqual(claim.limits[1]);
    },
    60_000,
  );
});
