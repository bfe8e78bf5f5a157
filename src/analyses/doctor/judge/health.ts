/** Whether what differs is no more than an engine's precision. */
import { formatNumber, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import type { Figures } from "../features/shape.ts";
import type { Spread } from "../features/spread.ts";

/**
 * Nats: mean |Δ| of an ordinary bfloat16 engine against a float32 trainer on policies as sure as those of the lab
 * (mean 1 − p up to 0.07). Noise on logits moves a token by about (1 − p) times itself, so less sure policies have more.
 */
const ENGINE_LEVEL = 2.3e-3;
const LAB_UNSURE = 0.07;
/** Nats of log-odds per decade of the level: from one to ten against one within 7 % of a decade. */
const PER_DECADE = 31;

export interface Health {
  /** Log-odds of "the precision of an engine" against a fault in the policies, nats. */
  readonly logOdds: number;
  readonly threshold: number;
  readonly clue: Clue;
}

/** Log-odds of the level alone; `roundingAbs`: mean |Δ| that the storage of log-probs adds, nats. */
export function weighLevel(
  { meanAbs, unsure }: Pick<Spread, "meanAbs" | "unsure">,
  roundingAbs: number,
): { readonly logOdds: number; readonly threshold: number } {
  const threshold = ENGINE_LEVEL * Math.max(1, unsure / LAB_UNSURE) + roundingAbs;
  return { threshold, logOdds: hold(PER_DECADE * Math.log10(threshold / Math.max(meanAbs, 1e-8))) };
}

export function judgeHealth({ spread }: Figures, roundingAbs: number): Health {
  const { logOdds, threshold } = weighLevel(spread, roundingAbs);
  const level = `Mean |Δ| is ${formatNumber(spread.meanAbs)} nats over ${plural(spread.tokens, "token")}`;
  return {
    logOdds,
    threshold,
    clue: {
      cause: "healthy",
      weight: logOdds,
      sentence: `${level}. On a policy this sure, the precision of a bfloat16 engine explains up to ${formatNumber(threshold)}.`,
      figures: { delta_abs_mean: spread.meanAbs, threshold, unsure: spread.unsure },
    },
  };
}
