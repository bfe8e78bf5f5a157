import type { TailIndices } from "../../../core/summaries/index.ts";
import { formatNumber, formatPlain } from "../../../core/text/index.ts";
import type { TrustReport } from "../../../results/identity.ts";
import type { BaselineReading, MismatchReport } from "../../../results/report.ts";
import type { RunSummary } from "../run-summary.ts";

/** Above this, means of ratios say little, however many there are (Vehtari et al. 2024, section 3.2). */
export const MOST_TRUSTED = 0.7;

export function reportTrust({ total }: RunSummary, tails: TailIndices): TrustReport {
  const tokens = total.clusters === undefined ? 0 : total.deltas.count;
  const effect = total.clusters?.designEffect() ?? Number.NaN;
  const sequences = total.sequences.count;
  return {
    khat_ratio: tails.ratio,
    khat_inverse: tails.inverse,
    khat_sequence: tails.sequence,
    khat_most: tokens > 1 ? Math.min(1 - 1 / Math.log10(tokens), MOST_TRUSTED) : Number.NaN,
    design_effect: effect,
    effective_sequences: Math.min(sequences, sequences / effect),
  };
}

/** Below this a side has no large ratios that could be undersampled: the same bound as for "even" ratios. */
const LEAST_LARGE = Math.LN2;

/** ESS with its caveats: it knows nothing about a side that is hardly sampled. */
export function cautionEss(
  readings: readonly BaselineReading[],
  trust: TrustReport,
  { delta_min: least, delta_max: most }: Pick<MismatchReport["metrics"], "delta_min" | "delta_max">,
): BaselineReading[] {
  const sides = [
    ["ρ", trust.khat_ratio, most],
    ["1/ρ", trust.khat_inverse, -least],
  ] as const;
  // An infinite k̂ belongs to a tail without a shape: equal columns, or a handful of tokens that differ.
  const heavy = sides.filter(
    ([, khat, extreme]) => khat > MOST_TRUSTED && khat < Number.POSITIVE_INFINITY && extreme > LEAST_LARGE,
  );
  const [worst] = heavy.sort(([, a], [, b]) => b - a);
  if (worst === undefined) return [...readings];
  const caution = `k̂(${worst[0]}) ${formatNumber(worst[1])} > ${formatPlain(MOST_TRUSTED)}: unreliable`;
  return readings.map((reading) => (reading.metric === "ess" ? { ...reading, caution } : reading));
}
