import type { Pen } from "../svg-canvas.ts";
import { themeColor } from "../theme.ts";
import { type Axis, deltaTicks, RATIO_TICKS, spacedTicks } from "./axis.ts";

export interface HistogramSide {
  readonly name: string;
  /** A variable of the style sheet. */
  readonly color: string;
  /** Whether it is drawn above the middle line instead of below. */
  readonly up: boolean;
  /** The number of values with a Δ in `[from, to)`, nats. */
  readonly between: (from: number, to: number) => number;
}

/** A stretch of the axis where something happens, nats. */
export interface Zone {
  readonly from: number;
  readonly to: number;
  readonly kind: "dropped" | "clipped";
}

export interface HistogramPicture {
  readonly axis: Axis;
  readonly sides: readonly HistogramSide[];
  readonly zones: readonly Zone[];
}

const COLUMN = 3;
const [TOP, BOTTOM] = [20, 20];
const FONT = "11px system-ui, sans-serif";

/** The interval that each column covers, nats; values beyond the axis are in its outermost columns. */
export function columnEdges(axis: Axis, width: number): readonly (readonly [number, number])[] {
  const columns = Math.ceil(width / COLUMN);
  const edge = (column: number): number => axis.value((2 * column * COLUMN) / width - 1);
  return Array.from({ length: columns }, (_, column) => [
    column === 0 ? -Infinity : edge(column),
    column === columns - 1 ? Infinity : edge(column + 1),
  ]);
}

/** The count in each column for each side; dragging a line does not change them. */
export function countColumns(
  axis: Axis,
  sides: readonly HistogramSide[],
  width: number,
): readonly number[][] {
  const edges = columnEdges(axis, width);
  return sides.map(({ between }) => edges.map(([from, to]) => Math.max(0, between(from, to))));
}

/** A canvas set up for its size and this screen. */
export function scaledPen(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  context?.scale(scale, scale);
  return context;
}

/**
 * Heights are log(1 + count), so that one token in the tail is still visible.
 *
 * @param counts {@link countColumns} of the same axis, sides and width.
 */
export function drawHistogram(
  context: Pen,
  width: number,
  height: number,
  picture: HistogramPicture,
  counts: readonly (readonly number[])[],
): void {
  context.clearRect(0, 0, width, height);
  const { axis, sides } = picture;
  const x = (delta: number): number => ((axis.place(delta) + 1) / 2) * width;
  const both = sides.some(({ up }) => !up);
  const floor = both ? (TOP + height - BOTTOM) / 2 : height - BOTTOM;
  drawZones(context, picture.zones, x, width, height);
  const most = Math.log1p(Math.max(1, ...counts.flat()));
  const room = floor - TOP;
  for (const [at, { color, up }] of sides.entries()) {
    context.fillStyle = themeColor(color);
    for (const [column, count] of counts[at]!.entries()) {
      if (count < 0.05) continue;
      const size = Math.max(1, (Math.log1p(count) / most) * room);
      context.fillRect(column * COLUMN, up ? floor - size : floor, COLUMN - 0.75, size);
    }
  }
  context.strokeStyle = themeColor("--muted");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, floor + 0.5);
  context.lineTo(width, floor + 0.5);
  context.stroke();
  drawTicks(context, axis, x, width, height);
}

/** What is dropped is hatched, what is clipped is ruled, so that they differ without color. */
function drawZones(
  context: Pen,
  zones: readonly Zone[],
  x: (delta: number) => number,
  width: number,
  height: number,
): void {
  const foot = height - BOTTOM;
  for (const { from, to, kind } of zones) {
    const [left, right] = [Math.max(0, x(from)), Math.min(width, x(to))];
    if (!(right > left)) continue;
    context.fillStyle = themeColor("--panel");
    context.fillRect(left, TOP, right - left, foot - TOP);
    context.strokeStyle = themeColor("--line");
    context.lineWidth = 1;
    const room = foot - TOP;
    const first = left - (left % 7);
    context.beginPath();
    if (kind === "clipped")
      for (let at = first; at < right; at += 7) {
        context.moveTo(at, foot);
        context.lineTo(at, TOP);
      }
    else
      for (let at = first - 7 * Math.ceil(room / 7); at < right; at += 7) {
        // Rising to the right, clipped to the zone.
        const [start, end] = [Math.max(left, at), Math.min(right, at + room)];
        if (end <= start) continue;
        context.moveTo(start, foot - (start - at));
        context.lineTo(end, foot - (end - at));
      }
    context.stroke();
  }
}

function drawTicks(
  context: Pen,
  axis: Axis,
  x: (delta: number) => number,
  width: number,
  height: number,
): void {
  context.font = FONT;
  context.fillStyle = themeColor("--muted");
  const apart = (2 * 46) / width;
  const label = (text: string, at: number, y: number): void => {
    const half = context.measureText(text).width / 2;
    context.textAlign = "center";
    context.fillText(text, Math.min(Math.max(at, half), width - half), y);
  };
  for (const tick of spacedTicks(deltaTicks(axis.reach), axis, apart))
    label(String(tick).replace("-", "−"), x(tick), height - 5);
  for (const ratio of spacedTicks(RATIO_TICKS.map(Math.log), axis, apart))
    label(String(Number(Math.exp(ratio).toPrecision(4))), x(ratio), 12);
}
