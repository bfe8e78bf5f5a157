import type { TailTokens } from "./prepared.ts";

/** Collects tail tokens in arrays that double as they fill. */
export class TailBuilder {
  count = 0;
  #rollout = new Float64Array(1024);
  #trainer = new Float64Array(1024);
  #advantage = new Float64Array(1024);

  push(rollout: number, trainer: number, advantage: number): void {
    if (this.count === this.#rollout.length) this.#grow();
    this.#rollout[this.count] = rollout;
    this.#trainer[this.count] = trainer;
    this.#advantage[this.count] = advantage;
    this.count++;
  }

  finish(): TailTokens {
    return {
      count: this.count,
      rollout: this.#rollout.subarray(0, this.count),
      trainer: this.#trainer.subarray(0, this.count),
      advantage: this.#advantage.subarray(0, this.count),
    };
  }

  #grow(): void {
    const doubled = (from: Float64Array): Float64Array<ArrayBuffer> => {
      const to = new Float64Array(2 * from.length);
      to.set(from);
      return to;
    };
    this.#rollout = doubled(this.#rollout);
    this.#trainer = doubled(this.#trainer);
    this.#advantage = doubled(this.#advantage);
  }
}
