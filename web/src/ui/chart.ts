/**
 * A chart of lines on a canvas: lines over whole-numbered x with gaps, a shared crosshair, a brush and a click. Where
 * there are more points than pixels, a column of pixels is drawn from its least to its greatest value, so that no spike
 * is lost.
 *
 * @module
 */
import {
  axisEnds,
  type ChartSpec,
  type ChartValues,
  drawable,
  isolated,
} from "../../../src/report/charts/chart-spec.ts";
import { exactScale, logScale, type Scale } from "../../../src/report/charts/scale.ts";
import { themeColour } from "./theme.ts";

export interface ChartEvents {
  /** The pointer is over an x, or has left. */
  readonly onHover: (index: number | null) => void;
  readonly onClick: (index: number) => void;
  /** Dragged over these x. */
  readonly onBrush: (from: number, to: number) => void;
}

export interface Chart {
  /** Shows the crosshair at an x of the data, or none. */
  readonly point: (index: number | null) => void;
  /** Marks a range of x, or none. */
  readonly mark: (range: readonly [number, number] | null) => void;
  readonly resize: (width: number) => void;
  /** After a change of colours. */
  readonly repaint: () => void;
  readonly destroy: () => void;
}

const HEIGHT = 168;
const TOP = 8;
const RIGHT = 14;
const FOOT = 28;
const FONT = "11px system-ui, sans-serif";
const LEAST_DRAG = 5;
/** Pixels between labels of the axes, and between points that are drawn. */
const X_SPACE = 56;
const Y_SPACE = 24;
const POINT_SPACE = 14;

