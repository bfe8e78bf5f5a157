import { MismatchSummary } from "../summaries/mismatch-summary.ts";

/** Summaries by the value of a column, made when a value first occurs. */
export class Slices<K extends string | number> {
  readonly byKey = new Map<K, MismatchSummary>();

  get(key: K): MismatchSummary {
    const known = this.byKey.get(key);
    if (known) return known;
    const summary = new MismatchSummary({ detail: "slice" });
    this.byKey.set(key, summary);
    return summary;
  }

  merge(other: Slices<K>): void {
    for (const [key, summary] of other.byKey) this.get(key).merge(summary);
  }

  /** In ascending order of key; NaN (unknown) last. */
  sorted(): [K, MismatchSummary][] {
    return [...this.byKey].sort(([a], [b]) => compareKeys(a, b));
  }
}

function compareKeys(a: string | number, b: string | number): number {
  if (typeof a === "string" || typeof b === "string") return String(a) < String(b) ? -1 : 1;
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
  return a - b;
}
