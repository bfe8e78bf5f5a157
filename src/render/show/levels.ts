/**
 * How far a value is from neutral, in steps that show decades: level l begins at (l / 6)^(1 / 0.4) of the scale. Weak
 * levels color the letters and strong ones the background, so that they are visible on dark and light terminals. As in
 * the viewer, orange is above neutral and blue below it; metrics with one sign are all orange.
 *
 * @module
 */

import { formatNumber, formatPlain, formatSigned } from "../../core/text/index.ts";
import type { ShowMetric } from "../../results/show.ts";

/** Makes small values visible if the largest are far above the rest. */
export const POWER = 0.4;
/** The last level is beyond the scale. */
const STEPS = 6;
/** From this level on, there is a mark if there is no color. */
export const FIRST_MARKED = 3;

export interface Tint {
  /** 0 to 6. */
  readonly level: number;
  readonly below: boolean;
}

/** SGR parameters (256 colors) by level. Text on a colored background has a contrast of at least 5. */
const ABOVE = ["", "38;5;137", "38;5;166", "48;5;137;38;5;16", "48;5;172;38;5;16", "1;48;5;202;38;5;16"];
const BELOW = ["", "38;5;67", "38;5;32", "48;5;67;38;5;16", "48;5;33;38;5;16", "1;48;5;27;38;5;231"];
const UNDERLINED = ";4";

export function chooseTint(value: number, { neutral, scale, signed }: ShowMetric): Tint {
  const distance = Math.abs(value - neutral) / scale;
  const level = distance >= 1 ? STEPS : Math.floor(STEPS * distance ** POWER + 1e-9);
  return { level: Number.isNaN(level) ? 0 : level, below: signed && value < neutral };
}

/** Undefined if nothing is colored. */
export function tintCode({ level, below }: Tint): string | undefined {
  if (level === 0) return undefined;
  const codes = below ? BELOW : ABOVE;
  return level < codes.length ? codes[level] : codes.at(-1) + UNDERLINED;
}

/** `+` to `++++` above neutral, `-` below it, `!` for metrics with one sign; empty for weak levels. */
export function tintMark({ level, below }: Tint, { signed }: ShowMetric): string {
  const sign = signed ? (below ? "-" : "+") : "!";
  return sign.repeat(Math.max(0, level - FIRST_MARKED + 1));
}

/** The value at which a level begins. */
export function levelBound(level: number, below: boolean, metric: ShowMetric): number {
  const distance = metric.scale * (level / STEPS) ** (1 / POWER);
  return metric.neutral + (isFalling(below, metric) ? -distance : distance);
}

export function showValue(value: number | null, { signed, neutral }: ShowMetric): string {
  return signed && neutral === 0 ? formatSigned(value) : formatNumber(value);
}

/** The start of a level, kept short: a legend has many of them. */
export function showBound(level: number, below: boolean, metric: ShowMetric): string {
  const bound = Number(levelBound(level, below, metric).toPrecision(metric.neutral === 0 ? 2 : 3));
  return (metric.signed && metric.neutral === 0 && bound > 0 ? "+" : "") + formatPlain(bound);
}

/** Log-probs are colored by how far they are below 0. */
function isFalling(below: boolean, { signed, name }: ShowMetric): boolean {
  return signed ? below : name === "logp" || name === "trainer";
}
