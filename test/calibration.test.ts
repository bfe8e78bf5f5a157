import { describe, expect, it } from "vitest";
import { measureRate, REPORT_CLAIMS } from "./support/calibration/index.ts";
import { sample } from "./support/run-size.ts";

/** The limits of a claim are wide enough for this few runs; `npm run bench -- calibration` prints the figures. */
const RUNS = 30;

describe("what `logratio report` says of its own certainty", () => {
  it.each(
    sample(REPORT_CLAIMS, 3).map(
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
