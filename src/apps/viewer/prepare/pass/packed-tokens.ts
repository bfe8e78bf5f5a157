import type { RecordBatch } from "../../../../core/schema/index.ts";

/** A row's tokens with mask 1 and a finite Δ, one after the other; its arrays are reused for the next row. */
export class PackedTokens {
  count = 0;
  /** The first `count` of each: Δ, e^Δ, |Δ|, and which token of the response it is. */
  deltas = new Float64Array(0);
  rhos = new Float64Array(0);
  /** In single precision, like the report's single tokens, so that ranks and ties are the same. */
  sizes = new Float32Array(0);
  places = new Uint32Array(0);

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
      rhos[count] = Math.exp(delta);
      sizes[count] = Math.abs(delta);
      places[count++] = t - start;
    }
    this.count = count;
  }

  #grow(room: number): void {
    this.deltas = new Float64Array(room);
    this.rhos = new Float64Array(room);
    this.sizes = new Float32Array(room);
    this.places = new Uint32Array(room);
  }
}
