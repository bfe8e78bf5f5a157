/**
 * Concatenates row groups that were written as separate files. A Parquet file consists of its row groups' pages and a
 * footer with their offsets, so the pages are copied unchanged and the offsets shifted.
 *
 * @module
 */
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openFile } from "../../io/file-source.ts";
import { writeAll } from "../../io/write-all.ts";
import { CHUNK, COLUMN, FILE, GROUP, PAIR, readFooter } from "./footer.ts";
import {
  integerAt,
  integerValue,
  structAt,
  structList,
  structsAt,
  structValue,
  type ThriftStruct,
  type ThriftValue,
  textValue,
  writeThrift,
} from "./thrift.ts";

const MAGIC = Buffer.from("PAR1");

export interface Joiner {
  /** Adds the row groups of a Parquet file with the same columns as the earlier ones. */
  append(path: string): Promise<void>;
  /** Writes the footer. */
  finish(metadata: Readonly<Record<string, string>>): Promise<void>;
}

export async function createJoiner(target: FileHandle): Promise<Joiner> {
  await writeAll(target, MAGIC);
  let length = MAGIC.length;
  let template: ThriftStruct | undefined;
  let rows = 0;
  const groups: ThriftValue[] = [];

  const append = async (path: string): Promise<void> => {
    const source = await openFile(path);
    const footer = await readFooter(source).finally(() => source.close());
    const shift = length - MAGIC.length;
    if (footer.start > MAGIC.length) {
      for await (const chunk of createReadStream(path, { start: MAGIC.length, end: footer.start - 1 })) {
        await writeAll(target, chunk as Buffer);
        length += (chunk as Buffer).length;
      }
    }
    template ??= footer.fields;
    rows += footer.rows;
    for (const group of structsAt(footer.fields, FILE.rowGroups)) {
      groups.push({ type: "struct", fields: movedGroup(group, shift) });
    }
  };

  const finish = async (metadata: Readonly<Record<string, string>>): Promise<void> => {
    const fields = new Map(template);
    fields.set(FILE.rows, integerValue(rows));
    fields.set(FILE.rowGroups, structList(groups));
    fields.set(
      FILE.keyValues,
      structList(
        Object.entries(metadata).map(([key, value]) =>
          structValue([
            [PAIR.key, textValue(key)],
            [PAIR.value, textValue(value)],
          ]),
        ),
      ),
    );
    const footer = writeThrift(fields);
    const size = Buffer.alloc(4);
    size.writeUInt32LE(footer.length);
    await writeAll(target, Buffer.concat([footer, size, MAGIC]));
  };
  return { append, finish };
}

/** The struct with `shift` added to its offset fields `ids`; 0 and absent ones point nowhere. */
function moved(struct: ThriftStruct, shift: number, ids: readonly number[]): Map<number, ThriftValue> {
  const fields = new Map(struct);
  for (const id of ids) {
    const offset = integerAt(struct, id);
    if (offset !== undefined && offset > 0) fields.set(id, integerValue(offset + shift));
  }
  return fields;
}

function movedGroup(group: ThriftStruct, shift: number): ThriftStruct {
  const columns = structsAt(group, GROUP.columns).map((chunk): ThriftValue => {
    const fields = moved(chunk, shift, [CHUNK.fileOffset, CHUNK.offsetIndex, CHUNK.columnIndex]);
    const column = structAt(chunk, CHUNK.metadata)!;
    const pages = [COLUMN.dataPage, COLUMN.indexPage, COLUMN.dictionaryPage, COLUMN.bloomFilter];
    return {
      type: "struct",
      fields: fields.set(CHUNK.metadata, { type: "struct", fields: moved(column, shift, pages) }),
    };
  });
  return moved(group, shift, [GROUP.fileOffset]).set(GROUP.columns, structList(columns));
}
