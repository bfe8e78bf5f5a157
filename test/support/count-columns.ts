/** Columns of a terminal that a line takes; a mark such as the hat of k̂ shares the column of the letter before it. */
export function countColumns(line: string): number {
  return [...line.replaceAll(/\p{M}/gu, "")].length;
}
