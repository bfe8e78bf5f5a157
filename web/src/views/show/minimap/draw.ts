/**
 * Draws the whole sequence as a sparkline, a strip of shades and the bands of its turns.
 *
 * @module
 */

import { formatNumber, formatPlain, formatSigned } from "../../../../../src/render/text/display/index.ts";
import { chooseShade, SHADES } from "../../../ui/colour-scale.ts";
import type { Pen } from "../../../ui/svg-canvas.ts";
import type { Axis, TokenRange } from "../model/axis.ts";
import { computeEnvelope } from "../model/envelope.ts";
import type { Metric } from "../model/metrics.ts";
import type { SequenceModel } from "../model/sequence-model.ts";

/** Heights, from the top: sparkline, shades, a second sparkline where there is one, turns. */
const LINE = 64;
const SHADE_TOP = LINE + 4;
const SHADE = 12;
const SECOND_TOP = SHADE_TOP + SHADE + 3;
const SECOND = 26;
const TURN = 14;

export function computeHeight(hasSecond: boolean): number {
  return SECOND_TOP + (hasSecond ? SECOND + 3 : 0) + TURN;
}

export interface Inks {
  /** `q-10` … `q10`. */
  readonly shades: readonly string[];
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
  readonly focus: string;
  readonly orange: string;
  readonly hit: string;
}

/** Colors as the style sheet has them for this element, in a form that canvas takes. */
export function readInks(scaled: Element): Inks {
  const probe = document.createElement("i");
  scaled.append(probe);
  const style = getComputedStyle(probe);
  const variable = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return style.color;
  };
  const inks = {
    shades: Array.from({ length: 2 * SHADES + 1 }, (_, at) => variable(`q${at - SHADES}`)),
    text: variable("text"),
    muted: variable("muted"),
    line: variable("line"),
    panel: variable("panel"),
    focus: variable("focus"),
    orange: variable("orange"),
    hit: variable("hit"),
  };
  probe.remove();
  return inks;
}

export interface Track {
  readonly metric: Metric;
  readonly domain: number;
  readonly values: Float64Array;
}

export interface Drawn extends Track {
  readonly model: SequenceModel;
  /** On the same axis, smaller and without shades. */
  readonly second: Track | undefined;
}

