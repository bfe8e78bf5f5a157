/**
 * One sequence of a run, found by its handle, and what is known of its tokens.
 *
 * @module
 */
export { mergeAlternatives, type SampledToken } from "./alternatives.ts";
export { buildShow, type ShowInput, type ShowResult } from "./build-show.ts";
export { EventFinder } from "./find-events.ts";
export { type FoundSequence, SequenceFinder, WorstFinder } from "./find-sequence.ts";
export { parseHandle, sequenceHandle, WORST } from "./handle.ts";
export { defaultMetric } from "./metrics.ts";
export { makeSpeller, type SpelledPiece, type Speller } from "./speller.ts";
