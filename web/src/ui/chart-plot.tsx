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
  /** The marked range of x; null: none. */
  readonly marked: readonly [number, number] | null;
  /** Gets the first and the last x of a point, which are equal if it stands for one. */
  readonly onOpen: (x: number, last: number) => void;
  /** `further`: this range replaces the previous one of the same brush. */
  readonly onBrush: (from: number, to: number, further: boolean) => void;
  /** Whether a brush is reported while dragged, not only at its end; the x must stay in place meanwhile. */
  readonly live?: boolean;
}

const HEIGHT = 168;
const LEAST_WIDTH = 120;
/** Pixels of movement that turn a click into a brush. */
const LEAST_DRAG = 5;
/** Pixels on either side of an alert's mark that count as its step. */
const CATCHES = 4;
/** Pixels that a marked range reaches beyond its points. */
const MARGIN = 3;

/** The layout of a chart on the page. */
export function plotLayout(spec: ChartSpec, width: number): LineLayout {
  return lineLayout(spec, { width, height: spec.height ?? HEIGHT, bare: true });
}

/**
 * The drawing of the reports, and above it a crosshair and a brush that follow pointer and keys. To the keyboard it is
 * a slider over x: arrow keys move the crosshair by points, Page Up and Page Down by marks; with Shift they brush;
 * Enter opens; each place is announced.
 */
export function ChartPlot(props: PlotProps) {
  const { spec, shown, layout, width, at, title, onWidth } = props;
  const { xs, height = HEIGHT } = spec;
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = area.current!;
    const observer = new ResizeObserver(() => onWidth(Math.max(LEAST_WIDTH, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const markup = useMemo(
    () => (width === 0 ? "" : lineChart(shown, { width, height, bare: true }, layout)),
    [shown, layout],
  );
  const { dragged, ...handlers } = useBrush(props);
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
        aria-valuenow={shown.xs[at ?? 0] ?? 0}
        aria-valuetext={at === null ? `no ${spec.xLabel} chosen` : sayPoint(shown, at)}
        {...handlers}
      >
        {width > 0 && <Marks spec={shown} layout={layout} at={at} range={dragged ?? props.marked} />}
      </div>
    </div>
  );
}

interface PlotProps extends PlotEvents {
  readonly spec: ChartSpec;
  /** The chart as drawn: with more x than pixels, each point stands for several. */
  readonly shown: ChartSpec;
  readonly layout: LineLayout;
  /** 0: not known yet. */
  readonly width: number;
  readonly onWidth: (width: number) => void;
  /** The place of the crosshair among the x of `spec`, and among those of `shown`. */
  readonly place: number | null;
  readonly at: number | null;
  /** The id of the element that names the chart. */
  readonly title: string;
}

function Marks({
  spec: { xs, lines, scale },
  layout: { width, height, plot, x, y },
  at,
  range,
}: Pick<PlotProps, "spec" | "at" | "layout"> & {
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
        lines.map(({ label, color, values }) => {
          const value = values[at];
          return (
            isDrawable(value, scale) && (
              <circle key={label} cx={across} cy={y.map(value)} r={3.5} fill={`var(--${color})`} />
            )
          );
        })}
    </svg>
  );
}

/** The place at a pixel; near a mark, the mark's place, because steps may be too narrow to hit. */
function findPlace({ spec: { marks = [], xs }, shown, layout }: PlotProps, pixel: number): number | null {
  const near = marks.find(({ x }) => Math.abs(layout.x.map(x) - pixel) <= CATCHES);
  if (near !== undefined) return xs.indexOf(near.x);
  const point = placeAt(layout, shown.xs, pixel);
  return point === null ? null : point * (shown.fold?.size ?? 1);
}

/** The place that a key moves the crosshair to; undefined for keys that do not move it. */
function findMove({ spec, shown, place, at }: PlotProps, key: string): number | undefined {
  const size = shown.fold?.size ?? 1;
  const last = shown.xs.length - 1;
  const moves: Record<string, number | undefined> = {
    ArrowLeft: Math.max(0, (at ?? last + 1) - 1) * size,
    ArrowRight: Math.min(last, (at ?? -1) + 1) * size,
    Home: 0,
    End: last * size,
    PageUp: nextMark(spec, place, false),
    PageDown: nextMark(spec, place, true),
  };
  return moves[key];
}

/** Pointer and keys over a layout; `dragged` is the range while it is dragged. */
function useBrush(props: PlotProps) {
  const { spec, shown, layout, place, crosshair, onOpen, onBrush, live = false } = props;
  const { xs } = spec;
  const size = shown.fold?.size ?? 1;
  /** The first and the last x of the point that a place is in. */
  const span = (at: number): readonly [number, number] =>
    shown.fold?.spans[Math.floor(at / size)] ?? [xs[at]!, xs[at]!];
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
    const next = findMove(props, event.key);
    if (place === null) anchor.current = null;
    if (next !== undefined) {
      crosshair.value = next;
      const further = anchor.current !== null;
      anchor.current = event.shiftKey ? (anchor.current ?? place ?? next) : null;
      const start = anchor.current;
      if (start !== null) onBrush(span(Math.min(start, next))[0], span(Math.max(start, next))[1], further);
    } else if (event.key === "Enter" && place !== null) onOpen(...span(place));
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
      crosshair.value = findPlace(props, pixel);
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
      const pressed = findPlace(props, now.start);
      if (now.isBrush) onBrush(...ends(findPixel(event)), live);
      else if (pressed !== null) onOpen(...span(pressed));
      end();
    },
    onPointerCancel: end,
    onPointerLeave: () => {
      crosshair.value = null;
    },
  };
}
