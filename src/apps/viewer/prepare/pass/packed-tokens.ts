import { quickExp } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";

/** A row's tokens with mask 1 and a finite Δ, one after the other; its arrays are reused for the next row. */
export class PackedTokens {
  count = 0;
  /** The first `count` of each: Δ, e^Δ, |Δ|, and which token of the response it is. */
  deltas: Float64Array = new Float64Array(0);
  rhos: Float64Array = new Float64Array(0);
  /** In single precision, like the report's single tokens, so that ranks and ties are the same. */
  sizes = new Float32Array(0);
  places = new Uint32Array(0);
  #picked = new Float32Array(0);

  take(
    { responseMask: mask, rolloutLogprobs, trainerLogprobs }: RecordBatch,
    start: number,
    end: number,
  ): void {
    if (end - start > this.deltas.length) this.#grow(2 * (end - start));
    const { deltas, rhos, sizes, places } = this;
    const [rollout, trainer] = [rolloutLogprobs!, trainerLogprobs!];
    let count = 0;
    for (let t = start; t < end; t++) {
      if (mask[t] === 0) continue;
      const delta = trainer[t]! - rollout[t]!;
      if (!Number.isFinite(delta)) continue;
      deltas[count] = delta;
      rhos[count] = quickExp(delta);
      sizes[count] = Math.abs(delta);
      places[count++] = t - start;
    }
    this.count = count;
  }

  /** A column of the batch at these tokens; the array is used again for the next row. */
  pick(column: Float32Array, start: number): Float32Array {
    const { places, count } = this;
    if (this.#picked.length < count) this.#picked = new Float32Array(this.places.length);
    const picked = this.#picked;
    for (let i = 0; i < count; i++) picked[i] = column[start + places[i]!]!;
    return picked;
  }

  #grow(room: number): void {
    this.deltas = new Float64Array(room);
    this.rhos = new Float64Array(room);
    this.sizes = new Float32Array(room);
    this.places = new Uint32Array(room);
  }
}
