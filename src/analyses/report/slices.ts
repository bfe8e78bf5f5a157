import {
  MismatchSummary,
  type MismatchSummaryJson,
  MOST_SLICE_CLUSTERS,
} from "../../core/summaries/index.ts";

/** Null stands for the key NaN: not known. */
export type SlicesJson<K extends string | number> = readonly (readonly [K | null, MismatchSummaryJson])[];

/** Summaries by the value of a column, made when a value first occurs. */
export class Slices<K extends string | number> {
  readonly byKey = new Map<K, MismatchSummary>();

  get(key: K): MismatchSummary {
    const known = this.byKey.get(key);
    if (known) return known;
    const summary = new MismatchSummary({ detail: "slice", clusters: MOST_SLICE_CLUSTERS });
    this.byKey.set(key, summary);
    return summary;
  }

  merge(other: Slices<K>): void {
    for (const [key, summary] of other.byKey) this.get(key).merge(summary);
  }

  toJSON(): SlicesJson<K> {
    return [...this.byKey].map(([key, summary]) => [Number.isNaN(key) ? null : key, summary.toJSON()]);
  }

  static fromJSON<K extends string | number>(json: SlicesJson<K>): Slices<K> {
    const slices = new Slices<K>();
    for (const [key, summary] of json)
      slices.byKey.set(key ?? (Number.NaN as K), MismatchSummary.fromJSON(summary));
    return slices;
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
