/**
 * JSON in the shapes that trainers write: rows of JSONL, arrays of objects, and single objects of arrays.
 *
 * @module
 */
export { openJsonDocument } from "./open.ts";
export { sniffJson } from "./sniff.ts";
