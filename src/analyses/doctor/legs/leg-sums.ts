/**
 * Sums of one leg's Δ by cluster (a prompt's samples, see `clusterKeys`); they can be merged. Clusters whose keys are
 * equal modulo {@link BUCKETS} share a row: unions of independent clusters are independent of each other, so memory is
 * bounded and shards agree in any order.
 *
 * @module
 */
import { type Nats, NUMBER } from "../../../core/base/index.ts";
import {
  BinnedSums,
  counts,
  exactSums,
  layoutOf,
  maxima,
  part,
  Sums,
  SumTable,
  tableBelow,
} from "../../../core/summaries/index.ts";

const BUCKETS = 4096;

/** Columns of a cluster: n, ΣΔ, Σ|Δ|, ΣΔ², Σ(1 − p), Σ(1 − p)², Σ(e^Δ − 1), with p the prefill's probability. */
export const LEG = { tokens: 0, delta: 1, abs: 2, square: 3, weight: 4, weightSquare: 5, excess: 6 } as const;
export const LEG_WIDTH = Object.keys(LEG).length;

/** A ratio beyond e^20 is a defect, not a sample of a ratio: it must not dominate the mean. */
const MOST_DELTA = 20;
/** For a token that is certain, Δ is rounding alone: a smaller weight would make the scale of the noise blow up. */
const LEAST_WEIGHT = 1e-6;

const NO_SUMS: ReadonlyMap<number, Float64Array> = new Map();

export class LegSums extends Sums {
  static readonly layout = layoutOf<LegSums>(
    {
      clusters: part(tableBelow(BUCKETS, Object.keys(LEG)), (sums) => sums.#table),
      k3: part(exactSums(1), (sums) => sums.#k3),
      max: part(maxima(["max"], NUMBER), (sums) => sums.#numbers),
      equal: part(counts(["equal"]), (sums) => sums.#numbers),
    },
    (sums) => {
      sums.#folded = undefined;
    },
  );
  /** Of the batch at hand: added to the others as a whole, since a batch is the same wherever it is summed. */
  readonly #open = new Map<number, Float64Array>();
  #openK3 = 0;
  readonly #table = new SumTable({ exact: LEG_WIDTH });
  readonly #k3 = new BinnedSums(1);
  readonly #numbers = { max: 0, equal: 0 };
  #folded: ReadonlyMap<number, Float64Array> | undefined = NO_SUMS;

  /** Adds a token with a finite Δ in nats and the prefill's log-prob. {@link close} ends a batch. */
  add(key: number, delta: Nats, prefill: Nats): void {
    const sums = this.#openSums(key % BUCKETS);
    const abs = Math.abs(delta);
    const weight = Math.max(LEAST_WEIGHT, -Math.expm1(Math.min(0, prefill)));
    const excess = Math.expm1(Math.min(delta, MOST_DELTA));
    sums[LEG.tokens]! += 1;
    sums[LEG.delta]! += delta;
    sums[LEG.abs]! += abs;
    sums[LEG.square]! += delta * delta;
    sums[LEG.weight]! += weight;
    sums[LEG.weightSquare]! += weight * weight;
    sums[LEG.excess]! += excess;
    // Below 1e-4 the difference of two nearly equal numbers has no digits left; Δ²/2 + Δ³/6 keeps them all.
    this.#openK3 += abs < 1e-4 ? (delta * delta * (1 + delta / 3)) / 2 : Math.expm1(delta) - delta;
    if (abs > this.#numbers.max) this.#numbers.max = abs;
    if (delta === 0) this.#numbers.equal++;
  }

  /** Ends a batch. */
  close(): void {
    for (const [key, sums] of this.#open) {
      const slot = this.#table.open(key);
      for (let column = 0; column < LEG_WIDTH; column++) this.#table.addExact(slot, column, sums[column]!);
    }
    this.#k3.add(0, this.#openK3);
    this.#open.clear();
    this.#openK3 = 0;
    this.#folded = undefined;
  }

  /** Sums by cluster, in the order of keys; the keys of two legs of one run name the same clusters. */
  get clusters(): ReadonlyMap<number, Float64Array> {
    this.#folded ??= new Map(
      this.#table
        .sorted()
        .map(([key, slot]) => [
          key,
          Float64Array.from({ length: LEG_WIDTH }, (_, column) => this.#table.exact(slot, column)),
        ]),
    );
    return this.#folded;
  }

  get max(): Nats {
    return this.#numbers.max;
  }

  get equal(): number {
    return this.#numbers.equal;
  }

  get k3(): number {
    return this.#k3.value(0);
  }

  /** The sum of a column over all clusters. */
  total(column: number): number {
    let sum = 0;
    for (const sums of this.clusters.values()) sum += sums[column]!;
    return sum;
  }

  #openSums(key: number): Float64Array {
    let sums = this.#open.get(key);
    if (sums === undefined) {
      sums = new Float64Array(LEG_WIDTH);
      this.#open.set(key, sums);
    }
    return sums;
  }
}
