/**
 * The grammar of filters on sequences and their tokens.
 *
 * @module
 */

export { sumImpact } from "./batch-table.ts";
export type { Field, SequenceField, TokenField } from "./field.ts";
export { FIELDS, fieldNamed, nearestField } from "./fields.ts";
export { figureOfSums, SUM_COLUMNS, type SumColumn } from "./figures-of-sums.ts";
export { type BatchFilter, batchFilter, type FilterCounts } from "./filter-batches.ts";
export { matchingRows } from "./match-rows.ts";
export { type TokenMatcher, tokenMatcher } from "./match-tokens.ts";
export {
  type Filter,
  type Problem,
  parseFilter,
  type Range,
  type Term,
  type Test,
  understoodText,
} from "./parse.ts";
export { byScope, needsTexts, needsTokens } from "./scopes.ts";
export { computeEss } from "./sequence-fields.ts";
export { spelledTexts, type TokenColumns, type TokenTextColumn, tokensOfWire } from "./token-columns.ts";
export { OPERATORS, type Operator, quoted } from "./words.ts";
