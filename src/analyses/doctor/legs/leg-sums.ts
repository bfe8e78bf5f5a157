/**
 * Sums of one leg's Δ by cluster (a prompt's samples, see `clusterKeys`), which merge. Clusters whose keys are equal
 * modulo {@link BUCKETS} share a row: a union of independent clusters is independent of the other unions, so memory is
 * bounded and shards agree in any order.
 *
 * @module
 */
import type { ByteReader, ByteWriter, Nats } from "../../../core/base/index.ts";
import { BinnedSums, listPlaces } from "../../../core/summaries/index.ts";

const BUCKETS = 4096;

/** Columns of a cluster: n, ΣΔ, Σ|Δ|, ΣΔ², Σ(1 − p), Σ(1 − p)², Σ(e^Δ − 1), with p the prefill's probability. */
export const LEG = { tokens: 0, delta: 1, abs: 2, square: 3, weight: 4, weightSquare: 5, excess: 6 } as const;
export const LEG_WIDTH = Object.keys(LEG).length;

/** A ratio beyond e^20 is a defect, not a sample of a ratio: it must not be the whole mean. */
const MOST_DELTA = 20;
/** Of a token that is certain, Δ is rounding alone: with less the scale of the noise would be divided by nothing. */
const LEAST_WEIGHT = 1e-6;

const NO_SUMS: ReadonlyMap<number, Float64Array> = new Map();

export class LegSums {
  /** Of the batch at hand: added to the others as a whole, since a batch is the same wherever it is summed. */
  readonly #open = new Map<number, Float64Array>();
  #openK3 = 0;
  readonly #slots = new Map<number, number>();
  /** A place for each column of a slot. */
  readonly #sums = new BinnedSums();
  readonly #k3 = new BinnedSums(1);
  #max = 0;
  #equal = 0;
  #folded: ReadonlyMap<number, Float64Array> | undefined = NO_SUMS;

  /** Adds a token: Δ in nats, finite, and the prefill's log-prob of it. {@link close} ends a batch. */
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
    // Below 1e-4 the difference of two nearly equal numbers has no digits left; Δ²/2 + Δ³/6 has them all.
    this.#openK3 += abs < 1e-4 ? (delta * delta * (1 + delta / 3)) / 2 : Math.expm1(delta) - delta;
    if (abs > this.#max) this.#max = abs;
    if (delta === 0) this.#equal++;
  }

  /** Ends a batch. */
  close(): void {
    for (const [key, sums] of this.#open) {
      const place = this.#slotAt(key) * LEG_WIDTH;
      for (let column = 0; column < LEG_WIDTH; column++) this.#sums.add(place + column, sums[column]!);
    }
    this.#k3.add(0, this.#openK3);
    this.#open.clear();
    this.#openK3 = 0;
    this.#folded = undefined;
  }

  merge(other: LegSums): void {
    for (const [key, slot] of other.#slots) {
      const place = this.#slotAt(key) * LEG_WIDTH;
      for (let column = 0; column < LEG_WIDTH; column++)
        this.#sums.addPlace(place + column, other.#sums, slot * LEG_WIDTH + column);
    }
    this.#k3.addPlace(0, other.#k3, 0);
    this.#max = Math.max(this.#max, other.#max);
    this.#equal += other.#equal;
    this.#folded = undefined;
  }

  /** Sums by cluster, in the order of keys; the keys of two legs of one run name the same clusters. */
  get clusters(): ReadonlyMap<number, Float64Array> {
    this.#folded ??= new Map(
      this.#sorted().map(([key, slot]) => [
        key,
        Float64Array.from({ length: LEG_WIDTH }, (_, column) => this.#sums.value(slot * LEG_WIDTH + column)),
      ]),
    );
    return this.#folded;
  }

  get max(): Nats {
    return this.#max;
  }

  get equal(): number {
    return this.#equal;
  }

  get k3(): number {
    return this.#k3.value(0);
  }

  /** A column over all clusters. */
  total(column: number): number {
    let sum = 0;
    for (const sums of this.clusters.values()) sum += sums[column]!;
    return sum;
  }

  encode(to: ByteWriter): void {
    const sorted = this.#sorted();
    to.ascending(sorted.map(([key]) => key));
    this.#sums.encode(
      to,
      listPlaces(
        sorted.map(([, slot]) => slot),
        LEG_WIDTH,
      ),
    );
    this.#k3.encode(to, [0]);
    to.float(this.#max);
    to.whole(this.#equal);
  }

  /** Adds what `encode` wrote. @throws FormatError when the bytes are not these sums */
  mergeFrom(from: ByteReader): void {
    const keys = from.ascending();
    if (keys.length > BUCKETS || keys.some((key) => key >= BUCKETS))
      from.fail("a cluster's key is out of range");
    const slots = Array.from(keys, (key) => this.#slotAt(key));
    this.#sums.mergeFrom(from, listPlaces(slots, LEG_WIDTH));
    this.#k3.mergeFrom(from, [0]);
    this.#max = Math.max(this.#max, from.float());
    this.#equal += from.whole();
    this.#folded = undefined;
  }

  #sorted(): [key: number, slot: number][] {
    return [...this.#slots].sort(([a], [b]) => a - b);
  }

  #slotAt(key: number): number {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(key, slot);
    this.#sums.grow((slot + 1) * LEG_WIDTH);
    return slot;
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
