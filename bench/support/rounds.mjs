/**
 * Times variants in turns: every variant runs once in each round, so that other work of the machine slows all of them
 * alike. A variant is `{ name, run, rounds? }`; `run` may return a promise, and `{ seconds }` if it times itself. The
 * first run of each is not counted. Under `--expose-gc`, garbage of one variant is collected before the next.
 *
 * @returns seconds by name, one per round.
 */
export async function timeInTurns(variants, rounds) {
  const seconds = Object.fromEntries(variants.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    for (const { name, run, rounds: own = rounds } of variants) {
      if (round >= own) continue;
      globalThis.gc?.();
      const start = performance.now();
      const result = await run();
      const elapsed = result?.seconds ?? (performance.now() - start) / 1000;
      if (round >= 0) seconds[name].push(elapsed);
    }
  }
  return seconds;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Rows of cells as aligned text: the first column to the left, the others to the right. */
export function formatTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
