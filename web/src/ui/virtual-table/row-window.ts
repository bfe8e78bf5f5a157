/** Rows to draw, `[first, end)`, and the heights that stand for the others, pixels. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/** Rows drawn beyond each edge, before they come into sight. */
const BEYOND = 6;
/** The window moves by this many rows: an even number, so that stripes stay, and several, so that few scrolls draw. */
const STEP = 4;

export function rowWindow(rows: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const top = Math.max(0, Math.floor(scrollTop / rowHeight) - BEYOND);
  const first = Math.max(0, Math.min(top - (top % STEP), rows - (rows % STEP)));
  const end = Math.min(rows, first + rowSlots(rowHeight, height));
  return { first, end, above: first * rowHeight, below: (rows - end) * rowHeight };
}

/** The most rows that are drawn at once. */
export function rowSlots(rowHeight: number, height: number): number {
  return Math.ceil(height / rowHeight) + 2 * BEYOND + STEP;
}

/** Where to scroll so that all of the row is in sight below a head of `head` pixels; undefined if it is. */
export function scrollToRow(
  row: number,
  rowHeight: number,
  head: number,
  scrollTop: number,
  height: number,
): number | undefined {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  const least = top + rowHeight + head - height;
  return least > scrollTop ? least : undefined;
}
