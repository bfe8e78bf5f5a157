/**
 * JSON in the shapes that trainers write: rows of JSONL, arrays of objects, and single objects of arrays.
 *
 * @module
 */
export { openJsonDocument } from "./open.ts";
export { createJsonParser, type JsonParser } from "./parser.ts";
export type { JsonOptions } from "./row-batches.ts";
export { type JsonRows, openJsonl } from "./rows.ts";
export { type JsonKind, sniffJson } from "./sniff.ts";
export { openJson } from "./tree.ts";
