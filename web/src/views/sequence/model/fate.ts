import { formatNumber } from "../../../ui/format.ts";

/** Bounds of means lie close to 1: with three digits 1.001 would read as 1. */
export const BOUND_DIGITS = 6;

const LEVELS = ["token", "sequence", "geometric"] as const;

/** Bounds on ratios ρ, as the parameters `level`, `cap`, `low`, `high`, `veto` have them. */
export interface Thresholds {
  /** Whose ratio cap and band judge: each token's, or the whole sequence's (of its sum, or its mean of Δ). */
  readonly level: (typeof LEVELS)[number];
  /** log ρ of the whole sequence, where that is judged; undefined: each token's own. */
  readonly whole?: number;
  /** Larger ratios are truncated to it. */
  readonly cap: number | undefined;
  /** Tokens outside are masked. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** One token below it takes its whole sequence away. */
  readonly veto: number | undefined;
}

export type Effect = "kept" | "truncated" | "masked" | "vetoed";

export function parseThresholds(params: Readonly<Record<string, string | undefined>>): Thresholds {
  const bound = (name: "cap" | "low" | "high" | "veto"): number | undefined => {
    const text = params[name];
    const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
    return value > 0 && Number.isFinite(value) ? value : undefined;
  };
  const level = LEVELS.find((name) => name === params.level) ?? "token";
  return { level, cap: bound("cap"), low: bound("low"), high: bound("high"), veto: bound("veto") };
}

/** The thresholds with the sequence's own ratio, where that is what they judge. NaN: no token has one. */
export function judging(thresholds: Thresholds, deltas: Float64Array): Thresholds {
  if (thresholds.level === "token") return thresholds;
  let [sum, count] = [0, 0];
  for (const delta of deltas) {
    if (Number.isNaN(delta)) continue;
    sum += delta;
    count++;
  }
  return { ...thresholds, whole: thresholds.level === "sequence" && count > 0 ? sum : sum / count };
}

export function anyThreshold({ cap, low, high, veto }: Thresholds): boolean {
  return [cap, low, high, veto].some((bound) => bound !== undefined);
}

/** What the thresholds do to a token of this Δ (nats); a token without Δ is kept. */
export function effectOn(delta: number, { whole, cap, low, high, veto }: Thresholds): Effect {
  if (Number.isNaN(delta)) return "kept";
  if (veto !== undefined && Math.exp(delta) < veto) return "vetoed";
  const ratio = Math.exp(whole ?? delta);
  if ((low !== undefined && ratio < low) || (high !== undefined && ratio > high)) return "masked";
  if (cap !== undefined && ratio > cap) return "truncated";
  return "kept";
}

export interface Effects {
  readonly truncated: number;
  readonly masked: number;
  readonly vetoed: number;
  /** The first token that takes the sequence away; undefined where none does. */
  readonly vetoedBy: number | undefined;
}

/** How many of these tokens meet each fate. */
export function effectsOn(deltas: Float64Array, thresholds: Thresholds): Effects {
  const counts = { kept: 0, truncated: 0, masked: 0, vetoed: 0 };
  let vetoedBy: number | undefined;
  for (let at = 0; at < deltas.length; at++) {
    const effect = effectOn(deltas[at]!, thresholds);
    counts[effect]++;
    if (effect === "vetoed") vetoedBy ??= at;
  }
  return { truncated: counts.truncated, masked: counts.masked, vetoed: counts.vetoed, vetoedBy };
}

/** In words, with the bound: `truncated to 2`, `masked: ρ > 5`, `kept`. */
export function describeFate(
  delta: number,
  thresholds: Thresholds,
  vetoedBy: number | undefined,
  token: number,
): string {
  if (Number.isNaN(delta)) return "no ratio: a log-prob is missing";
  const { level, whole, cap, low, high, veto } = thresholds;
  const ratio = Math.exp(whole ?? delta);
  const of = level === "token" ? "" : level === "sequence" ? " of the sequence" : " of the sequence's mean Δ";
  const effect = effectOn(delta, thresholds);
  if (effect === "vetoed") return `vetoes the sequence: ρ < ${formatNumber(veto)}`;
  if (vetoedBy !== undefined && vetoedBy !== token) return `dropped: t${vetoedBy} vetoes the sequence`;
  if (effect === "masked")
    return ratio < (low ?? 0)
      ? `masked: ρ${of} < ${formatNumber(low, BOUND_DIGITS)}`
      : `masked: ρ${of} > ${formatNumber(high, BOUND_DIGITS)}`;
  return effect === "truncated"
    ? `${of === "" ? "" : `ρ${of} `}truncated to ${formatNumber(cap, BOUND_DIGITS)}`
    : "kept";
}
