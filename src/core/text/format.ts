/**
 * How numbers are written everywhere in the project (pages use other signs: `render/text/display`): three significant
 * digits, `1.24e-4` below 0.001, thousands separators in counts, `n/a` for missing values. JSON writes NaN as null, so
 * null is also missing. `test/one-formatter.test.ts` fails when another file formats numbers itself.
 *
 * @module
 */

/** A figure, or NaN or null where there is none. */
export type Figure = number | null | undefined;

/** The kind of quantity; decides how a column of figures is written. */
export type FigureKind = "number" | "signed" | "near-one" | "share" | "count" | "id";

export const MISSING = "n/a";

/** Below this, `1.24e-4` replaces the plain decimal. */
const SMALLEST_PLAIN = 1e-3;
const LARGEST_PLAIN = 1e6;
/** A column that needs more decimals than this is easier to compare as `1.24e-3`. */
const MOST_DECIMALS = 5;

/** Three significant digits: `12.3`, `0.0123`, `1.24e-3`, `12,345`, `1.24e6`; `n/a`, `inf`, `-inf`. */
export function formatNumber(value: Figure, digits = 3): string {
  return writeSpecial(value) ?? writePlainOrScientific(value as number, digits);
}

/** Like {@link formatNumber} with `+` before positive values. */
export function formatSigned(value: Figure, digits = 3): string {
  const text = formatNumber(value, digits);
  return isFigure(value) && value > 0 ? `+${text}` : text;
}

/** An integer with thousands separators: `54,994`. */
export function formatCount(value: Figure): string {
  return writeSpecial(value) ?? groupThousands(Math.round(value as number).toFixed(0));
}

/** An identifier that happens to be a number (step, rank, token id): no separators. */
export function formatId(value: Figure): string {
  return isFigure(value) ? String(value) : MISSING;
}

/**
 * A correlation, an effective share or a mean ratio: as many digits as show its distance from 1 (`0.9965`, `0.99993`),
 * because three digits would hide it.
 */
export function formatNearOne(value: Figure): string {
  return writeSpecial(value) ?? writeNearOne(value as number, nearOneDecimals(value as number));
}

/** A probability: three significant digits, and near 1 as many as show its distance from 1 (`0.99967`). */
export function formatProbability(value: Figure): string {
  return isFigure(value) && value >= 0.1 ? formatNearOne(value) : formatNumber(value);
}

/** A fraction of 1 as per cent: `12.3 %`, `0.012 %`, `<0.00001 %`, `>99.9 %`; `0 %` and `100 %` only if exact. */
export function formatShare(fraction: Figure): string {
  if (fraction === 0 || fraction === 1) return `${100 * fraction} %`;
  return writeSpecial(fraction) ?? writePercent(fraction as number, shareDecimals(fraction as number));
}

/** A fraction that was chosen round (a limit, a tolerance) as per cent: `5 %`, `0.1 %`. */
export function formatPlainShare(fraction: Figure): string {
  return isFigure(fraction) ? `${formatPlain(100 * fraction)} %` : MISSING;
}

/** The probability of a judgment in whole per cents: it is known to a few points at best. */
export function formatChance(probability: number): string {
  if (probability > 0.99) return "over 99 %";
  if (probability < 0.01) return "under 1 %";
  return formatPlainShare(Math.round(probability * 100) / 100);
}

/** A correlation or an effect size, with the two decimals that are meaningful. */
export function formatCoefficient(value: Figure): string {
  return isFigure(value) ? value.toFixed(2) : formatNumber(value);
}

