/**
 * The grammar of filters on sequences.
 *
 * @module
 */
export { matchingRows } from "./evaluate.ts";
export { essOf, FIELDS, type Field, fieldNamed, nearestField } from "./fields.ts";
export { type Filter, type Problem, parseFilter, type Range, type Term, type Test } from "./parse.ts";
export { OPERATORS, type Operator, quoted } from "./words.ts";
