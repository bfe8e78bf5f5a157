/**
 * What callers of several readers need: formats that more than one takes, recognized by their first bytes, and arrays to
 * be written.
 *
 * @module
 */
export { isPickle, isZip, zipKind } from "./sniff.ts";
export { WRITTEN_BYTES, type WrittenArray } from "./written-array.ts";
