/**
 * Two canvases on top of each other, so that pointer movements do not redraw the whole sequence:
 *
 *     base   sparkline, shades, turns     another sequence, metric, size or theme
 *     over   sight, pointer, pins, hits   any of these, tens of times a second
 *
 * @module
 */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { isDark } from "../../../ui/theme.ts";
import type { Choices } from "../choices.ts";
import type { Held, Linked } from "../linked.ts";
import { type Axis, makeAxis } from "../model/axis.ts";
import type { Hits } from "../model/find.ts";
import { type Drawn, drawSequence } from "./draw.ts";
import { drawOverlay } from "./draw-overlay.ts";
import { type Inks, prepared, readInks } from "./inks.ts";

/** Milliseconds after the first layout. */
const FIRST_DRAWN_MS = 100;

export interface Shown {
  readonly drawn: Drawn;
  readonly choices: Choices;
  readonly hits: Hits | undefined;
  readonly linked: Linked;
  /** Pixels. */
  readonly height: number;
}

export interface Drawing {
  readonly root: Held<HTMLDivElement | null>;
  readonly base: Held<HTMLCanvasElement | null>;
  readonly over: Held<HTMLCanvasElement | null>;
  /** Pixels; 0 before the first layout. */
  readonly width: number;
  readonly axis: Axis;
}

/** Keeps both canvases up to date. */
export function useDrawing({ drawn, choices, hits, linked, height }: Shown): Drawing {
  const root = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const inks = useRef<Inks | undefined>(undefined);
  const width = useWidth(root);
  const { model, metric, scale, values } = drawn;
  const { place, pins, range, palette } = choices;
  const axis = makeAxis(model.prompt, model.response, width);
  const hitPixels = useMemo(
    () => [...new Set(hits?.from.map((from) => Math.round(axis.xOf(from))))],
    [hits, width],
  );

  const drawOver = (): void => {
    const context = over.current?.getContext("2d");
    if (!context || inks.current === undefined) return;
    const shown = {
      sight: linked.sight.peek(),
      hovered: linked.hovered.peek()?.place,
      current: place,
      hits: hitPixels,
      pins: pins.map((pin) => pin + model.prompt),
      range,
    };
    drawOverlay(context, axis, shown, model.prompt, inks.current, height);
  };
  const draw = (): void => {
    inks.current = readInks(root.current!);
    const context = prepared(base.current!, width, height);
    if (context !== undefined) drawSequence(context, axis, drawn, inks.current);
    if (prepared(over.current!, width, height) !== undefined) drawOver();
  };
  useLayoutEffect(() => {
    if (width === 0) return;
    if (inks.current !== undefined) {
      draw();
      return;
    }
    // The text comes first: drawing immediately would delay its first colors.
    const waiting = setTimeout(draw, FIRST_DRAWN_MS);
    return () => clearTimeout(waiting);
  }, [model, values, metric.name, scale.domain, scale.end, palette, isDark.value, width]);
  useLayoutEffect(drawOver, [place, hitPixels, pins.join(), range?.from, range?.to]);

  // The signals' effect is created once and must not draw with the values of the first render.
  const latest = useRef(drawOver);
  latest.current = drawOver;
  useSignalEffect(() => {
    linked.sight.value;
    linked.hovered.value;
    latest.current();
  });
  return { root, base, over, width, axis };
}

/** The width of an element, in a signal, so that only its readers render again. */
function useWidth(element: Held<HTMLElement | null>): number {
  const width = useSignal(0);
  useLayoutEffect(() => {
    // The observer also reports the first size, after a layout that happens anyway.
    const resized = new ResizeObserver(() => {
      width.value = element.current?.clientWidth ?? 0;
    });
    resized.observe(element.current!);
    return () => resized.disconnect();
  }, []);
  return width.value;
}
