/**
 * Sums of a correction over a run: those of its batches, added so that neither the order of batches nor that of merging
 * leaves a trace.
 *
 * @module
 */
import type { ByteReader, ByteWriter } from "../../core/base/index.ts";
import { BinnedSums, countPlaces, listPlaces } from "../../core/summaries/index.ts";
import { addInto, CorrectionSums, type WeightSums } from "./correction-sums.ts";

/** Whole numbers, whose sums are exact. */
const COUNTS = [
  "keptTokens",
  "keptSequences",
  "truncated",
  "rewardTokens",
  "correctnessTokens",
  "droppedPositive",
  "droppedNegative",
] as const;
const MEASURED = ["rawMass", "movedMass", "rewardSum", "correctnessSum"] as const;
const MOMENTS = ["sum", "within", "between", "lengthSquares"] as const;
const PLACES = MEASURED.length + MOMENTS.length;
const ALL_PLACES = countPlaces(PLACES);
/** Of the weights of a trainer's batch; its `normalize` steps come after them. */
const WEIGHTS = ["mass", "square", "sequenceMass", "sequenceSquare", "lossMass"] as const;
type BatchKey = number | string;

export class RunCorrectionSums {
  readonly #normalizers: number;
  /** Whole numbers and maxima only. */
  readonly #counts = new CorrectionSums();
  readonly #measured = new BinnedSums(PLACES);
  readonly #slots = new Map<BatchKey, number>();
  readonly #weights = new BinnedSums();
  #folded: CorrectionSums | undefined;

  /** @param normalizers how many `normalize` steps the correction has */
  constructor(normalizers: number) {
    this.#normalizers = normalizers;
  }

  add(batch: CorrectionSums): void {
    this.#addCounts(batch);
    for (const [place, name] of MEASURED.entries()) this.#measured.add(place, batch[name]);
    for (const [place, name] of MOMENTS.entries())
      this.#measured.add(MEASURED.length + place, batch.moments[name]);
    for (const [key, from] of batch.weights) {
      const place = this.#slotAt(key) * this.#width;
      for (const [column, name] of WEIGHTS.entries()) this.#weights.add(place + column, from[name]);
      for (const [step, { sum }] of from.normalizers.entries())
        this.#weights.add(place + WEIGHTS.length + step, sum);
    }
  }

  #addCounts(from: CorrectionSums): void {
    this.#folded = undefined;
    const into = this.#counts;
    for (const name of COUNTS) into[name] += from[name];
    into.moments.sequences += from.moments.sequences;
    into.moments.tokens += from.moments.tokens;
    addInto(into.droppedByLength, from.droppedByLength);
    addInto(into.droppedByTurn, from.droppedByTurn);
    for (const [key, weights] of from.weights) {
      const ours = this.#openWeights(key);
      ours.largest = Math.max(ours.largest, weights.largest);
      for (const [step, { count }] of weights.normalizers.entries()) ours.normalizers[step]!.count += count;
    }
  }

  merge(other: RunCorrectionSums): void {
    this.#addCounts(other.#counts);
    for (let place = 0; place < PLACES; place++) this.#measured.addPlace(place, other.#measured, place);
    for (const [key, slot] of other.#slots) {
      const place = this.#slotAt(key) * this.#width;
      for (let column = 0; column < this.#width; column++)
        this.#weights.addPlace(place + column, other.#weights, slot * this.#width + column);
    }
  }

  /** The sums as numbers. Good until more is added. */
  fold(): CorrectionSums {
    if (this.#folded !== undefined) return this.#folded;
    const sums = new CorrectionSums();
    sums.merge(this.#counts);
    for (const [place, name] of MEASURED.entries()) sums[name] = this.#measured.value(place);
    for (const [place, name] of MOMENTS.entries())
      sums.moments[name] = this.#measured.value(MEASURED.length + place);
    // In an order of their own: figures add them up.
    sums.weights.clear();
    for (const [key, slot] of this.#sorted()) {
      const weights = sums.weightsOf(key);
      weights.merge(this.#openWeights(key));
      for (const [column, name] of WEIGHTS.entries())
        weights[name] = this.#weights.value(slot * this.#width + column);
      for (const [step, normalizer] of weights.normalizers.entries())
        normalizer.sum = this.#weights.value(slot * this.#width + WEIGHTS.length + step);
    }
    this.#folded = sums;
    return sums;
  }

  encode(to: ByteWriter): void {
    const counts = this.#counts;
    for (const name of COUNTS) to.whole(counts[name]);
    to.whole(counts.moments.sequences);
    to.whole(counts.moments.tokens);
    for (const values of [counts.droppedByLength, counts.droppedByTurn])
      for (const value of values) to.whole(value);
    this.#measured.encode(to, ALL_PLACES);
    const sorted = this.#sorted();
    to.whole(sorted.length);
    for (const [key] of sorted) {
      const { largest, normalizers } = this.#openWeights(key);
      to.byte(typeof key === "string" ? 0 : 1);
      if (typeof key === "number") to.float(key);
      to.float(largest);
      for (const { count } of normalizers) to.whole(count);
    }
    const slots = sorted.map(([, slot]) => slot);
    this.#weights.encode(to, listPlaces(slots, this.#width));
  }

  /** Adds what `encode` wrote. @throws FormatError when the bytes are not such sums */
  mergeFrom(from: ByteReader): void {
    const counts = new CorrectionSums();
    for (const name of COUNTS) counts[name] = from.whole();
    counts.moments.sequences = from.whole();
    counts.moments.tokens = from.whole();
    for (const values of [counts.droppedByLength, counts.droppedByTurn])
      for (let i = 0; i < values.length; i++) values[i] = from.whole();
    this.#measured.mergeFrom(from, ALL_PLACES);
    for (let left = from.count(9); left > 0; left--) {
      const weights = counts.weightsOf(from.byte() === 0 ? ALL : from.float());
      weights.largest = from.float();
      weights.normalizers = Array.from({ length: this.#normalizers }, () => ({
        sum: 0,
        count: from.whole(),
      }));
    }
    this.#addCounts(counts);
    const slots = [...counts.weights.keys()].map((key) => this.#slotAt(key));
    this.#weights.mergeFrom(from, listPlaces(slots, this.#width));
  }

  get #width(): number {
    return WEIGHTS.length + this.#normalizers;
  }

  #openWeights(key: BatchKey): WeightSums {
    const weights = this.#counts.weightsOf(key);
    while (weights.normalizers.length < this.#normalizers) weights.normalizers.push({ sum: 0, count: 0 });
    this.#slotAt(key);
    return weights;
  }

  #slotAt(key: BatchKey): number {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(key, slot);
    this.#weights.grow((slot + 1) * this.#width);
    return slot;
  }

  /** By step; sequences whose step is not known come last. */
  #sorted(): [key: BatchKey, slot: number][] {
    const at = (key: BatchKey): number =>
      Number.isNaN(Number(key)) ? Number.POSITIVE_INFINITY : Number(key);
    return [...this.#slots].sort(([a], [b]) => at(a) - at(b) || 0);
  }
}

/** The key of a correction without `normalize` steps. */
export const ALL = "all";
