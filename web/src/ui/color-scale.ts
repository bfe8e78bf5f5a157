/**
 * Values to one of 31 shades, `q-15` … `q15`, that `color-scale.css` binds to colors. Up to the end of its domain a
 * symmetric power scale in 21 shades: small differences stay visible beside large ones (LMdiff does the same with 0.3).
 * Beyond it five more on each side in a second hue, logarithmic up to the end. Scales of the mismatch are anchored in nats,
 * so that a color means the same in every run and the noise of sound engines has none; on request they are the run's own.
 *
 * @module
 */
import "./color-scale.css";

export const SHADES = 10;
/** Shades on each side for what is beyond the domain. */
const BEYOND = 5;
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

/** Sizes of values, in their own unit: none has a color below `floor`, and the second hue is from `domain` to `end`. */
export interface Scale {
  readonly floor: number;
  readonly domain: number;
  /** The domain's where there is no second hue. */
  readonly end: number;
}

/** Of Δ, in nats. */
export const NATS: Scale = { floor: 0.05, domain: 1, end: 16 };
/** Of means of |Δ| over many tokens, in nats: it begins where published runs of sound engines end. */
export const MEAN_NATS: Scale = { floor: 0.01, domain: 0.1, end: 1 };

/**
 * The scale of a run: the domain ends with its p99.5, the second hue with its largest value. Undefined where the run has
 * no such value, or only 0.
 */
export function runScale(domain: number | null, largest: number | null): Scale | undefined {
  if (domain === null || !(domain > 0) || !Number.isFinite(domain)) return undefined;
  return { floor: 0, domain, end: Number.isFinite(largest) ? Math.max(domain, largest!) : domain };
}

/** From 0 to 1 within the domain, and on to 2 at the end. */
function place(value: number, { floor, domain, end }: Scale): number {
  const size = Math.abs(value);
  if (size <= domain) return Math.max(0, (size - floor) / (domain - floor)) ** POWER;
  return end > domain ? 1 + Math.min(1, Math.log(size / domain) / Math.log(end / domain)) : 1;
}

/** The shade of a finite value, -15 … 15; values beyond the end of the scale have that of the end. */
export function chooseShade(value: number, scale: Scale): number {
  const at = place(value, scale);
  // A value at the end of a shade belongs to that shade, however its logarithm is rounded.
  const shade = at > 1 ? SHADES + Math.max(1, Math.ceil(BEYOND * (at - 1) - 1e-9)) : Math.round(SHADES * at);
  return value < 0 ? -shade : shade;
}

/** How high a value is drawn, from 0 to 1 at the end of the scale; what has no color still has a height. */
export function chooseHeight(value: number, scale: Scale): number {
  const at = place(value, { ...scale, floor: 0 });
  if (scale.end <= scale.domain) return at;
  return at > 1 ? KNEE + (1 - KNEE) * (at - 1) : KNEE * at;
}

/** The value in the middle of a shade; of one beyond the domain, at its end. */
export function valueOfShade(shade: number, { floor, domain, end }: Scale): number {
  const size = Math.abs(shade);
  if (size === 0) return 0;
  const value =
    size > SHADES
      ? domain * (end / domain) ** ((size - SHADES) / BEYOND)
      : floor + (domain - floor) * (size / SHADES) ** (1 / POWER);
  return Math.sign(shade) * value;
}

const CLASSES = Array.from({ length: 2 * LAST + 1 }, (_, at) => `q${at - LAST}`);

/** Its class: missing (NaN) and non-finite values have their own, `over` marks what is beyond the scale. */
export function shadeClass(value: number, scale: Scale): string {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return "infinite";
  const name = CLASSES[chooseShade(value, scale) + LAST]!;
  return Math.abs(value) > scale.end ? `${name} over` : name;
}
