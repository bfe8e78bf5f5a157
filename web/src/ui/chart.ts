/**
 * uPlot behind one door: lines over whole-numbered x with gaps, a shared crosshair, a brush and a click. Lines with more
 * points than pixels are drawn from the least to the greatest value of each pixel column, so that no spike is lost.
 *
 * @module
 */
import uPlot from "uplot";
import { CHART_COLOURS } from "./chart-colours.ts";
import { axisEnds, type ChartSpec, type ChartValues, drawable, isolated } from "./chart-spec.ts";
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
const FONT = "11px system-ui, sans-serif";
const LEAST_DRAG = 5;
const MOST_DECADES = 5;

export function createChart(parent: HTMLElement, spec: ChartSpec, events: ChartEvents): Chart {
  const { xs, lines, band, scale, height = HEIGHT } = spec;
  const bandLines = band === undefined ? [] : [band.high, band.low];
  const data = [xs, ...bandLines, ...lines.map(({ values }) => values)].map((values, index) =>
    index === 0 ? [...values] : drawable(values, scale),
  ) as unknown as uPlot.AlignedData;
  const muted = (): string => themeColour("--muted");
  const grid = (): string => themeColour("--line");
  const bandColour = CHART_COLOURS[lines[0]?.colour ?? "grey"].variable;
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const ends = axisEnds(spec);

  let marked: readonly [number, number] | null = null;

  const plot = new uPlot(
    {
      width: Math.max(120, parent.clientWidth),
      height,
      padding: [8, 14, 0, 0],
      legend: { show: false },
      series: [
        {},
        ...bandLines.map(() => ({
          stroke: () => withAlpha(themeColour(bandColour), 0.45),
          width: 1,
          points: { show: false },
        })),
        ...lines.map(({ colour, dash = [], joins = false, values }) => ({
          spanGaps: joins,
          stroke: () => themeColour(CHART_COLOURS[colour].variable),
          width: colour === "faint" ? 1 : 1.7,
          dash: [...dash],
          points: {
            size: 5,
            fill: () => themeColour(CHART_COLOURS[colour].variable),
            filter: alonePoints(drawable(values, scale)),
          },
        })),
      ],
      bands:
        band === undefined ? [] : [{ series: [1, 2], fill: () => withAlpha(themeColour(bandColour), 0.18) }],
      scales: {
        x: { time: false, range: first === last ? [first - 1, last + 1] : [first, last] },
        y: { distr: scale === "log" ? 3 : 1, range: [ends[0], ends[1]] },
      },
      axes: [
        {
          stroke: muted,
          font: FONT,
          size: 28,
          space: 56,
          incrs: [1, 2, 5]
            .flatMap((step) => [0, 1, 2, 3, 4, 5, 6, 7].map((power) => step * 10 ** power))
            .sort((a, b) => a - b),
          grid: { show: false },
          ticks: { stroke: grid, size: 4 },
          values: (_, splits) => splits.map(String),
        },
        {
          stroke: muted,
          font: FONT,
          size: (_, values) => 16 + 6.4 * Math.max(0, ...(values ?? []).map((value) => value?.length ?? 0)),
          space: 30,
          grid: { stroke: grid, width: 1 },
          ticks: { show: false },
          ...(scale === "log" ? { splits: decades(ends) } : {}),
          values: (_, splits) => splits.map((value) => axisLabel(value, scale)),
        },
      ],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG },
        points: { size: 7, width: 0 },
      },
      hooks: {
        // Places are known once something has been drawn, and move with every new size.
        draw: [() => mark(marked)],
        setSelect: [
          (self) => {
            if (self.select.width < LEAST_DRAG) return;
            events.onBrush(
              self.posToVal(self.select.left, "x"),
              self.posToVal(self.select.left + self.select.width, "x"),
            );
          },
        ],
      },
    },
    data,
    parent,
  );

  const indexAt = (event: MouseEvent): number | null => {
    if (xs.length === 0) return null;
    return plot.posToIdx(event.clientX - plot.over.getBoundingClientRect().left);
  };
  plot.over.addEventListener("mousemove", (event) => events.onHover(indexAt(event)));
  plot.over.addEventListener("mouseleave", () => events.onHover(null));
  plot.over.addEventListener("click", (event) => {
    const index = indexAt(event);
    if (index !== null) events.onClick(index);
  });

  function mark(range: readonly [number, number] | null): void {
    marked = range;
    if (plot.status === 0) return;
    if (range === null) {
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      return;
    }
    const room = plot.over.clientWidth;
    const left = Math.max(0, Math.min(room, plot.valToPos(range[0], "x")) - 3);
    const right = Math.min(room, Math.max(0, plot.valToPos(range[1], "x")) + 3);
    plot.setSelect({ left, top: 0, width: Math.max(0, right - left), height: plot.over.clientHeight }, false);
  }

  return {
    mark,
    point: (index) => {
      const x = index === null ? undefined : xs[index];
      plot.setCursor(
        { left: x === undefined ? -10 : plot.valToPos(x, "x"), top: x === undefined ? -10 : 0 },
        false,
      );
    },
    resize: (width) => {
      if (width < 40 || width === plot.width) return;
      plot.setSize({ width, height });
    },
    repaint: () => plot.redraw(false),
    destroy: () => plot.destroy(),
  };
}

/** Where points are too dense to be drawn, those that no line reaches still are. */
function alonePoints(values: ChartValues): (self: uPlot, series: number, all: boolean) => number[] | null {
  const alone = isolated(values);
  return (_self, _series, all) => (all || alone.length === 0 ? null : alone);
}

/** Whole powers of ten, as many as an axis has room for. */
function decades([low, high]: readonly [number, number]): number[] {
  const [from, to] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const every = Math.ceil((to - from) / MOST_DECADES);
  return Array.from(
    { length: Math.floor((to - from) / every) + 1 },
    (_, index) => 10 ** (to - index * every),
  ).reverse();
}

/** Round values in few characters. */
function axisLabel(value: number | null, scale: ChartSpec["scale"]): string {
  if (value === null) return "";
  if (scale === "log") {
    const power = Math.round(Math.log10(value));
    return power >= -2 && power <= 3 ? String(Number((10 ** power).toPrecision(3))) : `1e${power}`;
  }
  const rounded = Number(value.toPrecision(6));
  const size = Math.abs(rounded);
  return size !== 0 && (size < 1e-3 || size >= 1e6)
    ? rounded.toExponential().replace("e+", "e")
    : String(rounded);
}

/** `rgb(1, 2, 3)` as `rgba(1, 2, 3, alpha)`. */
function withAlpha(colour: string, alpha: number): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}
