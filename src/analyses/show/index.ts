/**
 * One sequence of a run, found by its handle, and what is known about its tokens.
 *
 * @module
 */
export { mergeAlternatives, type SampledToken } from "./alternatives.ts";
export { buildShow, type ShowResult } from "./build-show.ts";
export { SequenceFinder } from "./find-sequence.ts";
export { parseHandle } from "./handle.ts";
export { defaultMetric } from "./metrics.ts";
export { makeSpeller } from "./speller.ts";
