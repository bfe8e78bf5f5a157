/**
 * Formats that several readers take, recognized by their first bytes.
 *
 * @module
 */
export { isPickle, isZip, zipKind } from "./sniff.ts";
