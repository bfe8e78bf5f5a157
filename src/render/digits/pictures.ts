/**
 * Pictures of digits, in the style of the report's.
 *
 * @module
 */

import { formatCount, formatShare } from "../../core/text/index.ts";
import type { CalibrationBin, DigitFigures } from "../../results/digits.ts";
import type { BarSeries } from "../charts/bar-rows.ts";
import { drawChart, drawXAxis, drawYAxis, plotArea, withTooltip } from "../charts/frame.ts";
import { groupedBars } from "../charts/grouped-bars.ts";
import { PALETTE } from "../charts/palette.ts";
import { linearScale } from "../charts/scale.ts";
import { element, textElement } from "../charts/svg.ts";

/** The proxy loss of groups of digits under both policies. */
export function lossBars(title: string, names: readonly string[], groups: readonly DigitFigures[]): string {
  const rollout: BarSeries = {
    label: "rollout, proxy NTL",
    color: "blue",
    kind: "number",
    values: groups.map(({ ntl_loss: loss }) => loss ?? Number.NaN),
  };
  const trainer: BarSeries = {
    label: "trainer",
    color: "orange",
    kind: "number",
    values: groups.map(({ trainer_ntl_loss: loss }) => loss ?? Number.NaN),
  };
  const both = trainer.values.some((loss) => !Number.isNaN(loss)) ? [rollout, trainer] : [rollout];
  return groupedBars(names, both, { title });
}

const WIDTH = 480;
const HEIGHT = 360;
/** Height of the bars of counts below the plot. */
const COUNTS = 54;
const LEAST_RADIUS = 3;
const MOST_RADIUS = 9;

/**
 * Reliability: the share of right digits over their mean probability, a point per bin whose area is its count, and the
 * line on which the two are equal. Below, counts on a logarithmic scale.
 */
export function calibrationPicture(bins: readonly CalibrationBin[], error: number | null): string {
  const options = { title: "Calibration of answer digits", width: WIDTH, height: HEIGHT };
  const whole = plotArea(options, true);
  const plot = { ...whole, bottom: whole.bottom - COUNTS };
  const x = linearScale([0, 1], [plot.left, plot.right]);
  const y = linearScale([0, 1], [plot.bottom, plot.top]);
  const foot = whole.bottom;
  const scales = { x, y, foot, most: Math.max(1, ...bins.map(({ digits }) => digits)) };
  const known = bins.filter(({ digits }) => digits > 0);
  const shapes = known.map((bin) => withTooltip(describeBin(bin), ...drawBin(bin, scales)));
  const diagonal = element("path", {
    d: `M${x.map(0)} ${y.map(0)}L${x.map(1)} ${y.map(1)}`,
    stroke: PALETTE.grey,
    "stroke-dasharray": "4 3",
  });
  return drawChart(
    options,
    `calibration error ${formatShare(error)}; ${known.map(describeBin).join("; ")}`,
    [
      { label: "share correct", color: "blue" },
      { label: "perfectly calibrated", color: "grey", dashed: true },
    ],
    [
      drawYAxis(y, plot, "right"),
      ...(foot > plot.bottom
        ? [element("path", { d: `M${plot.left} ${plot.bottom}H${plot.right}`, stroke: PALETTE.muted })]
        : []),
      diagonal,
      ...shapes,
      drawXAxis(x, whole, "mean probability of the digit; below: digits, log"),
    ],
  );
}

function describeBin({ from, to, digits, confidence, accuracy }: CalibrationBin): string {
  return `probability ${from} to ${to}: ${formatCount(digits)} digits, mean p ${formatShare(confidence)}, right ${formatShare(accuracy)}`;
}

type Scale = ReturnType<typeof linearScale>;

interface BinScales {
  readonly x: Scale;
  readonly y: Scale;
  /** The foot of the bars of counts. */
  readonly foot: number;
  /** Number of digits in the largest bin. */
  readonly most: number;
}

/** The point and its distance from the line of perfect calibration, and the bar of its count with the number on it. */
function drawBin(bin: CalibrationBin, { x, y, foot, most }: BinScales): string[] {
  const { from, to, digits, confidence, accuracy } = bin;
  const [left, right] = [x.map(from) + 1, x.map(to) - 1];
  const bar = ((COUNTS - 22) * Math.log10(1 + digits)) / Math.log10(1 + most);
  return [
    element("path", {
      d: `M${Math.round(x.map(confidence))} ${Math.round(y.map(confidence))}V${Math.round(y.map(accuracy))}`,
      stroke: PALETTE.orange,
      "stroke-width": 1.5,
    }),
    element("circle", {
      cx: x.map(confidence),
      cy: y.map(accuracy),
      // The area is proportional to the count.
      r: LEAST_RADIUS + (MOST_RADIUS - LEAST_RADIUS) * Math.sqrt(digits / most),
      fill: PALETTE.blue,
      "fill-opacity": 0.8,
    }),
    element("rect", {
      x: left,
      y: foot - bar,
      width: right - left,
      height: bar,
      fill: PALETTE.grey,
      "fill-opacity": 0.55,
    }),
    textElement(formatCount(digits), {
      x: (left + right) / 2,
      y: foot - bar - 3,
      "text-anchor": "middle",
      "font-size": 9.5,
      fill: PALETTE.muted,
    }),
  ];
}
