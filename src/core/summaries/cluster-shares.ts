/**
 * A share of a sum by cluster, and how it changes when any one cluster is left out.
 *
 * @module
 */
import { JoinedTable } from "./layout/joined-table.ts";
import { layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";

/** How many clusters are kept apart, as in `ClusterSums`. */
const MOST = 2 ** 12;
const FIRST_PREFIX = 16;

export class ClusterShares extends Sums {
  static readonly layout = layoutOf<ClusterShares>({
    depth: part(JoinedTable.depth, (shares) => shares.#joined),
    clusters: part(JoinedTable.rows(["whole", "part"]), (shares) => shares.#joined),
  });
  /** Sums of a cluster: the whole and the part. */
  readonly #joined = new JoinedTable({ exact: 2 }, MOST, FIRST_PREFIX);

  get count(): number {
    return this.#joined.table.size;
  }

  /**
   * @param key a whole number below 2^53, evenly spread
   * @param whole at least 0, like `part`, which is at most `whole`
   */
  add(key: number, whole: number, part: number): void {
    const slot = this.#joined.open(key);
    this.#joined.table.addExact(slot, 0, whole);
    this.#joined.table.addExact(slot, 1, part);
    this.#joined.join();
  }

  /** Smallest and largest share with one cluster left out; NaN with fewer than two non-empty clusters. */
  leaveOneOut(): readonly [low: number, high: number] {
    const { table } = this.#joined;
    const rows = table.sorted().map(([, slot]) => [0, 1].map((i) => table.exact(slot, i)));
    const [whole, part] = [0, 1].map((i) => rows.reduce((sum, row) => sum + row[i]!, 0));
    if (rows.filter(([own]) => own! > 0).length < 2) return [Number.NaN, Number.NaN];
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [ownWhole, ownPart] of rows) {
      const share = Math.min(1, Math.max(0, (part! - ownPart!) / (whole! - ownWhole!)));
      low = Math.min(low, share);
      high = Math.max(high, share);
    }
    return [low, high];
  }
}
