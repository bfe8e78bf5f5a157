import type { Block } from "./runs.ts";

/** A piece of the strip that is laid out and filled with tokens independently. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /** Whether it ends in the middle of a line. */
  readonly broken: boolean;
}

const FEWEST = 256;
const MOST = 512;

/**
 * Pieces of 256 to 512 tokens, each ending with the end of a line if possible.
 *
 * @param endsLine whether a token's text ends with a newline
 */
export function splitChunks(
  { from, to }: Pick<Block, "from" | "to">,
  endsLine: (token: number) => boolean,
): Chunk[] {
  const chunks: Chunk[] = [];
  let at = from;
  while (to - at > MOST) {
    let end = at + MOST;
    while (end > at + FEWEST && !endsLine(end - 1)) end--;
    const broken = !endsLine(end - 1);
    if (broken) end = at + MOST;
    chunks.push({ from: at, to: end, broken });
    at = end;
  }
  if (at < to) chunks.push({ from: at, to, broken: false });
  return chunks;
}

/** The number of lines that UTF-8 bytes fill in a fixed-width font, wrapped anywhere at `columns`. */
export function countLines(bytes: Uint8Array, columns: number): number {
  let lines = 1;
  let column = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x0a) {
      // The last newline of a block does not open another line.
      if (at < bytes.length - 1) lines++;
      column = 0;
    } else if ((byte & 0xc0) !== 0x80) {
      // From U+3000 on, most characters are two columns wide.
      column += byte >= 0xe3 ? 2 : 1;
      if (column > columns) {
        lines++;
        column = byte >= 0xe3 ? 2 : 1;
      }
    }
  }
  return lines;
}
