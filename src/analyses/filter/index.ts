/**
 * The grammar of filters on sequences and their tokens.
 *
 * @module
 */

export { type Alternatives, narrowed } from "./alternatives.ts";
export { sumImpact } from "./batch-table.ts";
export { type Completion, completeFilter } from "./complete.ts";
export type { Field, SequenceField, TokenField } from "./field.ts";
export { fieldValues } from "./field-values.ts";
export { FIELDS, fieldNamed, nearestField } from "./fields.ts";
export { figureOfSums, type SumColumn } from "./figures-of-sums.ts";
export { addCondition, type Filter, joinFilters, parseFilter, understoodText } from "./filter.ts";
export { type BatchFilter, batchFilter, type FilterCounts } from "./filter-batches.ts";
export { matchingRows, rowHolds } from "./match-rows.ts";
export { type TableMatch, type TableMatcher, tableMatcher } from "./match-table.ts";
export { type TokenMatcher, tokenMatcher } from "./match-tokens.ts";
export type { Problem, Range, Term, Test } from "./parse.ts";
export { byScope, needsTexts, needsTokens, withoutTokens } from "./scopes.ts";
export { takeRows } from "./take-rows.ts";
export { spelledTexts, type TokenColumns, type TokenTextColumn, tokensOfWire } from "./token-columns.ts";
export { type Operator, quoted } from "./words.ts";
