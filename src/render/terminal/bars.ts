import { isFigure } from "../../core/text/index.ts";

const HEIGHTS = { unicode: "▁▂▃▄▅▆▇█", ascii: ".:-=+*#@" } as const;
const EIGHTHS = " ▏▎▍▌▋▊▉";

/**
 * If the largest value is more than this times the smallest above 0, only a logarithmic scale can tell values apart.
 */
const DECADES = 100;

/** The scale on which values are drawn. The caller must say so if it is logarithmic. */
export function chooseScale(values: readonly number[]): "linear" | "log" {
  const [low, high] = findRange(values);
  return high > DECADES * low ? "log" : "linear";
}

/**
 * Values as one row of characters, from 0 to the largest: flat series look flat. A logarithmic scale starts at the
 * smallest above 0. More values than columns are folded by their maximum, so that a spike of one step stays. Missing
 * values leave a gap.
 */
export function sparkline(
  values: readonly number[],
  columns: number,
  unicode: boolean,
  scale: "linear" | "log" = "linear",
): string {
  const cells = foldByMaximum(values, columns);
  if (scale === "log") return logCells(cells, unicode);
  const largest = cells.reduce((most, value) => (isFigure(value) && value > most ? value : most), 0);
  return cells.map((value) => heightCharacter(largest > 0 ? value / largest : value * 0, unicode)).join("");
}

function logCells(cells: readonly number[], unicode: boolean): string {
  const [low, high] = findRange(cells).map(Math.log);
  const height = (value: number): number => {
    if (Number.isNaN(value) || !(value > 0)) return value * 0;
    // In the middle of a height, where rounding does no harm; the lowest value must not look like a gap.
    return Math.min(1, (0.5 + (7 * (Math.log(value) - low!)) / (high! - low!)) / 8);
  };
  return cells.map((value) => heightCharacter(height(value), unicode)).join("");
}

/** The smallest and the largest finite value above 0. */
function findRange(values: readonly number[]): [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!(value > 0 && value < Number.POSITIVE_INFINITY)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

/** A horizontal bar of `share` (0 to 1) of `columns`, in eighths of a column where the terminal has them. */
export function bar(share: number, columns: number, unicode: boolean): string {
  if (!(share > 0)) return "";
  if (!unicode) return "#".repeat(Math.max(1, Math.round(Math.min(1, share) * columns)));
  const eighths = Math.max(1, Math.round(Math.min(1, share) * columns * 8));
  const rest = eighths % 8;
  return "█".repeat(Math.floor(eighths / 8)) + (rest === 0 ? "" : EIGHTHS.charAt(rest));
}

/** A share of 1 as one of eight heights; NaN as a gap. */
export function heightCharacter(share: number, unicode: boolean): string {
  if (Number.isNaN(share)) return " ";
  const heights = unicode ? HEIGHTS.unicode : HEIGHTS.ascii;
  return heights.charAt(Math.max(0, Math.min(7, Math.ceil(share * 8) - 1)));
}

function foldByMaximum(values: readonly number[], columns: number): number[] {
  const bins = Math.min(columns, values.length);
  return Array.from({ length: bins }, (_, bin) => {
    let most = Number.NaN;
    for (const value of cutBin(values, bin, bins)) if (!(value <= most) && !Number.isNaN(value)) most = value;
    return most;
  });
}

function cutBin(values: readonly number[], bin: number, bins: number): readonly number[] {
  return values.slice(
    Math.floor((bin * values.length) / bins),
    Math.floor(((bin + 1) * values.length) / bins),
  );
}
