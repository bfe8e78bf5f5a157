import { type Figure, type FigureKind, formatColumn, isFigure } from "../text/display/index.ts";
import {
  type ChartOptions,
  DEFAULT_WIDTH,
  drawChart,
  drawEmptyChart,
  fitLabel,
  withTooltip,
} from "./frame.ts";
import { PALETTE, type PaletteColor } from "./palette.ts";
import { element, pixel, textElement } from "./svg.ts";

export interface IntervalBar {
  readonly label: string;
  /** Not negative; null draws no bar. */
  readonly value: Figure;
  readonly low: Figure;
  readonly high: Figure;
  readonly color: PaletteColor;
}

export interface IntervalBarsOptions extends ChartOptions {
  readonly kind: FigureKind;
  /** The meaning of bars and whiskers: `mean KL, nats, with its 95 % interval`. */
  readonly unit: string;
}

const ROW = 22;
const BAR = 12;
const TOP = 46;
const LABEL_WIDTH = 112;
const LABEL_CHARACTERS = 18;
const VALUE_WIDTH = 58;

/** Horizontal bars from 0, each with its number and, if known, its interval as a whisker. */
export function intervalBars(bars: readonly IntervalBar[], options: IntervalBarsOptions): string {
  const { width = DEFAULT_WIDTH, kind, unit } = options;
  const sized = { ...options, height: TOP + bars.length * ROW + 6 };
  if (bars.length === 0) return drawEmptyChart(options, "no values");
  const largest = bars
    .flatMap(({ value, high }) => [value, high])
    .reduce<number>((most, value) => (isFigure(value) && value > most ? value : most), 0);
  const room = width - LABEL_WIDTH - VALUE_WIDTH;
  const at = (value: number): number =>
    LABEL_WIDTH + (largest > 0 ? Math.max(0, (value / largest) * room) : 0);
  const figures = formatColumn(
    bars.map(({ value }) => value),
    kind,
  );
  const rows = bars.map((bar, index) => {
    const middle = TOP + index * ROW + ROW / 2;
    const label = fitLabel(bar.label, LABEL_CHARACTERS);
    const { value, low, high } = bar;
    const known = isFigure(value);
    const hasInterval = isFigure(low) && isFigure(high);
    const figure = known ? (figures[index] ?? "") : "–";
    const interval = hasInterval ? formatColumn([low, high], kind).join(" to ") : "";
    const shapes = known
      ? [
          element("rect", {
            x: LABEL_WIDTH,
            y: middle - BAR / 2,
            width: at(value) - LABEL_WIDTH,
            height: BAR,
            fill: PALETTE[bar.color],
            "fill-opacity": 0.75,
          }),
          hasInterval ? drawWhisker(at(low), at(high), middle) : "",
        ]
      : [];
    const end = Math.max(known ? at(value) : LABEL_WIDTH, hasInterval ? at(high) : LABEL_WIDTH);
    return withTooltip(
      `${label.whole}: ${known ? figure : "not known"}${interval === "" ? "" : `, ${interval}`}`,
      textElement(label.shown, { x: LABEL_WIDTH - 8, y: middle + 4, "text-anchor": "end" }),
      ...shapes,
      textElement(figure, { x: end + 6, y: middle + 4, "font-size": 10.5, fill: PALETTE.muted }),
    );
  });
  const foot = element("path", {
    d: `M${LABEL_WIDTH} ${TOP - 2}V${TOP + bars.length * ROW}`,
    stroke: PALETTE.muted,
  });
  const caption = textElement(unit, { x: 0, y: 33, fill: PALETTE.muted });
  const told = bars
    .map(({ label, value }, index) => `${label} ${isFigure(value) ? figures[index] : "not known"}`)
    .join(", ");
  return drawChart(sized, `${unit}: ${told}`, [], [caption, ...rows, foot]);
}

function drawWhisker(from: number, to: number, y: number): string {
  return element("path", {
    d: `M${pixel(from)} ${pixel(y)}H${pixel(to)}M${pixel(from)} ${pixel(y - 4)}v8M${pixel(to)} ${pixel(y - 4)}v8`,
    stroke: PALETTE.ink,
    "stroke-width": 1.3,
    fill: "none",
  });
}
