/**
 * Draws the whole sequence as a sparkline, a strip of shades and the bands of its turns.
 *
 * @module
 */

import { formatPlain } from "../../../../../src/render/text/display/index.ts";
import { chooseHeight, chooseShade, LAST, type Scale } from "../../../ui/color-scale.ts";
import type { Pen } from "../../../ui/svg-canvas.ts";
import type { Axis } from "../model/axis.ts";
import { computeEnvelope, type Envelope } from "../model/envelope.ts";
import type { Metric } from "../model/metrics.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { Inks } from "./inks.ts";

/** Offsets from the top: sparkline, shades, second sparkline if there is one, turns. */
export const LINE = 64;
const SHADE_TOP = LINE + 4;
const SHADE = 12;
const SECOND_TOP = SHADE_TOP + SHADE + 3;
const SECOND = 26;
const TURN = 14;

export function computeHeight(hasSecond: boolean): number {
  return SECOND_TOP + (hasSecond ? SECOND + 3 : 0) + TURN;
}

export interface Track {
  readonly metric: Metric;
  readonly scale: Scale;
  readonly values: Float64Array;
}

export interface Drawn extends Track {
  readonly model: SequenceModel;
  /** A second metric on the same axis, smaller and without shades. */
  readonly second: Track | undefined;
}

/**
 *      0  ┬ label             •    ▪ ▪          beyond the scale
 *         ├┄ label ┄┄┄┄┄┄•┄┄┄┄┄┄┄┄┄┄┄┄┄┄         end of the domain: above it the heights are logarithmic
 *         │      ╷ ╷    ╷                       lowest to highest value of each pixel, and their mean
 *     64  ┴──────┴─┴────┴────────────────
 *     68    ░░░░░▒▓▒░░░▓░░░░░░░░░░░░            shades, as in the text
 *     83    entropy                             a second metric, if there is one
 *           ├ prompt ┤├ turn 1 ┤├ turn 2 ┤
 */
export function drawSequence(context: Pen, axis: Axis, drawn: Drawn, inks: Inks): void {
  const { model, metric, scale: colors, values, second } = drawn;
  const { domain, end } = colors;
  drawBands(context, axis, model, inks, computeHeight(second !== undefined));
  if (second !== undefined) drawSecond(context, axis, second, inks);
  const columns = makeColumns(axis);
  const envelope = computeEnvelope(values, axis.edges(columns.count));
  const scale = makeScale(metric, colors);
  context.fillStyle = inks.line;
  context.fillRect(0, scale.zero, axis.width, 1);
  if (end > domain)
    for (const at of metric.signed ? [domain, -domain] : [domain])
      context.fillRect(0, scale.scaleY(at), axis.width, 1);
  // With many tokens per pixel, lowest and highest values form one block, so only its ends are drawn.
  const isDense = values.length > DENSE * columns.count;
  for (let column = 0; column < columns.count; column++)
    drawColumn(context, columns, column, envelope, drawn, scale, inks, isDense);
  drawMean(context, envelope.mean, columns, scale.scaleY, inks.focus);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = inks.text;
  context.textBaseline = "top";
  const { show } = metric;
  outlined(context, show(end), 3, 1, inks.panel);
  if (end > domain) outlined(context, show(domain), 46, scale.scaleY(domain) + 1, inks.panel);
  context.textBaseline = "bottom";
  outlined(context, metric.signed ? show(-end) : "0", 3, LINE, inks.panel);
}

/** The pixel columns of the response. */
interface Columns {
  readonly count: number;
  readonly left: number;
  /** Width of one column; a little over a pixel. */
  readonly step: number;
}

function makeColumns({ promptWidth, width }: Axis): Columns {
  const room = width - promptWidth;
  const count = Math.max(1, Math.floor(room));
  return { count, left: promptWidth, step: room / count };
}

interface Heights {
  readonly zero: number;
  readonly scaleY: (value: number) => number;
}

/** With more tokens per pixel than this, only the ends of a column are drawn, not the line between values. */
const DENSE = 8;

/** The same scale as the colors', so that the line shows what they show. */
function makeScale({ signed }: Metric, scale: Scale): Heights {
  const zero = signed ? LINE / 2 : LINE - 1;
  const reach = signed ? LINE / 2 - 3 : LINE - 4;
  return {
    zero,
    scaleY: (value) => zero - Math.sign(value) * chooseHeight(value, scale) * reach,
  };
}

