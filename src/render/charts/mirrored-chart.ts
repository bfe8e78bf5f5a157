import { formatColumn, formatCount, formatPlain, formatShare, isFigure } from "../text/display/index.ts";
import type { ChartColor } from "./chart-colors.ts";
import { type ChartOptions, drawChart, drawEmptyChart, drawXAxis, plotArea } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { type Scale, signedLogScale, type Tick } from "./scale.ts";
import { element, textElement, tooltip } from "./svg.ts";

export interface MirroredSide {
  readonly label: string;
  readonly color: ChartColor;
  readonly counts: ArrayLike<number>;
  /** The median, marked with a line. */
  readonly median?: number;
}

export interface MirroredOptions extends ChartOptions {
  readonly xLabel: string;
  /** One more edge than the counts of either side, ascending. */
  readonly edges: ArrayLike<number>;
  /** For values above 0, or for values with a sign. */
  readonly axis: "log" | "signed";
  /**
   * `share`: shares of each side, so that sides of different size can be compared; `log`: logarithms of counts, so that
   * a single one is visible.
   */
  readonly heights: "share" | "log";
}

/** Two histograms with the same bars, one above the axis and one below it. */
export function mirroredChart(above: MirroredSide, below: MirroredSide, options: MirroredOptions): string {
  const sides = [above, below].map((side) => {
    const counts = Array.from(side.counts);
    return { ...side, counts, total: counts.reduce((sum, count) => sum + count, 0) };
  });
  const edges = Array.from(options.edges);
  const used = usedBars(sides.map(({ counts }) => counts));
  if (used === undefined || sides.some(({ total }) => total === 0))
    return drawEmptyChart(options, "no values on one side");
  const { left, right, top, bottom } = plotArea(options, true, 8);
  const plot = { left, right, top: top - 14, bottom };
  const ends = [edges[used[0]]!, edges[used[1] + 1]!] as const;
  const x = xScale(options, ends, [left, right]);
  const middle = (plot.top + bottom) / 2;
  const scaleCount = (count: number, total: number): number =>
    options.heights === "share" ? count / total : Math.log1p(count);
  const most = Math.max(
    ...sides.flatMap(({ counts, total }) => counts.map((count) => scaleCount(count, total))),
  );
  const drawn = sides.map((side, at) =>
    drawSide(side, {
      edges,
      x,
      middle,
      toward: at === 0 ? -1 : 1,
      room: middle - plot.top - 4,
      measure: (count) => scaleCount(count, side.total) / most,
      isLog: options.axis === "log",
    }),
  );
  const medians = formatColumn(
    sides.map(({ median }) => median),
    "number",
  );
  const legend = sides.map(({ label, color, total, median }, side) => ({
    label: `${label} ${side === 0 ? "↑" : "↓"}: ${formatCount(total)}${isFigure(median) ? `, median ${medians[side]}` : ""}`,
    color,
  }));
  return drawChart(options, `${legend.map(({ label }) => label).join("; ")}; ${options.xLabel}`, legend, [
    ...drawn,
    element("path", { d: `M${left} ${middle}H${right}`, stroke: PALETTE.muted }),
    drawXAxis(x, plot, options.xLabel),
    textElement(options.heights === "share" ? "share of each" : "log heights", {
      x: right,
      y: plot.top + 4,
      "text-anchor": "end",
      fill: PALETTE.muted,
    }),
  ]);
}

interface SidePlace {
  readonly edges: readonly number[];
  readonly x: ReturnType<typeof xScale>;
  /** Position of the axis, px. */
  readonly middle: number;
  /** -1 if bars go up from the axis. */
  readonly toward: 1 | -1;
  /** Length of the longest bar, px. */
  readonly room: number;
  /** A bar's length as a share of the longest. */
  readonly measure: (count: number) => number;
  readonly isLog: boolean;
}

/** The bars of one side and the mark of its median. */
function drawSide(
  {
    label,
    color,
    counts,
    total,
    median,
  }: MirroredSide & { readonly counts: number[]; readonly total: number },
  { edges, x, middle, toward, room, measure, isLog }: SidePlace,
): string {
  const bars = counts.map((count, bar) => {
    if (count === 0) return "";
    const [from, to] = [edges[bar]!, edges[bar + 1]!];
    const height = Math.max(1, measure(count) * room);
    const [start, end] = [x.map(from), x.map(to)];
    return element(
      "rect",
      {
        x: start + 0.5,
        y: toward < 0 ? middle - height : middle,
        width: Math.max(0.5, end - start - 1),
        height,
        fill: PALETTE[color],
      },
      tooltip(
        `${label}: ${formatPlain(from)} to ${formatPlain(to)}: ${formatCount(count)} (${formatShare(count / total)})`,
      ),
    );
  });
  const mark =
    !isFigure(median) || (isLog && median <= 0)
      ? ""
      : element("path", {
          d: `M${Math.round(x.map(median) * 10) / 10} ${middle}v${toward * room}`,
          stroke: PALETTE.ink,
          "stroke-width": 1.5,
          "stroke-dasharray": "4 3",
        });
  return bars.join("") + mark;
}

/** The first and last bar in which either side has a count. */
function usedBars(sides: readonly (readonly number[])[]): readonly [number, number] | undefined {
  const bars = (sides[0] ?? []).flatMap((_, bar) =>
    sides.some((side) => (side[bar] ?? 0) > 0) ? [bar] : [],
  );
  return bars.length === 0 ? undefined : [bars[0]!, bars.at(-1)!];
}

function xScale(
  { axis, edges }: MirroredOptions,
  ends: readonly [number, number],
  range: readonly [number, number],
): Scale {
  if (axis === "signed") {
    const sizes = Array.from(edges, Math.abs).filter((size) => size > 0);
    return signedLogScale(ends, Math.min(...sizes) || 1, range);
  }
  // Axes of whole decades would leave most of the width empty.
  const [low, high] = [Math.max(ends[0], Number.MIN_VALUE), ends[1]];
  const map = (value: number): number =>
    range[0] + (Math.log(value / low) / Math.log(high / low)) * (range[1] - range[0]);
  return { map, ticks: decadeTicks(low, high, map) };
}

/** Powers of ten between the ends, with twos and fives when there are few. */
function decadeTicks(low: number, high: number, map: (value: number) => number): Tick[] {
  const factors = high / low < 100 ? [1, 2, 5] : [1];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
    for (const factor of factors) ticks.push(Number(`${factor}e${power}`));
  return ticks
    .filter((tick) => tick >= low && tick <= high)
    .map((tick) => ({ at: map(tick), label: formatPlain(tick) }));
}
