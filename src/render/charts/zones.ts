import { type ChartSpec, isDrawable } from "./chart-spec.ts";
import type { LineLayout } from "./line-layout.ts";
import { PALETTE } from "./palette.ts";
import { element, textElement } from "./svg.ts";

/** The page's colors of levels, with fallbacks for a separately saved chart. */
const COLORS = {
  none: "var(--level-none, #5c626b)",
  normal: "var(--level-normal, #1f66ad)",
  elevated: "var(--level-elevated, #9a5b00)",
  high: "var(--level-high, #b23a00)",
  broken: "var(--level-broken, #8f0d3f)",
} as const;
/** Below this height, a band has no room for its name. */
const LEAST_NAMED = 18;
const DOT = 4.5;
/**
 * Distance from a dot to its words, and of the words above the dot's middle: only the highest dots have words, so no
 * line is there.
 */
const GAP = 9;

/** Bands of levels over the whole width, each with its name at the right. */
export function drawZones({ zones = [], scale }: ChartSpec, { plot, y }: LineLayout): string {
  const { left, right, top, bottom } = plot;
  const place = (value: number): number =>
    isDrawable(value, scale) ? Math.min(bottom, Math.max(top, y.map(value))) : bottom;
  return zones
    .map(({ from, level }, at) => {
      const [foot, head] = [place(from), at + 1 < zones.length ? place(zones[at + 1]!.from) : top];
      if (foot <= head) return "";
      const area = { x: left, y: head, width: right - left, height: foot - head };
      return (
        element("rect", { ...area, fill: COLORS[level], "fill-opacity": "0.1" }) +
        (foot - head < LEAST_NAMED
          ? ""
          : textElement(level, { x: right - 6, y: head + 14, "text-anchor": "end", fill: PALETTE.muted }))
      );
    })
    .join("");
}

/** Dots on the first line, with their words above it, on the side that has more room. */
export function drawPoints({ points = [], xs, lines, scale }: ChartSpec, { plot, x, y }: LineLayout): string {
  const middle = (plot.left + plot.right) / 2;
  return points
    .map((point) => {
      const value = lines[0]?.values[xs.indexOf(point.x)];
      if (!isDrawable(value, scale)) return "";
      const [across, down] = [x.map(point.x), y.map(value)];
      const isLeft = across < middle;
      const words = {
        x: across + (isLeft ? GAP : -GAP),
        y: Math.max(down - GAP, plot.top + GAP),
        "text-anchor": isLeft ? "start" : "end",
      };
      return (
        element("circle", { cx: across, cy: down, r: DOT, fill: PALETTE.orange }) +
        (point.label === ""
          ? ""
          : textElement(point.label, { ...words, fill: PALETTE.orange, "font-weight": 600 }))
      );
    })
    .join("");
}
