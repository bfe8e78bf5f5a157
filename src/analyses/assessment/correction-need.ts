import type { CorrectionNeed } from "../../results/assessment.ts";

/** From this ESS of the token ratios on, a correction cannot gain more than the remainder. */
const SMALL_ESS = 0.99;
/** If more than this share of tokens lies outside [1/2, 2], bounding them is worthwhile. */
const SMALL_OUTSIDE = 1e-4;

/** What decides whether a correction is needed: `report` and `sweep` both measure these and ask here. */
export interface RatioReadings {
  /** (Σρ)² / (n Σρ²). */
  readonly ess: number;
  /** Share of tokens with ρ outside [1/2, 2]. */
  readonly ratio_outside: number;
}

/** Unknown readings (NaN: ρ overflows float64) count as the worst. */
export function correctionNeed({ ess, ratio_outside }: RatioReadings): CorrectionNeed {
  if (!(ess >= SMALL_ESS)) return "all";
  return ratio_outside <= SMALL_OUTSIDE ? "none" : "few";
}
