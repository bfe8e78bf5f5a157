/**
 * Judges a run: published baselines, the least data that a verdict needs, what is left out, and the verdict. Figures
 * are computed in `analyses/report`, `analyses/doctor` and `analyses/series`; whatever calls them good or bad belongs
 * here.
 *
 * @module
 */

export { readBaselines, readFigure } from "./baselines.ts";
export { type EventSpeller, spellEvents, withoutTexts } from "./event-words.ts";
export { inputWasSkipped } from "./left-out.ts";
export { wordNow } from "./word-now.ts";
