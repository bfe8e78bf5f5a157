/**
 * Rows of horizontal bars, one row per group and one bar per series in it:
 *
 *              ┬ label ┬ bars and their numbers ──────────┐
 *     TOP      ├───────┼──────────────────────────────────┤
 *              │ turn 0│███████ 0.0043                    │  one row: series × BAR + GROUP_GAP
 *              │       │████ 0.0021                       │
 *              │ turn 1│██ 0.0012                         │
 *
 * Names of any length and narrow pages both stay readable; the height follows from the number of groups.
 *
 * @module
 */
import { type FigureKind, formatFigure } from "../text/display/index.ts";
import { type ChartOptions, fitLabel, withTooltip } from "./frame.ts";
import { PALETTE, type PaletteColor } from "./palette.ts";
import { element, textElement } from "./svg.ts";

export interface BarSeries {
  readonly label: string;
  readonly color: PaletteColor;
  readonly kind: FigureKind;
  /** One value per group; NaN leaves the bar out. */
  readonly values: readonly number[];
}

export interface BarRows {
  readonly groups: readonly string[];
  readonly series: readonly BarSeries[];
  /** Width in pixels for the groups' names, and the characters that fit into it. */
  readonly label: { readonly width: number; readonly characters: number };
  /** Both ends of a value's bar, and the place of its number; undefined draws neither. */
  readonly place: (value: number) => BarPlace | undefined;
}

export interface BarPlace {
  readonly from: number;
  readonly to: number;
  /** The end of the bar beside which the number stands. */
  readonly end: number;
  readonly anchor?: "start" | "end";
}

const BAR = 11;
const GROUP_GAP = 8;
const TOP = 46;
/** Gaps between a bar and its number, and between a name and the bars. */
const [NUMBER_GAP, LABEL_GAP] = [5, 8];

/** The options with the height that the rows need. */
export function sizeForRows<Options extends ChartOptions>(
  options: Options,
  groups: number,
  series: number,
): Options & { readonly height: number } {
  return { ...options, height: TOP + groups * rowHeight(series) };
}

/** A vertical line at 0 through all rows. */
export function drawZeroLine(x: number, height: number): string {
  return element("path", { d: `M${x} ${TOP - 3}V${height}`, stroke: PALETTE.muted });
}

export function drawBarRows({ groups, series, label, place }: BarRows): string[] {
  return groups.map((group, index) => {
    const top = TOP + index * rowHeight(series.length);
    const name = fitLabel(group, label.characters);
    const told = series.map((one) => `${one.label} ${formatFigure(one.values[index], one.kind)}`).join(", ");
    return withTooltip(
      `${name.whole}: ${told}`,
      textElement(name.shown, {
        x: label.width - LABEL_GAP,
        y: top + (series.length * BAR) / 2 + 4,
        "text-anchor": "end",
      }),
      ...series.map((one, at) => drawBar(one, one.values[index] ?? Number.NaN, top + at * BAR, place)),
    );
  });
}

function drawBar({ color, kind }: BarSeries, value: number, y: number, place: BarRows["place"]): string {
  const placed = place(value);
  if (placed === undefined) return "";
  const { from, to, end, anchor } = placed;
  const bar = { x: from, y: y + 1, width: to - from, height: BAR - 2, fill: PALETTE[color] };
  return (
    element("rect", bar) +
    textElement(formatFigure(value, kind), {
      x: end + (anchor === "end" ? -NUMBER_GAP : NUMBER_GAP),
      y: y + BAR - 1.5,
      "text-anchor": anchor,
      "font-size": 10.5,
      fill: PALETTE.muted,
    })
  );
}

function rowHeight(series: number): number {
  return series * BAR + GROUP_GAP;
}
