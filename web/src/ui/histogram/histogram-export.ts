import { formatPlain } from "../../../../src/render/text/display/index.ts";
import type { Row } from "../export.ts";
import { canvasSvg, type Pen } from "../svg-canvas.ts";
import { themeColor } from "../theme.ts";
import { clampPlace } from "./axis.ts";
import { columnEdges, countColumns, drawHistogram, type HistogramPicture } from "./draw-histogram.ts";
import { HEIGHT, type Threshold } from "./threshold.ts";

const EXPORTED_WIDTH = 720;
const LEGEND = 24;

/** The histogram with its lines and zones, and below it which side is which. */
export function histogramSvg(
  label: string,
  picture: HistogramPicture,
  thresholds: readonly Threshold[],
): string {
  return canvasSvg(label, EXPORTED_WIDTH, HEIGHT + LEGEND, (pen) => {
    const counts = countColumns(picture.axis, picture.sides, EXPORTED_WIDTH);
    drawHistogram(pen, EXPORTED_WIDTH, HEIGHT, picture, counts);
    for (const [at, threshold] of thresholds.entries()) drawThreshold(pen, picture, threshold, at);
    drawLegend(pen, picture);
  });
}

/** A line as on the page, with its name beside it; each name is lower than the one before, as lines may be close. */
function drawThreshold(pen: Pen, { axis }: HistogramPicture, { label, ratio }: Threshold, at: number): void {
  const place = clampPlace(axis.place(Math.log(ratio)));
  const isRight = place > 0.6;
  const x = ((place + 1) / 2) * EXPORTED_WIDTH;
  pen.fillStyle = themeColor("--text");
  pen.fillRect(x - 1, 18, 2, HEIGHT - 36);
  pen.strokeStyle = themeColor("--page");
  pen.lineWidth = 3;
  pen.textAlign = isRight ? "right" : "left";
  const [left, y] = [x + (isRight ? -6 : 6), 34 + at * 18];
  pen.strokeText(`${label} ${formatPlain(ratio)}`, left, y);
  pen.fillText(`${label} ${formatPlain(ratio)}`, left, y);
}

function drawLegend(pen: Pen, { sides }: HistogramPicture): void {
  pen.textAlign = "left";
  let left = 0;
  for (const { name, color, up } of sides) {
    pen.fillStyle = themeColor(color);
    pen.fillRect(left, HEIGHT + 8, 12, 10);
    pen.fillStyle = themeColor("--text");
    const text = sides.length > 1 ? `${name} ${up ? "↑" : "↓"}` : name;
    pen.fillText(text, left + 17, HEIGHT + 17);
    left += 17 + pen.measureText(text).width + 20;
  }
  pen.fillStyle = themeColor("--muted");
  pen.textAlign = "right";
  pen.fillText("Δ, nats, below; ratio above; heights logarithmic", EXPORTED_WIDTH, HEIGHT + 17);
}

/** A row per column, and a count per side. */
export function histogramRows({ axis, sides }: HistogramPicture): Row[] {
  const counts = countColumns(axis, sides, EXPORTED_WIDTH);
  return columnEdges(axis, EXPORTED_WIDTH).map(([from, to], column) => ({
    from,
    to,
    ...Object.fromEntries(sides.map(({ name }, side) => [name, counts[side]?.[column] ?? null])),
  }));
}
