import { formatNumber } from "../../../ui/format.ts";

/** Bounds on a token's ratio ρ, as the parameters `cap`, `low`, `high`, `veto` have them. */
export interface Thresholds {
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
  const bound = (name: keyof Thresholds): number | undefined => {
    const text = params[name];
    const value = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
    return value > 0 && Number.isFinite(value) ? value : undefined;
  };
  return { cap: bound("cap"), low: bound("low"), high: bound("high"), veto: bound("veto") };
}

export function anyThreshold(thresholds: Thresholds): boolean {
  return Object.values(thresholds).some((bound) => bound !== undefined);
}

/** What the thresholds do to a token of this Δ (nats) by itself; a token without Δ is kept. */
export function effectOn(delta: number, { cap, low, high, veto }: Thresholds): Effect {
  const ratio = Math.exp(delta);
  if (veto !== undefined && ratio < veto) return "vetoed";
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
  const { cap, low, high, veto } = thresholds;
  const effect = effectOn(delta, thresholds);
  if (effect === "vetoed") return `vetoes the sequence: ρ < ${formatNumber(veto)}`;
  if (vetoedBy !== undefined && vetoedBy !== token) return `dropped: t${vetoedBy} vetoes the sequence`;
  if (effect === "masked")
    return Math.exp(delta) < (low ?? 0)
      ? `masked: ρ < ${formatNumber(low)}`
      : `masked: ρ > ${formatNumber(high)}`;
  return effect === "truncated" ? `truncated to ${formatNumber(cap)}` : "kept";
}
