/**
 * JSON in the shapes that trainers write: rows of JSONL, arrays of objects, and single objects of arrays. Like every
 * reader, it is loaded with the first file of its format: what recognizes the format is here at once.
 *
 * @module
 */

import type { ByteSource } from "../../io/byte-source.ts";
import type { SourceDocument } from "../../io/columns.ts";
import type { ByteStream } from "../../io/decompress.ts";
import type { JsonDocumentOptions } from "./open.ts";

export { sniffJson } from "./sniff.ts";

/** See `openJsonDocument` in open.ts. */
export async function openJsonDocument(
  input: ByteSource | ByteStream,
  options: JsonDocumentOptions = {},
): Promise<SourceDocument> {
  return (await import("./open.ts")).openJsonDocument(input, options);
}
