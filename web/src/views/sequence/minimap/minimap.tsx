import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { isDark } from "../../../ui/theme.ts";
import type { Linked } from "../linked.ts";
import { axisOf, type TokenRange } from "../model/axis.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { Settings } from "../settings.ts";
import { drawOverlay, drawSequence, type Inks, inksOf, MINIMAP_HEIGHT, prepared } from "./draw.ts";

export interface MinimapProps {
  readonly model: SequenceModel;
  readonly settings: Settings;
  readonly values: Float64Array;
  readonly linked: Linked;
  /** Place from the first prompt token. */
  readonly onJump: (place: number) => void;
  readonly onRange: (range: TokenRange | undefined) => void;
}

/** Pixels that make a drag of a click. */
const DRAG = 4;

/** The whole sequence in one line: hover to find, click to go, drag to choose a range. */
export function Minimap({ model, settings, values, linked, onJump, onRange }: MinimapProps) {
  const root = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const inks = useRef<Inks | undefined>(undefined);
  const width = useSignal(0);
  const drag = useRef<{ x: number; place: number; moved: boolean } | undefined>(undefined);
  const { metric, domain, palette, current, pins, range } = settings;
  const dark = isDark.value;
  const axis = axisOf(model.prompt, model.response, width.value);

  useLayoutEffect(() => {
    const measure = (): void => {
      width.value = root.current?.clientWidth ?? 0;
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(root.current!);
    return () => resized.disconnect();
  }, []);

  useLayoutEffect(() => {
    if (width.value === 0) return;
    inks.current = inksOf(root.current!);
    const context = prepared(base.current!, width.value);
    if (context !== undefined) drawSequence(context, axis, { model, metric, domain, values }, inks.current);
    if (prepared(over.current!, width.value) !== undefined) overlay();
  }, [model, values, metric.name, domain, palette, dark, width.value]);

  const overlay = (): void => {
    const context = over.current?.getContext("2d");
    if (!context || inks.current === undefined) return;
    const shown = {
      sight: linked.sight.peek(),
      hovered: linked.hovered.peek()?.place,
      current: current === undefined ? undefined : current + model.prompt,
      pins: pins.map((pin) => pin + model.prompt),
      range,
    };
    drawOverlay(context, axis, shown, model.prompt, inks.current);
  };
  const redraw = useRef(overlay);
  redraw.current = overlay;
  useLayoutEffect(overlay, [current, pins.join(), range?.from, range?.to]);
  useSignalEffect(() => {
    linked.sight.value;
    linked.hovered.value;
    redraw.current();
  });

  const placeAt = (event: PointerEvent): number =>
    axis.tokenAt(event.clientX - (root.current?.getBoundingClientRect().left ?? 0));
  const choose = (a: number, b: number): void => {
    const from = Math.max(0, Math.min(a, b) - model.prompt);
    const to = Math.max(a, b) - model.prompt;
    onRange(to < 0 ? undefined : { from, to });
  };

  return (
    <div
      ref={root}
      class="minimap"
      role="img"
      aria-label={`${metric.meaning}, over the whole sequence: smallest, largest and mean value per pixel`}
      style={{ height: `${MINIMAP_HEIGHT}px` }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, place: placeAt(event), moved: false };
      }}
      onPointerMove={(event) => {
        const place = placeAt(event);
        if (linked.hovered.peek()?.place !== place) linked.hovered.value = { place, on: "minimap" };
        if (drag.current === undefined) return;
        drag.current.moved ||= Math.abs(event.clientX - drag.current.x) > DRAG;
        if (drag.current.moved) choose(drag.current.place, place);
      }}
      onPointerUp={(event) => {
        if (drag.current !== undefined && !drag.current.moved) onJump(placeAt(event));
        drag.current = undefined;
      }}
      onPointerCancel={() => {
        drag.current = undefined;
      }}
      onPointerLeave={() => {
        linked.hovered.value = undefined;
      }}
    >
      <canvas ref={base} />
      <canvas ref={over} />
    </div>
  );
}
