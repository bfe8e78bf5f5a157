import {
  type Bound,
  boundsOf,
  boundText,
  hasSetting,
  type Level,
  parseSetting,
} from "../../../state/setting.ts";

/** The bounds on ratios ρ of the address's correction, those that bind. */
export interface Thresholds {
  /** Whose ratio cap and band judge: each token's, or the whole sequence's (of its sum, or its mean of Δ). */
  readonly level: Level;
  /** log ρ of the whole sequence, where that is judged; undefined: each token's own. */
  readonly whole?: number;
  /** Larger ratios are truncated to it. */
  readonly cap: number | undefined;
  /** Tokens outside are masked. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** IcePop: outside the band the weight is 0, and nothing leaves the mask. */
  readonly zeroes: boolean;
  /** One token below it takes its whole sequence away. */
  readonly veto: number | undefined;
}

export type Effect = "kept" | "truncated" | "masked" | "vetoed";

/** Without any parameter of a correction: none. */
export function thresholdsOf(params: Readonly<Record<string, string | undefined>>): Thresholds {
  const setting = parseSetting(hasSetting(params) ? params : { method: "none" });
  const inPlay = boundsOf(setting);
  const bound = (name: Bound, free: number): number | undefined => {
    const value = setting[name];
    return inPlay.includes(name) && value !== null && value !== free ? value : undefined;
  };
  return {
    level: setting.level,
    cap: bound("cap", Infinity),
    low: bound("low", 0),
    high: bound("high", Infinity),
    zeroes: setting.method === "icepop",
    veto: bound("veto", 0),
  };
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
  const { level, whole, cap, low, high, zeroes, veto } = thresholds;
  const ratio = Math.exp(whole ?? delta);
  const of = level === "token" ? "" : level === "sequence" ? " of the sequence" : " of the sequence's mean Δ";
  const effect = effectOn(delta, thresholds);
  if (effect === "vetoed") return `vetoes the sequence: ρ < ${boundText(veto!)}`;
  if (vetoedBy !== undefined && vetoedBy !== token) return `dropped: t${vetoedBy} vetoes the sequence`;
  if (effect === "masked")
    return `${zeroes ? "weight 0" : "masked"}: ρ${of} ${
      ratio < (low ?? 0) ? `< ${boundText(low!)}` : `> ${boundText(high!)}`
    }`;
  return effect === "truncated" ? `${of === "" ? "" : `ρ${of} `}truncated to ${boundText(cap!)}` : "kept";
}