/** One pixel of the sparkline and its shade. */
function drawColumn(
  context: Pen,
  { left, step }: Columns,
  column: number,
  { min, max, infinite }: Envelope,
  { metric, scale }: Drawn,
  { zero, scaleY }: Heights,
  inks: Inks,
  isDense: boolean,
): void {
  const x = left + column * step;
  if (infinite[column] !== 0) {
    context.fillStyle = inks.orange;
    context.fillRect(x, 0, Math.max(1, step), 3);
  }
  const low = min[column]!;
  const high = max[column]!;
  if (Number.isNaN(low)) return;
  const extreme = Math.abs(low) > Math.abs(high) ? low : high;
  const top = Math.min(scaleY(high), metric.signed ? zero : scaleY(high));
  const bottom = Math.max(scaleY(low), zero);
  context.fillStyle = inks.shades[chooseShade(extreme, scale) + LAST]!;
  context.fillRect(x, SHADE_TOP, step + 0.5, SHADE);
  if (isDense) {
    context.fillRect(x, scaleY(extreme) - 1, 2, 2);
  } else {
    context.fillStyle = inks.muted;
    context.globalAlpha = 0.55;
    context.fillRect(x, top, Math.max(1, step * 0.9), Math.max(1, bottom - top));
    context.globalAlpha = 1;
  }
  context.fillStyle = inks.text;
  // A line beyond the scale ends at the edge with a mark.
  if (high > scale.end) context.fillRect(x - 1, 0, 3, 3);
  if (low < -scale.end) context.fillRect(x - 1, LINE - 3, 3, 3);
}

/** Draws each column from its lowest to its highest value, with their mean. */
function drawSecond(
  context: Pen,
  axis: Axis,
  { metric, scale: { domain }, values }: Track,
  inks: Inks,
): void {
  const columns = makeColumns(axis);
  const { count, left, step } = columns;
  const { min, max, mean } = computeEnvelope(values, axis.edges(count));
  const low = metric.signed ? -domain : 0;
  const yOf = (value: number): number =>
    SECOND_TOP + SECOND * (1 - Math.min(1, Math.max(0, (value - low) / (domain - low))));
  context.fillStyle = inks.muted;
  context.globalAlpha = 0.4;
  for (let column = 0; column < count; column++) {
    if (Number.isNaN(min[column]!)) continue;
    const top = yOf(max[column]!);
    const x = left + column * step;
    context.fillRect(x, top, Math.max(1, step * 0.9), Math.max(1, yOf(min[column]!) - top));
  }
  context.globalAlpha = 1;
  drawMean(context, mean, columns, yOf, inks.focus);
  context.font = "10px system-ui, sans-serif";
  context.fillStyle = inks.text;
  context.textBaseline = "top";
  const name = `${metric.title} to ${formatPlain(domain)}`;
  outlined(context, name, 3, SECOND_TOP, inks.panel);
}

function outlined(context: Pen, text: string, x: number, y: number, halo: string): void {
  context.strokeStyle = halo;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

/** Draws prompt and tool output behind the line, and turns with their numbers below. */
function drawBands(context: Pen, axis: Axis, model: SequenceModel, inks: Inks, height: number): void {
  const top = height - TURN;
  context.font = "10px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const { kind, turn, from, to } of model.runs) {
    const left = axis.xOf(from);
    const width = Math.max(0.5, axis.xOf(to) - left);
    if (kind !== "turn") {
      context.fillStyle = inks.panel;
      context.fillRect(left, 0, width, height);
      if (kind === "prompt") named(context, "prompt", left, width, top, inks.muted);
      continue;
    }
    context.fillStyle = inks.line;
    context.fillRect(left, top, Math.max(0.5, width - 1), TURN);
    named(context, `turn ${turn}`, left, width, top, inks.text) ||
      named(context, String(turn), left, width, top, inks.text);
  }
}

function named(context: Pen, text: string, left: number, width: number, top: number, color: string): boolean {
  if (context.measureText(text).width + 6 > width) return false;
  context.fillStyle = color;
  context.fillText(text, left + 3, top + TURN / 2 + 0.5);
  return true;
}

function drawMean(
  context: Pen,
  mean: Float64Array,
  { left, step }: Columns,
  yOf: (value: number) => number,
  color: string,
): void {
  const scaleX = (column: number): number => left + (column + 0.5) * step;
  context.strokeStyle = color;
  context.lineWidth = 1.25;
  context.beginPath();
  let open = false;
  for (let column = 0; column < mean.length; column++) {
    const value = mean[column]!;
    if (Number.isNaN(value)) {
      open = false;
      continue;
    }
    if (open) context.lineTo(scaleX(column), yOf(value));
    else context.moveTo(scaleX(column), yOf(value));
    open = true;
  }
  context.stroke();
}
