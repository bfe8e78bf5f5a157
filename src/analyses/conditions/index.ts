/**
 * Conditions on the figures of a report: the grammar that limits of a gate and rules of alerts share. Pure. When a
 * gate fails or an alert is raised belongs in `analyses/gate` and `analyses/alerts`.
 *
 * @module
 */
export {
  type ChangeCondition,
  CONDITION_LEVELS,
  type Condition,
  type FigureCondition,
  type Operator,
  parseCondition,
  type VerdictCondition,
} from "./condition.ts";
export { type FigureName, findScale, parseFigureName } from "./figure-name.ts";
export { type Holding, judgeInterval, judgeVerdict, meets } from "./judge.ts";
export { type FigureReadings, type Reading, type Results, readFigures } from "./read-figure.ts";
export { isAmount, NON_FINITE } from "./vocabulary.ts";
