/**
 * The replies of a document: one object, an object of named replies, or rows, several of which may form one reply.
 *
 * @module
 */
import { isObject } from "../../../core/base/index.ts";
import type { BadRow, RowDocument, RowMap, SourceDocument, TreeDocument } from "../../io/columns.ts";

import { isRowMap } from "../shared/row-values.ts";
import { type Assembled, createAssembler } from "./chunks.ts";
import { readMegatronEntry } from "./megatron.ts";
import { readReply } from "./read-reply.ts";
import type { Reply } from "./reply.ts";
import { findLogits } from "./to-draft.ts";

export interface FoundReply {
  readonly row: number;
  readonly offset: number | undefined;
  /** Undefined when the row holds no reply. */
  readonly reply: Reply | undefined;
  /** The name of an entry that is not a reply, in an object of named replies. */
  readonly name?: string | undefined;
}

function check(reply: Reply | undefined): Reply | undefined {
  const problem = reply && (reply.problem ?? findLogits(reply));
  return reply && problem ? { ...reply, texts: [], problem } : reply;
}

function find({ reply, row, offset }: Assembled): FoundReply {
  return { row, offset, reply: check(readReply(reply as RowMap)) };
}

function readNamed(key: string, entry: RowMap): Reply | undefined {
  const reply = readMegatronEntry(key, entry) ?? readReply(entry);
  return reply && { ...reply, texts: reply.texts.map((text) => ({ ...text, key: text.key ?? key })) };
}

/** A JSON object: a reply, or replies by name (Megatron-LM). */
export function readTreeReplies({ root, format }: TreeDocument): FoundReply[] {
  // Tensors of other formats are not replies.
  if (format !== "json") return [];
  const whole = createAssembler();
  const assembled = whole.add(root, 0, undefined) ?? whole.finish()[0];
  const single = assembled === undefined ? undefined : find(assembled);
  if (single?.reply !== undefined) return [single];
  return Object.entries(root).map(([name, entry], row) => ({
    row,
    offset: undefined,
    reply: isRowMap(entry as RowMap) ? check(readNamed(name, entry as RowMap)) : undefined,
    name,
  }));
}

/** The replies in the first rows. */
export function sampleReplies(document: SourceDocument): FoundReply[] {
  if (document.kind === "tree") return readTreeReplies(document);
  const assembler = createAssembler();
  const found = document.sample.flatMap((row, index) => assembler.add(row, index, undefined) ?? []);
  return [...found, ...assembler.finish()].map(find);
}

/** All replies of rows; lists of numbers are copied, since a reader's views are valid only with their chunk. */
export async function* readRowReplies(
  document: RowDocument,
  onBadRow: (bad: BadRow) => void,
): AsyncGenerator<FoundReply[]> {
  const assembler = createAssembler();
  for await (const chunk of document.chunks({ onBadRow })) {
    const found: FoundReply[] = [];
    for (let i = 0; i < chunk.length; i++) {
      const values = Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)!]));
      const offset = chunk.offset?.(i) ?? chunk.line?.(i);
      const whole = assembler.add(isObject(values) ? values : {}, chunk.firstRow + i, offset);
      if (whole !== undefined) found.push(find(whole));
    }
    yield found;
  }
  yield assembler.finish().map(find);
}
