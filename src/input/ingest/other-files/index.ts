/**
 * Files that are well known and hold no recorded log-probs, named for what they are, with what to do instead. A file
 * that a trainer dumps belongs to an adapter; a file that is here never has figures.
 *
 * @module
 */
export { nameBytes } from "./by-bytes.ts";
export { nameDocument } from "./by-names.ts";
export { nameText, unknownFile } from "./by-text.ts";
export { type OtherFile, OtherFileError, otherFileError } from "./other-file.ts";
