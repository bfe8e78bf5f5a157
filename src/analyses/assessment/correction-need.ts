import type { CorrectionNeed } from "../../results/assessment.ts";

/** From this ESS of the token ratios on, no correction has more than the rest to gain. */
const SMALL_ESS = 0.99;
/** With more of the tokens outside [1/2, 2], bounding those is worth it. */
const SMALL_OUTSIDE = 1e-4;

/** What says whether a correction is needed: `report` and `sweep` measure both, and each asks here. */
export interface RatioReadings {
  /** (Σρ)² / (n Σρ²). */
  readonly ess: number;
  /** Share of tokens with ρ outside [1/2, 2]. */
  readonly ratio_outside: number;
}

/** Readings that are not known (NaN: ρ beyond float64) are of the worst kind. */
export function correctionNeed({ ess, ratio_outside }: RatioReadings): CorrectionNeed {
  if (!(ess >= SMALL_ESS)) return "all";
  return ratio_outside <= SMALL_OUTSIDE ? "none" : "few";
}
