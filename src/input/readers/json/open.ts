import type { ByteSource } from "../../io/byte-source.ts";
import type { SourceDocument } from "../../io/columns.ts";
import { type ByteStream, openPlain } from "../../io/decompress.ts";
import { asJson, beginsAsPython } from "./python-literals.ts";
import type { JsonOptions } from "./row-batches.ts";
import { openJsonl } from "./rows.ts";
import { sniffJson } from "./sniff.ts";
import { openJson, treeDocument } from "./tree.ts";

/** `name` stands for the file's own name where the content does not decide; `""` hides it. */
export interface JsonDocumentOptions extends JsonOptions {
  readonly name?: string;
}

/**
 * Opens the JSON in a file or stream: rows (JSONL, an array of objects) or one object.
 *
 * A single object on one line is an object, except in a file whose name says JSONL; either way `otherwise` has the
 * other reading, because the names inside a file say more than its own.
 *
 * Rows that Python printed are read as the JSON that they stand for.
 *
 * @throws as {@link openJsonl} and {@link openJson}
 */
export async function openJsonDocument(
  input: ByteSource | ByteStream,
  options: JsonDocumentOptions = {},
): Promise<SourceDocument> {
  const opened = await openPlain(input);
  const plain = beginsAsPython(opened.head) ? asJson(opened) : opened;
  const name = options.name ?? plain.name;
  const byContent = sniffJson(plain.head);
  if (byContent === "object" && sniffJson(plain.head, name) === "object") return openJson(plain, options);
  const rows = await openJsonl(plain, options);
  const named = sniffJson(Buffer.from("{}"), name) === "jsonl";
  if (rows.format !== "jsonl" || rows.onlyRow === undefined) return rows;
  const { invalidText } = rows;
  const tree = { ...treeDocument(rows.file, rows.onlyRow), ...(invalidText && { invalidText }) };
  if (named) return { ...rows, otherwise: tree };
  await rows.close();
  return tree;
}
