/** Pure functions from figures to SVG text, for the HTML report and the viewer. */
export type { ChartColour } from "./chart-colours.ts";
export type { ChartLine, ChartSpec, ChartValues } from "./chart-spec.ts";
export { type ChartOptions, DEFAULT_HEIGHT, DEFAULT_WIDTH } from "./frame.ts";
export { type BarSeries, groupedBars } from "./grouped-bars.ts";
export { type HeatGridOptions, type HeatGridRow, heatGrid } from "./heat-grid.ts";
export {
  DARK_HEAT,
  HEAT_LEVELS,
  type HeatColours,
  heatBounds,
  heatFill,
  heatInk,
  heatLevel,
  LIGHT_HEAT,
} from "./heat-levels.ts";
export { type HeatRow, type HeatStripOptions, heatStrip } from "./heat-strip.ts";
export { type HistogramOptions, histogramChart } from "./histogram-chart.ts";
export { type IntervalBar, type IntervalBarsOptions, intervalBars } from "./interval-bars.ts";
export { type IntervalLineOptions, type IntervalPoint, intervalLine, type Level } from "./interval-line.ts";
export { lineChart } from "./line-chart.ts";
export type { LineChartSize } from "./line-layout.ts";
export { type MirroredOptions, type MirroredSide, mirroredChart } from "./mirrored-chart.ts";
export { PALETTE, type PaletteColour } from "./palette.ts";
export { tailChart } from "./tail-chart.ts";
