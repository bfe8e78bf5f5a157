import { formatCount, formatNumber, formatSigned } from "../../core/text/index.ts";
import type { ShowFigures } from "../../results/show.ts";

/** Figures of a sequence. */
export function figureParts(figures: ShowFigures): string[] {
  const { delta_abs_mean, delta_abs_max, delta_mean, k3, worst, infinite, missing } = figures;
  if (figures.log_prob_mean !== undefined) return onePolicyParts(figures);
  return [
    `mean |Δ| ${formatNumber(delta_abs_mean)}`,
    `max |Δ| ${formatNumber(delta_abs_max)}${worst === null ? "" : ` at t${worst}`}`,
    `mean Δ ${formatSigned(delta_mean)}`,
    `k3 ${formatNumber(k3)}`,
    ...(infinite === 0 ? [] : [`${formatCount(infinite)} infinite`]),
    ...(missing === 0 ? [] : [`${formatCount(missing)} without a log-prob`]),
  ];
}

/** Figures if only one policy is known. */
export function onePolicyParts({
  log_prob_mean: mean = null,
  log_prob_min: least,
  worst,
  infinite,
  missing,
}: ShowFigures): string[] {
  return [
    `mean log p ${formatNumber(mean)}`,
    `perplexity ${formatNumber(mean === null ? null : Math.exp(-mean))}`,
    `least log p ${formatNumber(least)}${worst === null ? "" : ` at t${worst}`}`,
    ...(infinite === 0 ? [] : [`${formatCount(infinite)} infinite`]),
    ...(missing === 0 ? [] : [`${formatCount(missing)} without a log-prob`]),
  ];
}
