/**
 * Scales: from values to pixels, with ticks at round values.
 *
 * @module
 */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  /** Pixel of a value; values outside the domain map outside the range. */
  map(value: number): number;
  readonly ticks: readonly Tick[];
}

/** A scale with its inverse. */
export interface ExactScale extends Scale {
  /** The value of a pixel; the inverse of `map`, within the ends of the domain. */
  valueAt(pixel: number): number;
}

/** Domain or range as its two ends. */
export type Ends = readonly [number, number];

/** Fraction of the space between two ticks: values this little below 0 need no tick there. */
const HARDLY = 0.05;

/** Linear, with the domain widened to round ticks. */
export function linearScale(domain: Ends, range: Ends, ticks = 5): Scale {
  const [low, high] = widen(domain);
  const step = niceStep((high - low) / ticks);
  const isHardlyBelow = low < 0 && high > 0 && -low < HARDLY * step;
  const from = isHardlyBelow ? 0 : Math.floor(low / step + 1e-9);
  const to = Math.ceil(high / step - 1e-9);
  const map = interpolate([isHardlyBelow ? low : from * step, to * step], range);
  const values = Array.from({ length: to - from + 1 }, (_, index) => (from + index) * step);
  return { map, ticks: values.map((value) => ({ at: map(value), label: tickLabel(value) })) };
}

/**
 * Like {@link linearScale} without widening, for axes of steps, where empty ends would look like missing data. Ticks
 * are at least `least` apart.
 */
export function exactScale(domain: Ends, range: Ends, ticks = 6, least = 1): ExactScale {
  const [low, high] = widen(domain);
  const step = Math.max(least, niceStep((high - low) / ticks));
  const map = interpolate([low, high], range);
  const from = Math.ceil(low / step - 1e-9);
  const to = Math.floor(high / step + 1e-9);
  const values = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => (from + index) * step);
  const back = interpolate(range, [low, high]);
  return {
    map,
    valueAt: (pixel) => Math.min(high, Math.max(low, back(pixel))),
    ticks: values.map((value) => ({ at: map(value), label: tickLabel(value) })),
  };
}

/** Logarithmic over whole decades; both ends must be positive. */
export function logScale(domain: Ends, range: Ends, ticks = 6): Scale {
  const low = Math.floor(Math.log10(domain[0]) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(domain[1]) - 1e-9));
  const toPixel = interpolate([low, high], range);
  const map = (value: number): number => toPixel(Math.log10(value));
  const every = Math.ceil((high - low) / ticks);
  return {
    map,
    ticks: decades(low, high, every).map((power) => ({ at: toPixel(power), label: powerLabel(power) })),
  };
}

/** Logarithmic heights of counts, with 0 at the foot, so that a count of 1 still has a bar. */
export function countScale(most: number, range: Ends): Scale {
  const top = Math.max(1, Math.log10(1 + most));
  const toPixel = interpolate([0, top], range);
  const map = (count: number): number => toPixel(Math.log10(1 + Math.max(0, count)));
  const powers = decades(0, Math.floor(Math.log10(Math.max(1, most))), Math.max(1, Math.ceil(top / 6)));
  return { map, ticks: powers.map((power) => ({ at: map(10 ** power), label: countLabel(power) })) };
}

/**
 * Logarithmic on both sides of 0 and linear within `threshold` of it, where each side gets half a decade. A domain on
 * one side of 0 keeps only that side.
 */
export function signedLogScale(domain: Ends, threshold: number, range: Ends, ticks = 7): Scale {
  const stretch = (value: number): number => {
    const size = Math.abs(value) / threshold;
    const decadesOut = size <= 1 ? size * 0.5 : Math.log10(size) + 0.5;
    return value < 0 ? -decadesOut : decadesOut;
  };
  const toPixel = interpolate([stretch(domain[0]), stretch(domain[1])], range);
  const map = (value: number): number => toPixel(stretch(value));
  const first = Math.ceil(Math.log10(threshold) - 1e-9);
  const sides = [domain[0] < 0 ? -1 : 0, domain[1] > 0 ? 1 : 0].filter((side) => side !== 0);
  const last = Math.floor(Math.log10(Math.max(Math.abs(domain[0]), Math.abs(domain[1]), threshold)) + 1e-9);
  const every = Math.max(1, Math.ceil(((last - first + 1) * sides.length) / ticks));
  const values = [0];
  // From the outermost decade inwards, so that the ends of the axis have labels; the innermost ones would crowd the 0.
  for (const side of sides)
    for (let power = last; power > first + every / 2; power -= every) values.push(side * 10 ** power);
  return {
    map,
    ticks: values
      .filter((value) => value >= domain[0] && value <= domain[1])
      .sort((a, b) => a - b)
      .map((value) => ({
        at: map(value),
        label:
          value === 0 ? "0" : (value < 0 ? "−" : "") + powerLabel(Math.round(Math.log10(Math.abs(value)))),
      })),
  };
}

function interpolate([low, high]: Ends, [from, to]: Ends): (value: number) => number {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

function widen([low, high]: Ends): Ends {
  if (!(Number.isFinite(low) && Number.isFinite(high))) return [0, 1];
  if (low === high) return low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
  return [low, high];
}

/** 1, 2 or 5 times a power of ten, and at least `rough`. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function decades(low: number, high: number, every: number): number[] {
  const powers: number[] = [];
  for (let power = low; power <= high; power += Math.max(1, every)) powers.push(power);
  return powers;
}

function tickLabel(value: number): string {
  const rounded = Number(value.toPrecision(9));
  const size = Math.abs(rounded);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return rounded.toExponential().replace("e+", "e");
  return String(rounded);
}

function powerLabel(power: number): string {
  return power >= -2 && power <= 3 ? tickLabel(10 ** power) : `1e${power}`;
}

function countLabel(power: number): string {
  if (power < 3) return String(10 ** power);
  const [unit, base] = power < 6 ? ["k", 3] : power < 9 ? ["M", 6] : ["G", 9];
  return `${10 ** (power - base)} ${unit}`;
}
