export { type OutcomeContrast, outcomeContrast } from "./outcome.ts";
export { SIGNIFICANT, type Standout, standoutOf, standoutPart } from "./standout.ts";
export { type Trend, trendOf } from "./trend.ts";
export { totalOf } from "./units.ts";
