/**
 * Judging a run: published baselines, the least data that a word needs, what is left out, and the verdict. Figures are
 * computed in `analyses/report`, `analyses/doctor` and `analyses/series`; whatever calls one good or bad belongs here.
 *
 * @module
 */

export { FEWEST_SEQUENCES, FEWEST_TOKENS, isEnough } from "../../core/statistics/index.ts";
export { type AssessmentInput, assess } from "./assess.ts";
export { type FigureReading, findWorstLevel, type Ranges, readBaselines, readFigure } from "./baselines.ts";
export { addLoggedBeside, tellBeside, tellLoggedBeside } from "./beside.ts";
export { correctionNeed, type RatioReadings } from "./correction-need.ts";
export { type EventSpeller, spellEvents, withoutTexts } from "./event-words.ts";
export { type EventInput, findEvents } from "./events.ts";
export {
  addLoggedFinite,
  assessFinite,
  type FiniteBefore,
  isBroken,
  type StepValues,
  tellFinite,
  type Values,
} from "./finite.ts";
export { inputWasSkipped, listLeftOut } from "./left-out.ts";
export { assessLogged, type LoggedParts } from "./logged.ts";
export { judgeRun } from "./verdict.ts";
export { type Segmentation, StepLevels } from "./when.ts";
export { wordNow } from "./word-now.ts";
