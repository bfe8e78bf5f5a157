/**
 * Values to one of 21 shades, `q-10` … `q0` … `q10`, that `colour-scale.css` binds to colors. A symmetric power scale:
 * small differences stay visible beside large ones (LMdiff does the same with 0.3). The domain is fixed by whoever asks,
 * never taken from what happens to be in sight, so that a color means the same everywhere in a run.
 *
 * @module
 */
import "./colour-scale.css";

export const SHADES = 10;
const POWER = 0.4;

export const PALETTES = ["blue-orange", "puor", "prgn", "grey"] as const;
export type Palette = (typeof PALETTES)[number];

export const PALETTE_TITLES: Readonly<Record<Palette, string>> = {
  "blue-orange": "blue–grey–orange",
  puor: "PuOr (purple–orange)",
  prgn: "PRGn (purple–green)",
  grey: "grey (size only)",
};

export function paletteNamed(name: string): Palette {
  return PALETTES.find((palette) => palette === name) ?? "blue-orange";
}

/** The shade of a finite value, -10 … 10; values beyond ±domain have that of the end. */
export function chooseShade(value: number, domain: number): number {
  const share = Math.min(1, Math.abs(value) / domain);
  const shade = Math.round(SHADES * share ** POWER);
  return value < 0 ? -shade : shade;
}

/** The value in the middle of a shade. */
export function valueOfShade(shade: number, domain: number): number {
  return Math.sign(shade) * domain * (Math.abs(shade) / SHADES) ** (1 / POWER);
}

const CLASSES = Array.from({ length: 2 * SHADES + 1 }, (_, at) => `q${at - SHADES}`);

/** Its class: missing (NaN) and non-finite values have their own, `over` marks what is beyond the scale. */
export function shadeClass(value: number, domain: number): string {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return "infinite";
  const name = CLASSES[chooseShade(value, domain) + SHADES]!;
  return Math.abs(value) > domain ? `${name} over` : name;
}
