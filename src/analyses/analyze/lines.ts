import { isUtf8 } from "node:buffer";

/** Consecutive lines of a file. */
export interface LineBlock {
  /** One-based number of the first line. */
  readonly first: number;
  /** Without their line ends; undefined where a line is not text, see {@link LineBlock.faults}. */
  readonly lines: readonly (string | undefined)[];
  /** Why a line is not text, by its place in `lines`. */
  readonly faults: ReadonlyMap<number, string>;
  /** Whether the file's last line lacks a line end: its writer may have died in it. */
  readonly unterminated: boolean;
}

export interface LineOptions {
  /** Longest line accepted, in bytes; default 64 MiB. */
  readonly maxLineBytes?: number;
}

const DEFAULT_MAX_LINE_BYTES = 2 ** 26;
const NEWLINE = 0x0a;

/** Splits bytes into lines, holding one chunk and one line in memory. Drops a byte order mark at the start. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): AsyncGenerator<LineBlock> {
  const limit = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let line = 1;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = bytes.lastIndexOf(NEWLINE);
    if (last < 0) {
      heldBytes += bytes.length;
      // Beyond the limit only the number of bytes matters.
      if (heldBytes <= limit) held.push(bytes);
      continue;
    }
    const first = bytes.indexOf(NEWLINE);
    if (heldBytes + first > limit) {
      yield tooLong(line, heldBytes + first, limit, false);
      line++;
      if (first < last) {
        const block = textBlock(bytes.subarray(first + 1, last), line, false);
        yield block;
        line += block.lines.length;
      }
    } else {
      const block = textBlock(Buffer.concat([...held, bytes.subarray(0, last)]), line, false);
      yield block;
      line += block.lines.length;
    }
    const rest = bytes.subarray(last + 1);
    held = rest.length > 0 ? [rest] : [];
    heldBytes = rest.length;
  }
  if (heldBytes > limit) yield tooLong(line, heldBytes, limit, true);
  else if (heldBytes > 0) yield textBlock(Buffer.concat(held), line, true);
}

function tooLong(first: number, bytes: number, limit: number, unterminated: boolean): LineBlock {
  const fault = `${bytes} bytes long; at most ${limit} are taken`;
  return { first, lines: [undefined], faults: new Map([[0, fault]]), unterminated };
}

function textBlock(whole: Buffer, first: number, unterminated: boolean): LineBlock {
  const marked = first === 1 && whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
  const bytes = marked ? whole.subarray(3) : whole;
  if (isUtf8(bytes)) {
    const lines = bytes.toString("utf8").split("\n");
    return { first, lines, faults: new Map(), unterminated };
  }
  const lines: (string | undefined)[] = [];
  const faults = new Map<number, string>();
  for (let start = 0; start <= bytes.length; ) {
    const next = bytes.indexOf(NEWLINE, start);
    const end = next < 0 ? bytes.length : next;
    const part = bytes.subarray(start, end);
    if (isUtf8(part)) lines.push(part.toString("utf8"));
    else {
      faults.set(lines.length, "bytes that are not UTF-8");
      lines.push(undefined);
    }
    start = end + 1;
  }
  return { first, lines, faults, unterminated };
}
