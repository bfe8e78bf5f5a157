import { PALETTE, type PaletteColor } from "./palette.ts";
import type { Scale } from "./scale.ts";
import { element, escapeMarkup, textElement, tooltip } from "./svg.ts";

/** Options of every chart: a title that says what it shows, and its size in CSS pixels. */
export interface ChartOptions {
  readonly title: string;
  readonly width?: number;
  readonly height?: number;
  /** Without title, legend and names of the axes, for a page that shows them itself. */
  readonly bare?: boolean;
  /** Whether parts of it are links, which an element with the role of an image must not contain. */
  readonly isLinked?: boolean;
}

export interface LegendEntry {
  /** Includes the number that the entry stands for: `p99, most 0.2`. */
  readonly label: string;
  readonly color: PaletteColor;
  readonly dashed?: boolean;
}

/** The rectangle in which data are drawn. */
export interface Plot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const DEFAULT_WIDTH = 480;
const DEFAULT_HEIGHT = 250;
/** Space to the right of the plot. */
const MARGIN = 12;
const TITLE_BASELINE = 15;
const LEGEND_BASELINE = 33;
const FONT = 11.5;
/** Mean advance of a character, for laying out legends without a font at hand. */
const CHARACTER = 6.1;

/** The plot area under title and legend. */
export function plotArea(options: Omit<ChartOptions, "title">, hasLegend: boolean, left = 50): Plot {
  const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT } = options;
  if (options.bare) return { left, right: width - MARGIN, top: 8, bottom: height - 22 };
  return { left, right: width - MARGIN, top: hasLegend ? 62 : 44, bottom: height - 34 };
}

/** A whole chart: title, legend, then `content`, with a description for screen readers. */
export function drawChart(
  options: ChartOptions,
  description: string,
  legend: readonly LegendEntry[],
  content: readonly string[],
): string {
  const { title, width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT, bare = false, isLinked = false } = options;
  const heading = [
    tooltip(`${title}. ${description}`),
    textElement(title, { x: 0, y: TITLE_BASELINE, "font-size": 13, "font-weight": 600 }),
  ];
  return element(
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: isLinked ? "group" : "img",
      "aria-label": `${title}. ${description}`,
      "font-family": "system-ui, sans-serif",
      "font-size": FONT,
      fill: PALETTE.ink,
    },
    ...(bare ? [] : heading),
    ...drawLegend(legend),
    ...content,
  );
}

/** A chart that has nothing to draw says so in words. */
export function drawEmptyChart(options: ChartOptions, reason: string): string {
  const { width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT } = options;
  const note = textElement(reason, {
    x: width / 2,
    y: height / 2,
    "text-anchor": "middle",
    fill: PALETTE.muted,
  });
  return drawChart(options, reason, [], [note]);
}

/** Horizontal grid lines with their values, and the unit above them. */
export function drawYAxis(scale: Scale, plot: Plot, unit: string): string {
  const lines = scale.ticks.map(
    ({ at, label }) =>
      element("path", {
        d: `M${plot.left} ${crisp(at)}H${plot.right}`,
        stroke: PALETTE.grid,
      }) + textElement(label, { x: plot.left - 6, y: at + 4, "text-anchor": "end", fill: PALETTE.muted }),
  );
  const name = unit && textElement(unit, { x: plot.left, y: plot.top - 10, fill: PALETTE.muted });
  return lines.join("") + name;
}

/** Aligns a coordinate so that a one-pixel line fills one row or column of pixels, not half of two. */
export function crisp(at: number): number {
  return Math.floor(at) + 0.5;
}

/** Values along the bottom, with their name at the right end. */
export function drawXAxis(scale: Scale, plot: Plot, unit: string): string {
  const unitStart = plot.right - unit.length * CHARACTER - 8;
  const foot = element("path", {
    d: `M${plot.left} ${crisp(plot.bottom)}H${plot.right}`,
    stroke: PALETTE.muted,
  });
  const labels = scale.ticks.map(({ at, label }) => {
    const half = (label.length * CHARACTER) / 2;
    const anchor = at + half > plot.right + MARGIN ? "end" : at - half < 0 ? "start" : "middle";
    return (
      element("path", { d: `M${crisp(at)} ${plot.bottom}v4`, stroke: PALETTE.muted }) +
      textElement(label, { x: at, y: plot.bottom + 16, "text-anchor": anchor, fill: PALETTE.muted })
    );
  });
  const name = textElement(unit, {
    x: plot.right,
    y: plot.bottom + 31,
    "text-anchor": "end",
    fill: PALETTE.muted,
  });
  return unit !== "" && unitStart > plot.left ? foot + labels.join("") + name : foot + labels.join("");
}

function drawLegend(entries: readonly LegendEntry[]): string[] {
  let x = 0;
  return entries.map(({ label, color, dashed }) => {
    const drawn =
      element("path", {
        d: `M${Math.round(x)} ${LEGEND_BASELINE - 4}h14`,
        stroke: PALETTE[color],
        "stroke-width": dashed ? 2 : 4,
        "stroke-dasharray": dashed ? "4 3" : undefined,
      }) + textElement(label, { x: Math.round(x) + 19, y: LEGEND_BASELINE, fill: PALETTE.muted });
    x += 19 + label.length * CHARACTER + 16;
    return drawn;
  });
}

/** A label cut to fit, with the full text in its tooltip. */
export function fitLabel(text: string, most: number): { readonly shown: string; readonly whole: string } {
  const characters = [...text];
  return {
    shown: characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`,
    whole: text,
  };
}

/** A group of shapes with one tooltip. */
export function withTooltip(text: string, ...shapes: readonly string[]): string {
  return `<g><title>${escapeMarkup(text)}</title>${shapes.join("")}</g>`;
}
