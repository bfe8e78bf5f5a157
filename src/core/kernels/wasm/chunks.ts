/**
 * The input of one call of the kernel: rows `[row, row + rows)`, of which the first may begin and the last may end
 * inside.
 */
export interface Chunk {
  readonly row: number;
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  /** Whether the first row continues one of the previous chunk. */
  readonly continues: boolean;
}

/**
 * Whole rows if they fit; a row longer than a chunk is cut every `size` tokens from its own start, so that its sums do
 * not depend on the rows around it.
 */
export function* splitChunks(
  offsets: Int32Array,
  rowStart: number,
  rowEnd: number,
  size: number,
): Generator<Chunk> {
  let row = rowStart;
  while (row < rowEnd) {
    const end = offsets[row + 1]!;
    let from = offsets[row]!;
    if (end - from > size) {
      for (let continues = false; from < end; continues = true) {
        const to = Math.min(from + size, end);
        yield { row, rows: 1, from, to, continues };
        from = to;
      }
      row++;
    } else {
      const first = row;
      while (row < rowEnd && row - first < size && offsets[row + 1]! - from <= size) row++;
      yield { row: first, rows: row - first, from, to: offsets[row]!, continues: false };
    }
  }
}
