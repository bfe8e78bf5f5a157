import { orNull } from "../../../core/base/index.ts";
import { isEnough } from "../../../core/statistics/enough.ts";
import { GRADIENT } from "../../../core/summaries/index.ts";
import { formatShare } from "../../../core/text/index.ts";
import type { GradientReport, ImpactFigures } from "../../../results/gradient.ts";
import type { WorstToken } from "../../../results/worst.ts";
import type { GradientSummary } from "./gradient-summary.ts";

/** How many of the worst tokens the sentence considers. */
const LOOKED_AT = 10;
/** A smaller share of k3 is not worth a sentence. */
const WORTH_SAYING = 0.1;

/**
 * @param run tokens of the report's figures, and the worst tokens, largest |Δ| first
 * @returns null if no token has an advantage
 */
export function readGradient(
  { sums, shares, worstTokens, worstSequences }: GradientSummary,
  run: { readonly tokens: number; readonly sequences: number; readonly worst: readonly WorstToken[] },
): GradientReport | null {
  const total = sums.total();
  const [tokens, overflowed] = [total[GRADIENT.tokens]!, total[GRADIENT.overflowed]!];
  if (tokens === 0) return null;
  const figures = readFigures(total);
  const looked = run.worst.slice(0, LOOKED_AT);
  const zero = looked.filter(({ advantage }) => advantage === 0).length;
  const [low, high] = shares.leaveOneOut();
  const left = Number.isNaN(low) ? null : ([low, high] as const);
  const all = total[GRADIENT.impactAbs]!;
  const atZero = { of: looked.length, zero };
  return {
    ...figures,
    tokens_without_advantage: run.tokens - tokens - overflowed,
    tokens_overflowed: overflowed,
    impact_max: Math.abs(worstTokens.list()[0]?.impact ?? 0),
    k3_share_at_zero_leave_one_out: left,
    clusters: shares.count,
    worst_tokens_at_zero: atZero,
    sentence: isEnough(run) ? writeSentence(figures, left, atZero) : null,
    worst_tokens: worstTokens.list(),
    worst_sequences: worstSequences.list().map((of) => ({ ...of, impact_share: of.impact / all })),
    per_step: sums.steps.map((step) => ({ step: orNull(step), ...readFigures(sums.at(step)) })),
  };
}

function readFigures(sums: Float64Array): ImpactFigures {
  const of = (column: keyof typeof GRADIENT): number => sums[GRADIENT[column]]!;
  const share = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
  return {
    tokens: of("tokens"),
    zero_advantage_share: share(of("zeroTokens"), of("tokens")),
    k3_share_at_zero: share(of("zeroK3"), of("k3")),
    delta_abs_share_at_zero: share(of("zeroDeltaAbs"), of("deltaAbs")),
    advantage_abs_mean: share(of("advantageAbs"), of("tokens")),
    impact_mean: share(of("impactAbs"), of("tokens")),
    impact_signed_mean: of("tokens") > 0 ? of("impact") / of("tokens") : 0,
    impact_relative: share(of("impactAbs"), of("advantageAbs")),
    surrogate_change: of("advantageAbs") > 0 ? of("impact") / of("advantageAbs") : 0,
  };
}

/**
 * About these tokens only, not others that might have been drawn; the range without any one prompt shows how much
 * depends on one.
 */
function writeSentence(
  { k3_share_at_zero: k3, zero_advantage_share: tokens }: ImpactFigures,
  left: readonly [number, number] | null,
  { of, zero }: GradientReport["worst_tokens_at_zero"],
): string | null {
  if (left === null || k3 < WORTH_SAYING) return null;
  const worst = zero === 0 ? "" : `, ${zero} of the ${of} worst`;
  return (
    `${formatShare(k3)} of k3 lies at advantage 0, outside the policy gradient ` +
    `(${formatShare(tokens)} of the tokens${worst}; without any one prompt ${formatShare(left[0])} to ${formatShare(left[1])})`
  );
}
