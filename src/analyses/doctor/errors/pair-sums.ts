/**
 * Sums of the errors of two columns by cluster (a prompt's samples, see `clusterKeys`); they can be merged.
 *
 * @module
 */
import { JoinedTable, layoutOf, MOST_SLICE_CLUSTERS, part, Sums } from "../../../core/summaries/index.ts";

/** Columns of a cluster: n; Σa, Σb, Σa², Σb², Σab of the errors a and b (nats). */
export const PAIR = { tokens: 0, first: 1, second: 2, firstSquare: 3, secondSquare: 4, product: 5 } as const;
export const PAIR_WIDTH = Object.keys(PAIR).length;

/** The first depth below whole keys: deeper ones would almost certainly leave too many clusters. */
const FIRST_PREFIX = 17;
const NO_SUMS: readonly Float64Array[] = [];

export class PairSums extends Sums {
  static readonly layout = layoutOf<PairSums>(
    {
      depth: part(JoinedTable.depth, (sums) => sums.#joined),
      clusters: part(JoinedTable.rows(Object.keys(PAIR)), (sums) => sums.#joined),
    },
    (sums) => {
      sums.#folded = undefined;
    },
  );
  /** As many clusters as a slice of a run has: a run has a pair for every two of its columns. */
  readonly #joined = new JoinedTable({ whole: 1, exact: PAIR_WIDTH - 1 }, MOST_SLICE_CLUSTERS, FIRST_PREFIX);
  #folded: readonly Float64Array[] | undefined = NO_SUMS;

  /** Adds the sums of a sequence, in the order of {@link PAIR}. */
  add(key: number, sums: Float64Array): void {
    const slot = this.#joined.open(key);
    const { table } = this.#joined;
    table.addPlain(slot, 0, sums[PAIR.tokens]!);
    for (let column = 1; column < PAIR_WIDTH; column++) table.addExact(slot, column - 1, sums[column]!);
    this.#joined.join();
    this.#folded = undefined;
  }

  /** `[clusters]` of {@link PAIR_WIDTH} sums each, in the order of keys. */
  get clusters(): readonly Float64Array[] {
    this.#folded ??= this.#fold();
    return this.#folded;
  }

  #fold(): Float64Array[] {
    const { table } = this.#joined;
    return table
      .sorted()
      .map(([, slot]) =>
        Float64Array.from({ length: PAIR_WIDTH }, (_, column) =>
          column === PAIR.tokens ? table.plain(slot, 0) : table.exact(slot, column - 1),
        ),
      );
  }
}
