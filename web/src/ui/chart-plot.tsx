import type { Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import {
  type ChartSpec,
  crisp,
  isDrawable,
  type LineLayout,
  lineChart,
  lineLayout,
  nextMark,
  placeAt,
  sayPoint,
} from "../../../src/render/charts/index.ts";
import { Svg } from "./chart-picture.tsx";

export interface PlotEvents {
  /** Shared by charts over the same x: a place among them. */
  readonly crosshair: Signal<number | null>;
  /** Range of x that is marked; null: none. */
  readonly marked: readonly [number, number] | null;
  /** By x. */
  readonly onOpen: (x: number) => void;
  /** `further`: takes the place of the range before, of the same brush. */
  readonly onBrush: (from: number, to: number, further: boolean) => void;
  /** Tells of a brush while it is dragged, and not only when it is let go; the x must stay where they are. */
  readonly live?: boolean;
}

const HEIGHT = 168;
const LEAST_WIDTH = 120;
/** Pixels from a click to a brush. */
const LEAST_DRAG = 5;
/** Pixels beside an alert's mark that mean its step. */
const CATCHES = 4;
/** What is marked reaches beyond its points. */
const MARGIN = 3;

/**
 * The drawing of the reports, and over it what follows pointer and keys: a crosshair, a brush. To the keyboard it is a
 * slider over x: arrows move the crosshair, Page Up and Page Down from mark to mark, with Shift they brush, Enter opens, and
 * each place is said.
 */
export function ChartPlot({ spec, at, title, ...events }: PlotProps) {
  const { xs, height = HEIGHT } = spec;
  const area = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = area.current!;
    const observer = new ResizeObserver(() => setWidth(Math.max(LEAST_WIDTH, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const [layout, markup] = useMemo(() => {
    const size = { width, height, bare: true };
    const laidOut = lineLayout(spec, size);
    return [laidOut, width === 0 ? "" : lineChart(spec, size, laidOut)] as const;
  }, [spec, width]);
  const { dragged, ...handlers } = useBrush(spec, layout, at, events);
  return (
    <div class="plot" ref={area} style={{ height: `${height}px` }}>
      {markup !== "" && <Svg markup={markup} />}
      <div
        class="pointed"
        role="slider"
        tabIndex={0}
        aria-labelledby={title}
        aria-orientation="horizontal"
        aria-valuemin={xs[0] ?? 0}
        aria-valuemax={xs.at(-1) ?? 0}
        aria-valuenow={xs[at ?? 0] ?? 0}
        aria-valuetext={at === null ? `no ${spec.xLabel} chosen` : sayPoint(spec, at)}
        {...handlers}
      >
        {width > 0 && <Marks spec={spec} layout={layout} at={at} range={dragged ?? events.marked} />}
      </div>
    </div>
  );
}

interface PlotProps extends PlotEvents {
  readonly spec: ChartSpec;
  /** The place of the crosshair among its x. */
  readonly at: number | null;
  /** Element that names it. */
  readonly title: string;
}

function Marks({
  spec: { xs, lines, scale },
  layout: { width, height, plot, x, y },
  at,
  range,
}: Pick<PlotProps, "spec" | "at"> & {
  readonly layout: LineLayout;
  readonly range: readonly [number, number] | null;
}) {
  const { left, right, top, bottom } = plot;
  const [from, to] = (range ?? []).map((end, side) =>
    Math.min(right, Math.max(left, x.map(end) + (side === 0 ? -MARGIN : MARGIN))),
  );
  const across = at === null ? 0 : x.map(xs[at]!);
  return (
    <svg width={width} height={height} aria-hidden="true">
      {from !== undefined && to !== undefined && from < to && (
        <rect class="select" x={from} y={top} width={to - from} height={bottom - top} />
      )}
      {at !== null && <path class="cross" d={`M${crisp(across)} ${top}V${bottom}`} />}
      {at !== null &&
        lines.map(({ label, colour, values }) => {
          const value = values[at];
          return (
            isDrawable(value, scale) && (
              <circle key={label} cx={across} cy={y.map(value)} r={3.5} fill={`var(--${colour})`} />
            )
          );
        })}
    </svg>
  );
}

/** The place that a pixel means: a mark catches the pointer beside it, where steps are narrower than a hand is sure. */
function findPlace({ marks = [], xs }: ChartSpec, layout: LineLayout, pixel: number): number | null {
  const near = marks.find(({ x }) => Math.abs(layout.x.map(x) - pixel) <= CATCHES);
  return near === undefined ? placeAt(layout, xs, pixel) : xs.indexOf(near.x);
}

/** Where a key moves the crosshair; undefined for keys that move nothing. */
function findMove(spec: ChartSpec, at: number | null, key: string): number | undefined {
  const last = spec.xs.length - 1;
  const moves: Record<string, number | undefined> = {
    ArrowLeft: Math.max(0, (at ?? last + 1) - 1),
    ArrowRight: Math.min(last, (at ?? -1) + 1),
    Home: 0,
    End: last,
    PageUp: nextMark(spec, at, false),
    PageDown: nextMark(spec, at, true),
  };
  return moves[key];
}

/** Pointer and keys over a layout; `dragged` is the range while it is dragged. */
function useBrush(
  spec: ChartSpec,
  layout: LineLayout,
  at: number | null,
  { crosshair, onOpen, onBrush, live = false }: PlotEvents,
) {
  const { xs } = spec;
  const [dragged, setDragged] = useState<readonly [number, number] | null>(null);
  /** Where the button went down: its pixel, and whether it has become a brush. */
  const drag = useRef<{ readonly start: number; isBrush: boolean } | null>(null);
  /** Where a brush of the keyboard began. */
  const anchor = useRef<number | null>(null);
  const findPixel = (event: PointerEvent): number =>
    event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
  const ends = (pixel: number): [number, number] => {
    const [a, b] = [drag.current!.start, pixel].map(layout.x.valueAt) as [number, number];
    return a < b ? [a, b] : [b, a];
  };
  const end = (): void => {
    drag.current = null;
    setDragged(null);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = findMove(spec, at, event.key);
    if (at === null) anchor.current = null;
    if (next !== undefined) {
      crosshair.value = next;
      const further = anchor.current !== null;
      anchor.current = event.shiftKey ? (anchor.current ?? at ?? next) : null;
      const start = anchor.current;
      if (start !== null) onBrush(xs[Math.min(start, next)]!, xs[Math.max(start, next)]!, further);
    } else if (event.key === "Enter" && at !== null) onOpen(xs[at]!);
    else if (event.key === "Escape") crosshair.value = anchor.current = null;
    else return;
    event.preventDefault();
  };
  return {
    dragged,
    onKeyDown,
    onBlur: () => {
      crosshair.value = anchor.current = null;
    },
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      anchor.current = null;
      drag.current = { start: findPixel(event), isBrush: false };
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const pixel = findPixel(event);
      crosshair.value = findPlace(spec, layout, pixel);
      const now = drag.current;
      if (now === null || (!now.isBrush && Math.abs(pixel - now.start) < LEAST_DRAG)) return;
      const range = ends(pixel);
      setDragged(range);
      if (live) onBrush(...range, now.isBrush);
      now.isBrush = true;
    },
    onPointerUp: (event: PointerEvent) => {
      const now = drag.current;
      if (now === null) return;
      const place = findPlace(spec, layout, now.start);
      if (now.isBrush) onBrush(...ends(findPixel(event)), live);
      else if (place !== null) onOpen(xs[place]!);
      end();
    },
    onPointerCancel: end,
    onPointerLeave: () => {
      crosshair.value = null;
    },
  };
}
