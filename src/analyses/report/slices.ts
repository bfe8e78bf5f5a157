import type { ByteReader, ByteWriter } from "../../core/base/index.ts";
import { MismatchSummary, MOST_SLICE_CLUSTERS } from "../../core/summaries/index.ts";

/** Of an empty slice in memory, about. */
const SLICE_BYTES = 1 << 12;

export function makeSlice(): MismatchSummary {
  return new MismatchSummary({ detail: "slice", clusters: MOST_SLICE_CLUSTERS });
}

/** Summaries by the value of a column, made when a value first occurs. */
export class Slices<K extends string | number> {
  readonly byKey = new Map<K, MismatchSummary>();

  get(key: K): MismatchSummary {
    const known = this.byKey.get(key);
    if (known) return known;
    const summary = makeSlice();
    this.byKey.set(key, summary);
    return summary;
  }

  merge(other: Slices<K>): void {
    for (const [key, summary] of other.byKey) this.get(key).merge(summary);
  }

  encode(to: ByteWriter): void {
    const sorted = this.sorted();
    to.whole(sorted.length);
    for (const [key, summary] of sorted) {
      if (typeof key === "string") to.text(key);
      else to.float(key);
      summary.encode(to);
    }
  }

  /** Adds what `encode` wrote. */
  mergeFrom(from: ByteReader, readKey: () => K): void {
    mergeSlices(from, readKey, (key) => this.get(key));
  }

  /** In ascending order of key; NaN (unknown) last. */
  sorted(): [K, MismatchSummary][] {
    return [...this.byKey].sort(([a], [b]) => compareKeys(a, b));
  }
}

/** @param open the slice of a key, to be added to at once */
export function mergeSlices<K extends string | number>(
  from: ByteReader,
  readKey: () => K,
  open: (key: K) => MismatchSummary,
): void {
  const seen = new Set<K>();
  for (let left = from.count(); left > 0; left--) {
    from.spend(SLICE_BYTES);
    const key = readKey();
    if (seen.has(key)) from.fail("a key is there twice");
    seen.add(key);
    open(key).mergeFrom(from);
  }
}

function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : 1;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return a - b;
}