/** A value as another program prints it, with fixed decimals and no separators; infinities as Python writes them. */
export function formatFixed(value: number, decimals: number): string {
  if (Number.isFinite(value)) return value.toFixed(decimals);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** `1 token`, `25,257 tokens`. Nouns with an irregular plural pass it. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A share that may be nearly all, with as many digits as show what is missing: `99.9987 %`. */
export function formatNearWhole(fraction: Figure): string {
  const missing = isFigure(fraction) ? 100 * (1 - fraction) : Number.NaN;
  if (!(missing <= 1 && missing >= 1e-9)) return formatShare(fraction);
  return writePercent(fraction as number, Math.min(7, 1 + Math.ceil(-Math.log10(missing))));
}

/** A number that was chosen round (a threshold, an edge, a reward): `10`, `0.05`, `1e-4`, without the zeros of precision. */
export function formatPlain(value: Figure): string {
  const special = writeSpecial(value);
  if (special !== undefined) return special;
  const given = value as number;
  const isWhole = Number.isInteger(given) && Math.abs(given) < LARGEST_PLAIN;
  const rounded = isWhole ? given : Number(given.toPrecision(3));
  return Math.abs(rounded) >= SMALLEST_PLAIN ? groupThousands(String(rounded)) : rounded.toExponential();
}

/** `512 B`, `1.2 kB`, `3.4 MB` (powers of 1000). */
export function formatBytes(bytes: Figure): string {
  if (!isFigure(bytes)) return MISSING;
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let size = bytes;
  let unit = 0;
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || Math.abs(size) >= 99.95 ? size.toFixed(0) : size.toFixed(1)} ${units[unit]}`;
}

export function formatFigure(value: Figure, kind: FigureKind): string {
  return FORMATTERS[kind](value);
}

/**
 * Writes a column of figures in one style, so that right-aligned they compare at a glance: the same number of decimals
 * if five keep two significant digits of the smallest, otherwise all as `1.24e-3`.
 */
export function formatColumn(values: readonly Figure[], kind: FigureKind): string[] {
  const sizes = values
    .filter(isFigure)
    .map(Math.abs)
    .filter((size) => size > 0);
  if (sizes.length === 0 || kind === "count" || kind === "id")
    return values.map((value) => formatFigure(value, kind));
  if (kind === "near-one") {
    const wanted = values.filter(isFigure).map(nearOneDecimals);
    const decimals = Math.min(findLargest(wanted), 2 + findSmallest(wanted));
    return values.map((value) => writeSpecial(value) ?? writeNearOne(value as number, decimals));
  }
  if (kind === "share") {
    const decimals = Math.min(shareDecimals(findSmallest(sizes)), 1 + shareDecimals(findLargest(sizes)));
    return values.map((value) => writeSpecial(value) ?? writePercent(value as number, decimals));
  }
  const write = numberStyle(findSmallest(sizes), findLargest(sizes));
  return values.map((value) => {
    const text = writeSpecial(value) ?? write(value as number);
    return kind === "signed" && isFigure(value) && value > 0 ? `+${text}` : text;
  });
}

/** Two figures with as many digits as needed to distinguish them (at most nine significant ones). */
export function formatPair(left: Figure, right: Figure): [string, string] {
  if (isFigure(left) && isFigure(right)) {
    for (let digits = 3; digits <= 9; digits++) {
      const pair: [string, string] = [
        writePlainOrScientific(left, digits),
        writePlainOrScientific(right, digits),
      ];
      if (pair[0] !== pair[1]) return pair;
    }
  }
  return [formatNumber(left), formatNumber(right)];
}

export function isFigure(value: Figure): value is number {
  return Number.isFinite(value);
}

/** NaN, or null as in JSON; infinities are values. */
export function isMissing(value: Figure): value is null | undefined {
  return value === null || value === undefined || Number.isNaN(value);
}

const FORMATTERS: Readonly<Record<FigureKind, (value: Figure) => string>> = {
  number: formatNumber,
  signed: formatSigned,
  "near-one": formatNearOne,
  share: formatShare,
  count: formatCount,
  id: formatId,
};

/** A result read from JSON has names in place of infinities. */
function writeSpecial(value: Figure): string | undefined {
  if (isMissing(value)) return MISSING;
  const name = String(value);
  if (name === "Infinity") return "inf";
  if (name === "-Infinity") return "-inf";
  return value === 0 ? "0" : undefined;
}

function writePlainOrScientific(value: number, digits = 3): string {
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  if (size === 0) return "0";
  if (size < SMALLEST_PLAIN || size >= LARGEST_PLAIN) return writeScientific(value, digits);
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return groupThousands(value.toFixed(decimals));
}

function writeScientific(value: number, digits = 3): string {
  return value.toExponential(digits - 1).replace("e+", "e");
}

function numberStyle(smallest: number, largest: number): (value: number) => string {
  const digits = (value: number, significant: number): number =>
    significant - 1 - Math.floor(Math.log10(Number(value.toPrecision(significant))));
  const decimals = Math.max(0, digits(largest, 3), digits(smallest, 2));
  if (decimals <= MOST_DECIMALS && largest < LARGEST_PLAIN)
    return (value) => groupThousands(value.toFixed(decimals));
  return largest < 1 ? (value) => writeScientific(value) : (value) => writePlainOrScientific(value);
}

/** Some tens of roundings of float64: what sums over a run leave where their result is 1. */
const ROUNDING = 64 * Number.EPSILON;
const isOne = (value: number): boolean => Math.abs(1 - value) <= ROUNDING;

function nearOneDecimals(value: number): number {
  if (isOne(value)) return 3;
  const distance = Math.abs(1 - value);
  return Math.min(8, Math.max(3, 1 - Math.floor(Math.log10(distance))));
}

function writeNearOne(value: number, decimals: number): string {
  const size = Math.abs(value);
  if (isOne(value)) return "1";
  // Fixed decimals would leave only one digit of such a value.
  if (size >= 10 || size < 1e-2) return writePlainOrScientific(value);
  const text = value.toFixed(decimals);
  if (Number(text) !== 1) return text;
  return value < 1 ? `1-${writeScientific(1 - value, 2)}` : `1+${writeScientific(value - 1, 2)}`;
}

/** Never "0 %" for a positive share, never "100 %" for less than all. @param fraction not 0 */
function writePercent(fraction: number, decimals: number): string {
  const step = 10 ** -decimals;
  const text = (fraction * 100).toFixed(decimals);
  if (Number(text) === 0) return `<${step.toFixed(decimals)} %`;
  if (fraction < 1 && Number(text) >= 100) return `>${(100 - step).toFixed(decimals)} %`;
  return `${text} %`;
}

/** @param fraction not 0 */
function shareDecimals(fraction: number): number {
  const percent = Math.abs(fraction) * 100;
  return Math.max(1, Math.min(5, 1 - Math.floor(Math.log10(percent))));
}

function findLargest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
}

function findSmallest(values: readonly number[]): number {
  return values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
}

function groupThousands(digits: string): string {
  const [whole = "", ...decimals] = digits.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...decimals].join(".");
}