export function createChart(parent: HTMLElement, spec: ChartSpec, events: ChartEvents): Chart {
  const { xs, lines, band, scale, height = HEIGHT } = spec;
  const drawn = lines.map(({ values }) => drawable(values, scale));
  const edges = band && [drawable(band.high, scale), drawable(band.low, scale)];
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const domain = first === last ? ([first - 1, last + 1] as const) : ([first, last] as const);
  const bottom = height - FOOT;
  const y: Scale =
    scale === "log"
      ? logScale(axisEnds(spec), [bottom, TOP], 5)
      : exactScale(axisEnds(spec), [bottom, TOP], (bottom - TOP) / Y_SPACE, 0);

  const canvas = document.createElement("canvas");
  const over = box("over");
  const select = box("select");
  const cross = box("cross");
  const dots = lines.map(({ colour }) => {
    const dot = box("dot");
    dot.style.background = `var(--${colour})`;
    return dot;
  });
  over.append(select, cross, ...dots);
  parent.append(canvas, over);
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;

  let width = Math.max(120, parent.clientWidth);
  let left = 0;
  let x: Scale;
  let pointed: number | null = null;
  let marked: readonly [number, number] | null = null;

  function layOut(): void {
    context.font = FONT;
    left = 16 + Math.max(0, ...y.ticks.map(({ label }) => context.measureText(label).width));
    x = exactScale(domain, [left, width - RIGHT], (width - left - RIGHT) / X_SPACE);
    over.style.left = `${left}px`;
    over.style.width = `${width - RIGHT - left}px`;
    over.style.top = `${TOP}px`;
    over.style.height = `${bottom - TOP}px`;
    paint();
    mark(marked);
    point(pointed);
  }

  function paint(): void {
    const ratio = devicePixelRatio;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    context.scale(ratio, ratio);
    context.font = FONT;
    paintAxes();
    context.lineJoin = "round";
    if (edges !== undefined) paintBand(edges);
    for (const [at, { colour, dash = [], joins }] of lines.entries()) {
      const values = drawn[at]!;
      context.strokeStyle = context.fillStyle = themeColour(`--${colour}`);
      context.lineWidth = colour === "faint" ? 1 : 1.7;
      context.setLineDash([...dash]);
      context.stroke(pathOf(values, joins));
      const isSparse = xs.length * POINT_SPACE <= width - left;
      for (const place of isSparse ? values.keys() : isolated(values))
        paintPoint(place, values[place] ?? null);
    }
    context.setLineDash([]);
  }

  function paintAxes(): void {
    context.fillStyle = themeColour("--muted");
    context.strokeStyle = themeColour("--line");
    context.lineWidth = 1;
    context.beginPath();
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const { at, label } of y.ticks) {
      const row = Math.round(at) + 0.5;
      context.moveTo(left, row);
      context.lineTo(width - RIGHT, row);
      context.fillText(label, left - 8, at);
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const { at, label } of x.ticks) {
      const column = Math.round(at) + 0.5;
      context.moveTo(column, bottom);
      context.lineTo(column, bottom + 4);
      context.fillText(label, at, bottom + 9);
    }
    context.stroke();
  }

  function paintBand([high, low]: readonly ChartValues[]): void {
    const area = new Path2D();
    for (let from = 0; from < xs.length; from++) {
      let to = from;
      while (to < xs.length && high![to] != null && low![to] != null) to++;
      for (let at = from; at < to; at++) {
        const corner = [x.map(xs[at]!), y.map(high![at]!)] as const;
        if (at === from) area.moveTo(...corner);
        else area.lineTo(...corner);
      }
      for (let at = to - 1; at >= from; at--) area.lineTo(x.map(xs[at]!), y.map(low![at]!));
      from = to;
    }
    context.strokeStyle = context.fillStyle = themeColour(`--${lines[0]?.colour ?? "grey"}`);
    context.globalAlpha = 0.18;
    context.fill(area);
    context.globalAlpha = 0.45;
    context.lineWidth = 1;
    for (const edge of [high, low]) context.stroke(pathOf(edge!));
    context.globalAlpha = 1;
  }

  /** A line that gaps break, unless it goes through them. */
  function pathOf(values: ChartValues, joins = false): Path2D {
    const path = new Path2D();
    let column = Number.NaN;
    let [least, most, latest] = [0, 0, 0];
    const endColumn = (): void => {
      if (least === most) return;
      path.lineTo(column, least);
      path.lineTo(column, most);
      path.lineTo(column, latest);
    };
    for (const [at, value] of values.entries()) {
      if (value === null) {
        if (joins) continue;
        endColumn();
        column = Number.NaN;
        least = most;
        continue;
      }
      const [across, down] = [x.map(xs[at]!), y.map(value)];
      if (Math.abs(across - column) < 0.5) {
        [least, most, latest] = [Math.min(least, down), Math.max(most, down), down];
        continue;
      }
      endColumn();
      if (Number.isNaN(column)) path.moveTo(across, down);
      else path.lineTo(across, down);
      column = across;
      least = most = latest = down;
    }
    endColumn();
    return path;
  }

  function paintPoint(at: number, value: number | null): void {
    if (value === null) return;
    context.beginPath();
    context.arc(x.map(xs[at]!), y.map(value), 2.5, 0, 2 * Math.PI);
    context.fill();
  }

  function point(index: number | null): void {
    pointed = index;
    const value = index === null ? undefined : xs[index];
    const across = value === undefined ? 0 : x.map(value) - left;
    cross.hidden = value === undefined;
    cross.style.left = `${across}px`;
    for (const [at, dot] of dots.entries()) {
      const own = index === null ? null : (drawn[at]?.[index] ?? null);
      dot.hidden = own === null;
      if (own === null) continue;
      dot.style.left = `${across}px`;
      dot.style.top = `${y.map(own) - TOP}px`;
    }
  }

  /** From and to in pixels of the plot. */
  function showSelected(from: number, to: number): void {
    const [start, end] = [Math.max(0, from), Math.min(width - RIGHT - left, to)];
    select.hidden = end <= start;
    select.style.left = `${start}px`;
    select.style.width = `${end - start}px`;
  }

  function mark(range: readonly [number, number] | null): void {
    marked = range;
    if (range === null) showSelected(0, 0);
    else showSelected(x.map(range[0]) - left - 3, x.map(range[1]) - left + 3);
  }

  const placeOf = ({ clientX }: MouseEvent): number => clientX - over.getBoundingClientRect().left;
  const valueAt = (place: number): number =>
    domain[0] + (place / (width - RIGHT - left)) * (domain[1] - domain[0]);
  const indexAt = (place: number): number | null => {
    const value = valueAt(place);
    let nearest: number | null = null;
    for (const [at, one] of xs.entries())
      if (nearest === null || Math.abs(one - value) < Math.abs(xs[nearest]! - value)) nearest = at;
    return nearest;
  };
  let start: number | null = null;
  over.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = placeOf(event);
    over.setPointerCapture(event.pointerId);
  });
  over.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    events.onHover(indexAt(place));
    if (start !== null && Math.abs(place - start) >= LEAST_DRAG)
      showSelected(Math.min(start, place), Math.max(start, place));
  });
  over.addEventListener("pointerup", (event) => {
    if (start === null) return;
    const [from, to] = [start, placeOf(event)].sort((a, b) => a - b) as [number, number];
    const index = indexAt(start);
    start = null;
    mark(marked);
    if (to - from >= LEAST_DRAG) events.onBrush(valueAt(from), valueAt(to));
    else if (index !== null) events.onClick(index);
  });
  over.addEventListener("pointercancel", () => {
    start = null;
    mark(marked);
  });
  over.addEventListener("pointerleave", () => events.onHover(null));

  layOut();
  return {
    mark,
    point,
    resize: (next) => {
      if (next < 40 || next === width) return;
      width = next;
      layOut();
    },
    repaint: paint,
    destroy: () => {
      canvas.remove();
      over.remove();
    },
  };
}

function box(name: string): HTMLElement {
  const made = document.createElement("div");
  made.className = name;
  return made;
}
