/**
 * A sequential scale for magnitudes that span decades: nine levels from nothing to the largest value. Lightness falls
 * evenly from level to level (and rises in dark mode), so that it can be read without color, in print and with any
 * color blindness. A level's text color has a contrast of at least 4.5 on it.
 *
 * @module
 */
export const HEAT_LEVELS = 9;

/**
 * An exponent below 1 makes small values differ from 0: the largest value of a sequence is often far above the rest.
 */
const POWER = 0.4;

/** Background and text of each level; level 0 is the page itself. */
export type HeatColors = readonly (readonly [background: string, ink: string])[];

export const LIGHT_HEAT: HeatColors = [
  ["#ffffff", "#1c1e21"],
  ["#fff3d1", "#1c1e21"],
  ["#ffe49f", "#1c1e21"],
  ["#fed070", "#1c1e21"],
  ["#fbb448", "#1c1e21"],
  ["#f1942c", "#1c1e21"],
  ["#dd7217", "#15171a"],
  ["#b14a0a", "#ffffff"],
  ["#742a05", "#ffffff"],
];

export const DARK_HEAT: HeatColors = [
  ["#15171a", "#e6e8eb"],
  ["#2c2214", "#e6e8eb"],
  ["#443012", "#eceef0"],
  ["#5f400f", "#f3f4f5"],
  ["#7c520c", "#ffffff"],
  ["#99650d", "#ffffff"],
  ["#c98a20", "#15171a"],
  ["#ecb244", "#15171a"],
  ["#ffe391", "#15171a"],
];

/** Level of a value not below 0 on a scale that ends at `largest`; NaN has none. */
export function heatLevel(value: number, largest: number): number {
  if (!(value > 0) || !(largest > 0)) return 0;
  return Math.min(HEAT_LEVELS - 1, Math.floor(HEAT_LEVELS * Math.min(1, value / largest) ** POWER + 1e-9));
}

/** The smallest value of each level. */
export function heatBounds(largest: number): number[] {
  return Array.from({ length: HEAT_LEVELS }, (_, level) => largest * (level / HEAT_LEVELS) ** (1 / POWER));
}

/** As a CSS variable, with the light color for a chart that is saved on its own. */
export function heatFill(level: number): string {
  return `var(--lr-h${level}, ${LIGHT_HEAT[level]?.[0] ?? "none"})`;
}

export function heatInk(level: number): string {
  return `var(--lr-i${level}, ${LIGHT_HEAT[level]?.[1] ?? "#000000"})`;
}
