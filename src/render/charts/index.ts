/** Pure functions from figures to SVG text, for the HTML report and the viewer. */

export type { BarSeries } from "./bar-rows.ts";
export { type ChartColor, sliceLook } from "./chart-colors.ts";
export type { ChartLine, ChartMark, ChartSpec, ChartTick, ChartValues } from "./chart-spec.ts";
export {
  chartRows,
  countUndrawn,
  cutChart,
  isDrawable,
  marksAt,
  nextMark,
  type Readout,
  readLine,
  readout,
  sayPoint,
  sayX,
} from "./chart-spec.ts";
export {
  type CorrectionChartOptions,
  type CorrectionPoint,
  correctionChart,
} from "./correction-chart.ts";
export { foldChart } from "./fold-chart.ts";
export {
  type ChartOptions,
  crisp,
  DEFAULT_WIDTH,
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  plotArea,
  withTooltip,
} from "./frame.ts";
export { groupedBars } from "./grouped-bars.ts";
export { type HeatGridOptions, type HeatGridRow, heatGrid } from "./heat-grid.ts";
export {
  DARK_HEAT,
  HEAT_LEVELS,
  type HeatColors,
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
export { type LineLayout, lineLayout, placeAt } from "./line-layout.ts";
export { type MirroredOptions, type MirroredSide, mirroredChart } from "./mirrored-chart.ts";
export { PALETTE, type PaletteColor } from "./palette.ts";
export { type PointChartOptions, type PointSeries, pointChart } from "./point-chart.ts";
export { exactScale, linearScale } from "./scale.ts";
export { signedBars } from "./signed-bars.ts";
export { smoothChart } from "./smooth-chart.ts";
export { type SpikeLineOptions, spikeLine } from "./spike-line.ts";
export { standaloneSvg } from "./standalone.ts";
export {
  reportStepCharts,
  SCALES,
  type ScaleChoice,
  type SliceBy,
  sliceChoices,
  stepCharts,
} from "./step-charts.ts";
export { element, escapeMarkup, pixel, textElement, tooltip } from "./svg.ts";
export { tailChart } from "./tail-chart.ts";
export { type TokenColumn, tokenGrid } from "./token-grid.ts";
