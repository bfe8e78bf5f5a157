/**
 * Values to one of 31 shades, `q-15` … `q15`, that `color-scale.css` binds to colors. Up to the end of its domain (p99.5 of
 * the run) a symmetric power scale in 21 shades: small differences stay visible beside large ones (LMdiff does the same
 * with 0.3). Beyond it, where the run's largest value is known, five more on each side in a second hue, logarithmic up to
 * that value: the one token in 200 that lies there may be a hundred times as far off. Callers fix both ends; they are
 * never taken from what happens to be in sight, so that a color means the same everywhere in a run.
 *
 * @module
 */
import "./color-scale.css";

export const SHADES = 10;
/** Shades on each side for what is beyond the domain. */
export const BEYOND = 5;
export const LAST = SHADES + BEYOND;
const POWER = 0.4;
/** Share of a drawing's height for the domain, where there are values beyond it. */
const KNEE = 0.7;

export const PALETTES = ["blue-orange", "puor", "prgn", "grey"] as const;
export type Palette = (typeof PALETTES)[number];

export const PALETTE_TITLES: Readonly<Record<Palette, string>> = {
  "blue-orange": "blue–grey–orange",
  puor: "PuOr (purple–orange)",
  prgn: "PRGn (purple–green)",
  grey: "gray (size only)",
};

export function paletteNamed(name: string): Palette {
  return PALETTES.find((palette) => palette === name) ?? "blue-orange";
}

/** From 0 to 1 within the domain, and on to 2 at the largest value. */
function place(value: number, domain: number, largest: number): number {
  const size = Math.abs(value) / domain;
  if (size <= 1) return size ** POWER;
  return largest > domain ? 1 + Math.min(1, Math.log(size) / Math.log(largest / domain)) : 1;
}

/**
 * The shade of a finite value, -15 … 15; values beyond the end of the scale have that of the end.
 *
 * @param largest of the run; where it is not beyond the domain, the scale ends with the domain
 */
export function chooseShade(value: number, domain: number, largest = domain): number {
  const at = place(value, domain, largest);
  // A value at the end of a shade belongs to that shade, however its logarithm is rounded.
  const shade = at > 1 ? SHADES + Math.max(1, Math.ceil(BEYOND * (at - 1) - 1e-9)) : Math.round(SHADES * at);
  return value < 0 ? -shade : shade;
}

/** How high a value is drawn, from 0 to 1 at the end of the scale. */
export function chooseHeight(value: number, domain: number, largest = domain): number {
  const at = place(value, domain, largest);
  if (largest <= domain) return at;
  return at > 1 ? KNEE + (1 - KNEE) * (at - 1) : KNEE * at;
}

/** The value in the middle of a shade; of one beyond the domain, at its end. */
export function valueOfShade(shade: number, domain: number, largest = domain): number {
  const size = Math.abs(shade);
  const value =
    size > SHADES
      ? domain * (largest / domain) ** ((size - SHADES) / BEYOND)
      : domain * (size / SHADES) ** (1 / POWER);
  return Math.sign(shade) * value;
}

const CLASSES = Array.from({ length: 2 * LAST + 1 }, (_, at) => `q${at - LAST}`);

/** Its class: missing (NaN) and non-finite values have their own, `over` marks what is beyond the scale. */
export function shadeClass(value: number, domain: number, largest = domain): string {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return "infinite";
  const name = CLASSES[chooseShade(value, domain, largest) + LAST]!;
  return Math.abs(value) > Math.max(domain, largest) ? `${name} over` : name;
}
