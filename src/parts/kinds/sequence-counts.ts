import type { ByteReader, ByteWriter } from "../../core/base/index.ts";

/** Adds counts of sequences by file. */
export function mergeCounts(into: Map<string, number>, from: Iterable<readonly [string, number]>): void {
  for (const [file, count] of from) into.set(file, (into.get(file) ?? 0) + count);
}

export function encodeCounts(counts: ReadonlyMap<string, number>, to: ByteWriter): void {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  to.whole(sorted.length);
  for (const [file, count] of sorted) {
    to.name(file);
    to.whole(count);
  }
}

/** @throws FormatError when the bytes are not what `encodeCounts` wrote */
export function decodeCounts(from: ByteReader): [string, number][] {
  return Array.from({ length: from.count(2) }, () => [from.name(), from.whole()]);
}
