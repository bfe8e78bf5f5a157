/**
 * The correction that one plays with, as the address has it: `level`, `method`, and of `cap`, `low`, `high`, `veto`
 * (ratios) those that the method has; the token strip shows what they do.
 *
 * @module
 */
import type { ExactQuestion } from "../../../src/results/index.ts";
import type { StepRange } from "./step-range.ts";

export const LEVELS = ["token", "sequence", "geometric"] as const;
export type Level = (typeof LEVELS)[number];

export const METHODS = ["none", "truncate", "mask", "both", "icepop"] as const;
export type Method = (typeof METHODS)[number];

export const BOUNDS = ["cap", "low", "high", "veto"] as const;
export type Bound = (typeof BOUNDS)[number];

export interface Setting {
  readonly level: Level;
  readonly method: Method;
  /** Weights above it become it. */
  readonly cap: number;
  /** The band; 0 and infinity do not bind. */
  readonly low: number;
  readonly high: number;
  /** A sequence with a token ratio below it is dropped; null: none. */
  readonly veto: number | null;
}

type Params = Readonly<Record<string, string | undefined>>;

/** What bounds are when they come into play: means of many ratios lie far closer to 1 than single ones. */
const USUAL: Readonly<Record<Level, Pick<Setting, "cap" | "low" | "high">>> = {
  token: { cap: 2, low: 0.5, high: 2 },
  sequence: { cap: 2, low: 0.5, high: 2 },
  geometric: { cap: 1.01, low: 0.99, high: 1.01 },
};
export const USUAL_VETO = 1e-4;

/** Whether an address says anything about a correction; without, {@link parseSetting} gives the usual one. */
export function hasSetting(params: Params): boolean {
  return [params.level, params.method, ...BOUNDS.map((name) => params[name])].some(
    (text) => text !== undefined,
  );
}

export function parseSetting(params: Params): Setting {
  const level = LEVELS.find((name) => name === params.level) ?? "token";
  const usual = USUAL[level];
  const number = (name: Bound): number | undefined => {
    const text = params[name];
    const value = text === "inf" ? Number.POSITIVE_INFINITY : text?.trim() ? Number(text) : Number.NaN;
    return value >= 0 ? value : undefined;
  };
  const [low, high] = [number("low"), number("high")];
  const ordered = (low ?? usual.low) <= (high ?? usual.high);
  return {
    level,
    method: METHODS.find((name) => name === params.method) ?? impliedMethod(params),
    cap: number("cap") ?? usual.cap,
    low: ordered ? (low ?? usual.low) : usual.low,
    high: ordered ? (high ?? usual.high) : usual.high,
    veto: number("veto") ?? null,
  };
}

/** Of an address that has bounds only, as the token strip's may. */
function impliedMethod({ cap, low, high, veto }: Params): Method {
  const band = low !== undefined || high !== undefined;
  if (band) return cap === undefined ? "mask" : "both";
  return cap === undefined && veto !== undefined ? "none" : "truncate";
}

/** Undefined takes a parameter away: only bounds that are in play may be there. */
export function settingParams(setting: Setting): Record<"level" | "method" | Bound, string | undefined> {
  const has = boundsOf(setting);
  const bound = (name: Bound): string | undefined => {
    const value = setting[name];
    return has.includes(name) && value !== null ? boundText(value) : undefined;
  };
  return {
    level: setting.level,
    method: setting.method,
    cap: bound("cap"),
    low: bound("low"),
    high: bound("high"),
    veto: bound("veto"),
  };
}

/** Four digits, which a pointer cannot beat and a config can hold. */
export function boundText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "inf";
}

/** The bounds that are in play, in the order in which they are listed. */
export function boundsOf({ method, veto }: Setting): readonly Bound[] {
  return [
    ...(hasCap(method) ? (["cap"] as const) : []),
    ...(hasBand(method) ? (["low", "high"] as const) : []),
    ...(veto === null ? [] : (["veto"] as const)),
  ];
}

export function hasCap(method: Method): boolean {
  return method === "truncate" || method === "both";
}

export function hasBand(method: Method): boolean {
  return method === "mask" || method === "both" || method === "icepop";
}

/** The same method at another level, with that level's usual bounds. */
export function atLevel(setting: Setting, level: Level): Setting {
  return { ...setting, level, ...USUAL[level] };
}

/** Another bound; the ends of the band never cross. */
export function withBound(setting: Setting, name: Bound, value: number): Setting {
  if (name === "low") return { ...setting, low: Math.min(value, setting.high) };
  if (name === "high") return { ...setting, high: Math.max(value, setting.low) };
  return { ...setting, [name]: value };
}

/** What the server is asked, over these steps or all. */
export function questionOf(
  { level, method, cap, low, high, veto }: Setting,
  steps: StepRange | null = null,
): ExactQuestion {
  const weighted = hasCap(method) || method === "icepop";
  const banded = hasBand(method);
  const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return {
    weights: {
      level: weighted ? level : "none",
      upper: hasCap(method) ? finite(cap) : null,
      lower: null,
    },
    mask: {
      level: banded ? level : "none",
      upper: banded ? finite(high) : null,
      lower: banded && low > 0 ? low : null,
      ...(method === "icepop" && { action: "zero" }),
    },
    veto,
    ...(steps !== null && { steps }),
  };
}
