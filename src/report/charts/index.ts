/** Pure functions from figures to SVG text, for the HTML report and the viewer. */
export { type ChartOptions, DEFAULT_HEIGHT, DEFAULT_WIDTH } from "./frame.ts";
export { type BarSeries, groupedBars } from "./grouped-bars.ts";
export { type HeatRow, type HeatStripOptions, heatStrip } from "./heat-strip.ts";
export { type HistogramOptions, histogramChart } from "./histogram-chart.ts";
export { type LineChartOptions, type LineSeries, lineChart } from "./line-chart.ts";
export { PALETTE, type PaletteColour } from "./palette.ts";
export { tailChart } from "./tail-chart.ts";
