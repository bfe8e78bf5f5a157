/** Pure functions from figures to SVG text, for the HTML report and the viewer. */

export { sliceLook } from "./chart-colors.ts";
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
export { type CorrectionPoint, correctionChart } from "./correction-chart.ts";
export { foldChart } from "./fold-chart.ts";
export { crisp } from "./frame.ts";
export { groupedBars } from "./grouped-bars.ts";
export { heatGrid } from "./heat-grid.ts";
export { HEAT_LEVELS, heatBounds, heatLevel } from "./heat-levels.ts";
export { type IntervalBar, intervalBars } from "./interval-bars.ts";
export { intervalLine } from "./interval-line.ts";
export { lineChart } from "./line-chart.ts";
export { type LineLayout, lineLayout, placeAt } from "./line-layout.ts";
export { mirroredChart } from "./mirrored-chart.ts";
export { PALETTE } from "./palette.ts";
export { smoothChart } from "./smooth-chart.ts";
export { spikeLine } from "./spike-line.ts";
export { standaloneSvg } from "./standalone.ts";
export { SCALES, type ScaleChoice, type SliceBy, sliceChoices, stepCharts } from "./step-charts.ts";
export { element, escapeMarkup, pixel } from "./svg.ts";
export { type TokenColumn, tokenGrid } from "./token-grid.ts";
