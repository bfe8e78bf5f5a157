/**
 * Maps values to one of 31 shades, `q-15` … `q15`, that `color-scale.css` binds to colors. Within its domain, a scale
 * is a power scale of 21 shades, so that small differences stay visible beside large ones (LMdiff does the same with
 * 0.3). Beyond it, five more on each side have a second hue and are logarithmic up to the end. Scales of the mismatch
 * are anchored in nats, so that a color means the same in every run and the noise of sound engines stays uncolored; on
 * request, the run's own scale is used.
 *
 * @module
 */
import "./color-scale.css";

export const SHADES = 10;
/** Shades on each side for what is beyond the domain. */
const BEYOND = 5;
export const LAST = SHADES + BEYOND;
const POWER = 0.4;
/** The domain's share of a drawing's height, if values can be beyond it. */
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

/** Sizes of values, in their own unit: no color below `floor`, the second hue from `domain` to `end`. */
export interface Scale {
  readonly floor: number;
  readonly domain: number;
  /** Equals `domain` if there is no second hue. */
  readonly end: number;
}

/** The scale of Δ, in nats. */
export const NATS: Scale = { floor: 0.05, domain: 1, end: 16 };
/** The scale of means of |Δ| over many tokens, in nats: it begins where published runs of sound engines end. */
export const MEAN_NATS: Scale = { floor: 0.01, domain: 0.1, end: 1 };

/**
 * The run's own scale: the domain ends at its p99.5, the second hue at its largest value. Undefined if p99.5 is unknown
 * or 0.
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
  // A value at the end of a shade belongs to it, however its logarithm is rounded.
  const shade = at > 1 ? SHADES + Math.max(1, Math.ceil(BEYOND * (at - 1) - 1e-9)) : Math.round(SHADES * at);
  return value < 0 ? -shade : shade;
}

/** How high a value is drawn, from 0 to 1 at the end of the scale; what has no color still has a height. */
export function chooseHeight(value: number, scale: Scale): number {
  const at = place(value, { ...scale, floor: 0 });
  if (scale.end <= scale.domain) return at;
  return at > 1 ? KNEE + (1 - KNEE) * (at - 1) : KNEE * at;
}

/** The value in the middle of a shade; beyond the domain, at its end. */
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

/** The class of a value: missing (NaN) and non-finite ones have their own; `over` marks values beyond the scale. */
export function shadeClass(value: number, scale: Scale): string {
  if (Number.isNaN(value)) return "missing";
  if (!Number.isFinite(value)) return "infinite";
  const name = CLASSES[chooseShade(value, scale) + LAST]!;
  return Math.abs(value) > scale.end ? `${name} over` : name;
}
