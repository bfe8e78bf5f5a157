/**
 * Single rows of JSONL at known offsets.
 *
 * @module
 */
import { FormatError, LimitError, memoryLimit } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { RowDocument, RowMap } from "../../io/columns.ts";
import { createJsonParser, DEFAULT_MAX_DEPTH } from "./parser.ts";
import { DEFAULT_MAX_VALUE_BYTES, type JsonOptions } from "./row-batches.ts";
import { LINE_FEED } from "./syntax.ts";

/** Bytes to read at a time: rows that are asked for are often neighbors. */
const BLOCK_BYTES = 1 << 18;

/** Bytes to search at a time. */
const SEARCH_BYTES = 1 << 22;

/** Finds rows by their offset, or by what they contain: see `RowDocument`. */
export function createRowFinder(
  source: ByteSource,
  { maxValueBytes = DEFAULT_MAX_VALUE_BYTES, maxDepth = DEFAULT_MAX_DEPTH }: JsonOptions,
): {
  readonly rowAt: NonNullable<RowDocument["rowAt"]>;
  readonly rowsWith: NonNullable<RowDocument["rowsWith"]>;
} {
  const parser = createJsonParser(maxDepth);
  let blockStart = 0;
  let block: Buffer = Buffer.alloc(0);

  /** A block with the byte at an offset: the last one, if it has it. */
  const blockAt = async (offset: number): Promise<Buffer> => {
    if (offset < blockStart || offset >= blockStart + block.length) {
      const bytes = await source.slice(offset, Math.min(offset + BLOCK_BYTES, source.byteLength));
      block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      blockStart = offset;
    }
    return block.subarray(offset - blockStart);
  };
  /** The line from an offset on, and a byte after it that ends any number. */
  const lineAt = async (offset: number): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    const most = Math.min(maxValueBytes, memoryLimit());
    let length = 0;
    for (let at = offset; at < source.byteLength; ) {
      const rest = await blockAt(at);
      const end = rest.indexOf(LINE_FEED);
      const piece = end < 0 ? rest : rest.subarray(0, end + 1);
      length += piece.length;
      if (length > most) throw tooLong(source.name, offset, most);
      pieces.push(piece);
      at += piece.length;
      if (end >= 0) return pieces.length === 1 ? piece : Buffer.concat(pieces);
    }
    return Buffer.concat([...pieces, Buffer.of(LINE_FEED)]);
  };
  const rowAt = async (offset: number): Promise<RowMap> => {
    if (!(offset >= 0 && offset < source.byteLength)) {
      throw new FormatError(`no row begins at byte ${offset}: there are ${source.byteLength}`, {
        at: { file: source.name, offset },
        likely: "the file was cut off, or its index belongs to another",
      });
    }
    const line = await lineAt(offset);
    return parser.parseRow(line, 0, line.length - 1);
  };
  async function* rowsWith(text: string): AsyncGenerator<RowMap> {
    const wanted = Buffer.from(text);
    /** Offsets of the last line that was found, and of the line in which the block begins. */
    let [found, lineStart] = [-1, 0];
    for (let start = 0; start < source.byteLength; start += SEARCH_BYTES) {
      // A little of the next block: the text may lie across both.
      const end = Math.min(start + SEARCH_BYTES + wanted.length - 1, source.byteLength);
      const bytes = await source.slice(start, end);
      const searched = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      for (let at = searched.indexOf(wanted); at >= 0; at = searched.indexOf(wanted, at + 1)) {
        const before = searched.lastIndexOf(LINE_FEED, at);
        const offset = before < 0 ? lineStart : start + before + 1;
        if (offset === found) continue;
        found = offset;
        yield rowAt(offset);
      }
      const last = searched.lastIndexOf(LINE_FEED, SEARCH_BYTES - 1);
      if (last >= 0) lineStart = start + last + 1;
    }
  }
  return { rowAt, rowsWith };
}

function tooLong(file: string, offset: number, most: number): LimitError {
  return new LimitError(`one JSON value has more than the limit of ${most} bytes of text`, {
    at: { file, offset },
    hint: "if it is valid and there is enough memory: --memory MIB",
  });
}
