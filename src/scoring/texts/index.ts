/**
 * Prompts and responses as token ids.
 *
 * @module
 */
export { compareTokenizers, type TokenizerDifference } from "../../input/tokens/index.ts";
export type { ColumnNames, TextColumn } from "./columns.ts";
export { type Outcomes, OutcomeVotes, readOutcomeFiles, readOutcomes } from "./outcomes.ts";
export type { PreparedText } from "./prepare-text.ts";
export { type PreparedPrompt, readPrompts } from "./read-prompts.ts";
export type { ResponsesFile } from "./read-responses.ts";
export { type ReadTextsOptions, readStudyTexts, type StudyTexts } from "./read-study-texts.ts";
export { recognizeResults } from "./rl-probe-results.ts";
export { DEFAULT_TEMPLATE, RL_PROBE_TEMPLATE } from "./template.ts";
