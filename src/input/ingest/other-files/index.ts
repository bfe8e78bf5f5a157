/**
 * Well-known files without recorded log-probs: says what they are and what to do instead. A file that a trainer dumps
 * belongs to an adapter; a file recognized here never has figures.
 *
 * @module
 */
export { nameBytes } from "./by-bytes.ts";
export { nameDocument } from "./by-names.ts";
export { nameText, unknownFile } from "./by-text.ts";
export { type OtherFile, OtherFileError, otherFileError } from "./other-file.ts";
