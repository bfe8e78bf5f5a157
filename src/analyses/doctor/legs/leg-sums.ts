/**
 * Sums of one leg's Δ by cluster (a prompt's samples, see `clusterKeys`), which merge. Clusters whose keys are equal
 * modulo {@link BUCKETS} share a row: a union of independent clusters is independent of the other unions, so memory is
 * bounded and shards agree in any order.
 *
 * @module
 */
import type { Nats } from "../../../core/base/index.ts";

const BUCKETS = 4096;

/** Columns of a cluster: n, ΣΔ, Σ|Δ|, ΣΔ², Σ(1 − p), Σ(1 − p)², Σ(e^Δ − 1), with p the prefill's probability. */
export const LEG = { tokens: 0, delta: 1, abs: 2, square: 3, weight: 4, weightSquare: 5, excess: 6 } as const;
export const LEG_WIDTH = Object.keys(LEG).length;

/** A ratio beyond e^20 is a defect, not a sample of a ratio: it must not be the whole mean. */
const MOST_DELTA = 20;
/** Of a token that is certain, Δ is rounding alone: with less the scale of the noise would be divided by nothing. */
const LEAST_WEIGHT = 1e-6;

export interface LegSumsJson {
  readonly max: number;
  readonly equal: number;
  readonly k3: number | string;
  readonly keys: readonly number[];
  readonly sums: readonly number[];
}

export class LegSums {
  readonly #clusters = new Map<number, Float64Array>();
  #max = 0;
  #equal = 0;
  #k3 = 0;

  /** Adds a token: Δ in nats, finite, and the prefill's log-prob of it. */
  add(key: number, delta: Nats, prefill: Nats): void {
    const sums = this.#sumsAt(key % BUCKETS);
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
    // Below 1e-4 the difference of two nearly equal numbers has no digits left; Δ²/2 + Δ³/6 has them all.
    this.#k3 += abs < 1e-4 ? (delta * delta * (1 + delta / 3)) / 2 : Math.expm1(delta) - delta;
    if (abs > this.#max) this.#max = abs;
    if (delta === 0) this.#equal++;
  }

  merge(other: LegSums): void {
    for (const [key, from] of other.#clusters) {
      const sums = this.#sumsAt(key);
      for (let column = 0; column < LEG_WIDTH; column++) sums[column]! += from[column]!;
    }
    this.#max = Math.max(this.#max, other.#max);
    this.#equal += other.#equal;
    this.#k3 += other.#k3;
  }

  /** Sums by cluster; the keys of two legs of one run name the same clusters. */
  get clusters(): ReadonlyMap<number, Float64Array> {
    return this.#clusters;
  }

  get max(): Nats {
    return this.#max;
  }

  get equal(): number {
    return this.#equal;
  }

  get k3(): number {
    return this.#k3;
  }

  /** A column over all clusters. */
  total(column: number): number {
    let sum = 0;
    for (const sums of this.#clusters.values()) sum += sums[column]!;
    return sum;
  }

  #sumsAt(key: number): Float64Array {
    let sums = this.#clusters.get(key);
    if (sums === undefined) {
      sums = new Float64Array(LEG_WIDTH);
      this.#clusters.set(key, sums);
    }
    return sums;
  }

  toJSON(): LegSumsJson {
    return {
      max: this.#max,
      equal: this.#equal,
      // A Δ beyond 709 has no finite ratio.
      k3: Number.isFinite(this.#k3) ? this.#k3 : String(this.#k3),
      keys: [...this.#clusters.keys()],
      sums: [...this.#clusters.values()].flatMap((sums) => [...sums]),
    };
  }

  static fromJSON({ max, equal, k3, keys, sums }: LegSumsJson): LegSums {
    const legs = new LegSums();
    legs.#max = max;
    legs.#equal = equal;
    legs.#k3 = Number(k3);
    for (const [at, key] of keys.entries())
      legs.#clusters.set(key, Float64Array.from(sums.slice(at * LEG_WIDTH, (at + 1) * LEG_WIDTH)));
    return legs;
  }
}
