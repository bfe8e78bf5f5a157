/**
 * The grammar of filters on sequences and their tokens.
 *
 * @module
 */

export { narrowed } from "./alternatives.ts";
export { sumImpact } from "./batch-table.ts";
export { type Completion, completeFilter } from "./complete.ts";
export type { Field } from "./field.ts";
export { fieldValues } from "./field-values.ts";
export { FIELDS, fieldNamed } from "./fields.ts";
export { figureOfSums, type SumColumn } from "./figures-of-sums.ts";
export { addCondition, type Filter, joinFilters, parseFilter, understoodText } from "./filter.ts";
export type { BatchFilter } from "./filter-batches.ts";
export { matchingRows, rowHolds } from "./match-rows.ts";
export { tableMatcher } from "./match-table.ts";
export { tokenMatcher } from "./match-tokens.ts";
export { byScope, needsTexts, needsTokens, withoutTokens } from "./scopes.ts";
export { tokensOfWire } from "./token-columns.ts";
export { quoted } from "./words.ts";
