import type { Axis, TokenRange } from "../model/axis.ts";
import { LINE } from "./draw.ts";
import type { Inks } from "./inks.ts";

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

/** Draws what moves with the pointer and the text, above the drawing of the sequence. */
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
  const tick = (place: number, color: string, width: number): void => {
    const middle = (axis.xOf(place) + axis.xOf(place + 1)) / 2;
    context.fillStyle = color;
    context.fillRect(middle - width / 2, 0, width, height);
  };
  for (const pin of pins) tick(pin, inks.muted, 1);
  if (current !== undefined) tick(current, inks.orange, 2);
  if (hovered !== undefined) tick(hovered, inks.text, 1);
}