/** Sets the canvas up for its size and this screen; coordinates are CSS pixels. */
export function prepared(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | undefined {
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d") ?? undefined;
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

export function drawSequence(
  context: Pen,
  axis: Axis,
  { model, metric, domain, values, second }: Drawn,
  inks: Inks,
): void {
  const { promptWidth, width } = axis;
  drawBands(context, axis, model, inks, computeHeight(second !== undefined));
  if (second !== undefined) drawSecond(context, axis, second, inks);
  const columns = Math.max(1, Math.floor(width - promptWidth));
  const { min, max, mean, infinite } = computeEnvelope(values, axis.edges(columns));
  const step = (width - promptWidth) / columns;
  const zero = metric.signed ? LINE / 2 : LINE - 1;
  const reach = metric.signed ? LINE / 2 - 3 : LINE - 4;
  // The power of the colors, so that the line shows what they show.
  const yOf = (value: number): number =>
    zero - Math.sign(value) * Math.min(1, Math.abs(value) / domain) ** 0.4 * reach;
  context.fillStyle = inks.line;
  context.fillRect(0, zero, width, 1);
  for (let column = 0; column < columns; column++) {
    const x = promptWidth + column * step;
    if (infinite[column] !== 0) {
      context.fillStyle = inks.orange;
      context.fillRect(x, 0, Math.max(1, step), 3);
    }
    const low = min[column]!;
    const high = max[column]!;
    if (Number.isNaN(low)) continue;
    const extreme = Math.abs(low) > Math.abs(high) ? low : high;
    const top = Math.min(yOf(high), metric.signed ? zero : yOf(high));
    const bottom = Math.max(yOf(low), zero);
    context.fillStyle = inks.shades[chooseShade(extreme, domain) + SHADES]!;
    context.fillRect(x, SHADE_TOP, step + 0.5, SHADE);
    context.fillStyle = inks.muted;
    context.globalAlpha = 0.55;
    context.fillRect(x, top, Math.max(1, step * 0.9), Math.max(1, bottom - top));
    context.globalAlpha = 1;
    context.fillStyle = inks.text;
    // Beyond the scale: the line ends at the edge with a mark.
    if (high > domain) context.fillRect(x - 1, 0, 3, 3);
    if (low < -domain) context.fillRect(x - 1, LINE - 3, 3, 3);
  }
  drawMean(context, mean, (column) => promptWidth + (column + 0.5) * step, yOf, inks.focus);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = inks.text;
  context.textBaseline = "top";
  const label = metric.signed ? formatSigned : formatNumber;
  outlined(context, label(domain), 3, 1, inks.panel);
  context.textBaseline = "bottom";
  outlined(context, metric.signed ? label(-domain) : "0", 3, LINE, inks.panel);
}

/** From the lowest to the highest value of each column, and what is usual. */
function drawSecond(
  context: Pen,
  { promptWidth, width, edges }: Axis,
  { metric, domain, values }: Track,
  inks: Inks,
): void {
  const columns = Math.max(1, Math.floor(width - promptWidth));
  const { min, max, mean } = computeEnvelope(values, edges(columns));
  const step = (width - promptWidth) / columns;
  const low = metric.signed ? -domain : 0;
  const yOf = (value: number): number =>
    SECOND_TOP + SECOND * (1 - Math.min(1, Math.max(0, (value - low) / (domain - low))));
  context.fillStyle = inks.muted;
  context.globalAlpha = 0.4;
  for (let column = 0; column < columns; column++) {
    if (Number.isNaN(min[column]!)) continue;
    const top = yOf(max[column]!);
    const x = promptWidth + column * step;
    context.fillRect(x, top, Math.max(1, step * 0.9), Math.max(1, yOf(min[column]!) - top));
  }
  context.globalAlpha = 1;
  drawMean(context, mean, (column) => promptWidth + (column + 0.5) * step, yOf, inks.focus);
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

/** Prompt and tool output behind the line; turns with their numbers below. */
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

function named(
  context: Pen,
  text: string,
  left: number,
  width: number,
  top: number,
  colour: string,
): boolean {
  if (context.measureText(text).width + 6 > width) return false;
  context.fillStyle = colour;
  context.fillText(text, left + 3, top + TURN / 2 + 0.5);
  return true;
}

function drawMean(
  context: Pen,
  mean: Float64Array,
  xOf: (column: number) => number,
  yOf: (value: number) => number,
  colour: string,
): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.25;
  context.beginPath();
  let open = false;
  for (let column = 0; column < mean.length; column++) {
    const value = mean[column]!;
    if (Number.isNaN(value)) {
      open = false;
      continue;
    }
    if (open) context.lineTo(xOf(column), yOf(value));
    else context.moveTo(xOf(column), yOf(value));
    open = true;
  }
  context.stroke();
}

export interface Overlay {
  readonly sight: { readonly from: number; readonly to: number };
  /** Places from the first prompt token. */
  readonly hovered: number | undefined;
  readonly current: number | undefined;
  readonly pins: readonly number[];
  /** Pixels. */
  readonly hits: readonly number[];
  /** Response tokens. */
  readonly range: TokenRange | undefined;
}

export function drawOverlay(
  context: CanvasRenderingContext2D,
  axis: Axis,
  { sight, hovered, current, pins, hits, range }: Overlay,
  prompt: number,
  inks: Inks,
  height: number,
): void {
  context.clearRect(0, 0, axis.width, height);
  if (range !== undefined) {
    const left = axis.xOf(range.from + prompt);
    context.fillStyle = inks.focus;
    context.globalAlpha = 0.22;
    context.fillRect(left, 0, Math.max(2, axis.xOf(range.to + 1 + prompt) - left), height);
    context.globalAlpha = 1;
  }
  context.fillStyle = inks.hit;
  for (const x of hits) context.fillRect(x - 0.5, LINE - 5, 2, 9);
  const left = axis.xOf(sight.from);
  context.strokeStyle = inks.text;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, 0.75, Math.max(3, axis.xOf(sight.to) - left - 1.5), height - 1.5);
  const tick = (place: number, colour: string, width: number): void => {
    const middle = (axis.xOf(place) + axis.xOf(place + 1)) / 2;
    context.fillStyle = colour;
    context.fillRect(middle - width / 2, 0, width, height);
  };
  for (const pin of pins) tick(pin, inks.muted, 1);
  if (current !== undefined) tick(current, inks.orange, 2);
  if (hovered !== undefined) tick(hovered, inks.text, 1);
}
