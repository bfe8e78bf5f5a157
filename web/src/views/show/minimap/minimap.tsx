import { useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Row } from "../../../ui/export.ts";
import { ExportMenu } from "../../../ui/export-menu.tsx";
import { canvasSvg } from "../../../ui/svg-canvas.ts";
import { isDark, onPaper } from "../../../ui/theme.ts";
import type { Linked } from "../linked.ts";
import { makeAxis, type TokenRange } from "../model/axis.ts";
import type { Hits } from "../model/find.ts";
import type { SequenceModel } from "../model/sequence-model.ts";
import type { Settings } from "../settings.ts";
import { computeHeight, drawOverlay, drawSequence, type Inks, prepared, readInks } from "./draw.ts";

export interface MinimapProps {
  readonly model: SequenceModel;
  readonly settings: Settings;
  readonly values: Float64Array;
  readonly hits: Hits | undefined;
  readonly linked: Linked;
  /** Place from the first prompt token. */
  readonly onJump: (place: number) => void;
  readonly onRange: (range: TokenRange | undefined) => void;
}

/** After the first layout. */
const FIRST_DRAWN_MS = 100;
/** Pixels that make a drag of a click. */
const DRAG = 4;

/** The whole sequence in one line: hover to find, click to go, drag to choose a range. */
export function Minimap({ model, settings, values, hits, linked, onJump, onRange }: MinimapProps) {
  const root = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const inks = useRef<Inks | undefined>(undefined);
  const width = useSignal(0);
  const drag = useRef<{ x: number; place: number; moved: boolean } | undefined>(undefined);
  /** Where a range by keys begins. */
  const anchor = useRef<number | undefined>(undefined);
  const { metric, metrics, domain, palette, place, pins, range } = settings;
  const dark = isDark.value;
  const other = metrics.find(({ name }) => name === (metric.name === "entropy" ? "delta" : "entropy"));
  const second = useMemo(
    () => other && { metric: other, domain: other.domain, values: other.values(model.wire) },
    [model, other?.name],
  );
  const height = computeHeight(second !== undefined);
  const axis = makeAxis(model.prompt, model.response, width.value);
  const hitPixels = useMemo(
    () => [...new Set(hits?.from.map((from) => Math.round(axis.xOf(from))))],
    [hits, width.value],
  );

  useLayoutEffect(() => {
    // It tells of the first size too, once there is a layout anyway.
    const resized = new ResizeObserver(() => {
      width.value = root.current?.clientWidth ?? 0;
    });
    resized.observe(root.current!);
    return () => resized.disconnect();
  }, []);

  const draw = (): void => {
    inks.current = readInks(root.current!);
    const context = prepared(base.current!, width.value, height);
    if (context !== undefined)
      drawSequence(context, axis, { model, metric, domain, values, second }, inks.current);
    if (prepared(over.current!, width.value, height) !== undefined) overlay();
  };
  useLayoutEffect(() => {
    if (width.value === 0) return;
    if (inks.current !== undefined) {
      draw();
      return;
    }
    // The text comes first: what is drawn now would hold up its first colors.
    const waiting = setTimeout(draw, FIRST_DRAWN_MS);
    return () => clearTimeout(waiting);
  }, [model, values, metric.name, domain, palette, dark, width.value]);

  const overlay = (): void => {
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
  const redraw = useRef(overlay);
  redraw.current = overlay;
  useLayoutEffect(overlay, [place, hitPixels, pins.join(), range?.from, range?.to]);
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

  const here = place ?? Math.floor(linked.sight.peek().from);
  const svg = (): string =>
    onPaper(() => {
      const paper = readInks(root.current!);
      const drawn = { model, metric, domain, values, second };
      const title = `${metric.title} over the sequence`;
      return canvasSvg(title, width.value, height, (pen) => drawSequence(pen, axis, drawn, paper));
    });
  const rows = (): Row[] =>
    Array.from(values, (value, token) => ({
      token,
      [metric.name]: value,
      ...(second !== undefined && { [second.metric.name]: second.values[token] }),
    }));
  return (
    <div class="minimap-frame">
      <ExportMenu name={`sequence-${metric.name}`} svg={svg} rows={rows} />
      <div
        ref={root}
        class="minimap"
        role="slider"
        tabIndex={0}
        aria-label={`${metric.meaning}, over the whole sequence: smallest, largest and mean value per pixel. Arrow keys go along it, with Shift they choose a range`}
        aria-valuemin={0}
        aria-valuemax={model.length - 1}
        aria-valuenow={here}
        aria-valuetext={describePlace(here, model.prompt)}
        style={{ height: `${height}px` }}
        onKeyDown={(event) => {
          const to = placeAfter(event.key, here, model.length);
          if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
          event.preventDefault();
          if (event.shiftKey) {
            anchor.current ??= here;
            choose(anchor.current, to);
          } else anchor.current = undefined;
          onJump(to);
        }}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, place: placeAt(event), moved: false };
        }}
        onPointerMove={(event) => {
          const at = placeAt(event);
          if (linked.hovered.peek()?.place !== at) linked.hovered.value = { place: at, on: "minimap" };
          if (drag.current === undefined) return;
          drag.current.moved ||= Math.abs(event.clientX - drag.current.x) > DRAG;
          if (drag.current.moved) choose(drag.current.place, at);
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
    </div>
  );
}

/** Arrow keys go a hundredth of the sequence, page keys a tenth. */
function placeAfter(key: string, from: number, length: number): number | undefined {
  const small = Math.max(1, Math.round(length / 100));
  const large = Math.max(1, Math.round(length / 10));
  const to: Readonly<Record<string, number>> = {
    ArrowRight: from + small,
    ArrowLeft: from - small,
    PageDown: from + large,
    PageUp: from - large,
    Home: 0,
    End: length - 1,
  };
  const wanted = to[key];
  return wanted === undefined ? undefined : Math.min(length - 1, Math.max(0, wanted));
}

function describePlace(place: number, prompt: number): string {
  return place < prompt ? `prompt token ${place}` : `token ${place - prompt}`;
}
