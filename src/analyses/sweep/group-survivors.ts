/**
 * Which GRPO groups (step and group id) have a sequence left under each correction.
 *
 * @module
 */

/** Groups that may be open at a time; beyond it those of earlier steps are taken to be complete. */
const MOST_OPEN = 1 << 16;

export class GroupSurvivors {
  /** Groups seen, closed ones included. */
  get groups(): number {
    return this.#closed + this.#open.size;
  }

  readonly #corrections: number;
  #closed = 0;
  readonly #closedLost: Float64Array;
  /** `step\0group` to slot. */
  #open = new Map<string, number>();
  /** `[capacity × corrections]`: 1 where the group has a survivor. */
  #survives: Uint8Array;
  #steps: number[] = [];

  constructor(corrections: number) {
    this.#corrections = corrections;
    this.#closedLost = new Float64Array(corrections);
    this.#survives = new Uint8Array(corrections * 64);
  }

  /** The group's slot for {@link keep}, until the next {@link close}. */
  slotOf(step: number, group: string): number {
    const key = `${step}\0${group}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const slot = this.#open.size;
    this.#open.set(key, slot);
    this.#steps.push(step);
    if ((slot + 1) * this.#corrections > this.#survives.length) {
      const grown = new Uint8Array(2 * this.#survives.length);
      grown.set(this.#survives);
      this.#survives = grown;
    }
    return slot;
  }

  keep(slot: number, correction: number): void {
    this.#survives[slot * this.#corrections + correction] = 1;
  }

  /** Between batches: bounds memory. A group whose sequences lie further apart than this counts as two. */
  close(most = MOST_OPEN): void {
    if (this.#open.size <= most) return;
    const last = this.#steps[this.#steps.length - 1]!;
    const before = { open: this.#open, survives: this.#survives, steps: this.#steps };
    this.#open = new Map();
    this.#survives = new Uint8Array(this.#corrections * 64);
    this.#steps = [];
    for (const [key, slot] of before.open) {
      const at = slot * this.#corrections;
      const flags = before.survives.subarray(at, at + this.#corrections);
      const step = before.steps[slot]!;
      if (Object.is(step, last)) this.#reopen(key, step, flags);
      else {
        this.#closed++;
        flags.forEach((flag, correction) => {
          if (flag === 0) this.#closedLost[correction]!++;
        });
      }
    }
  }

  /** Groups without a survivor under a correction. */
  lost(correction: number): number {
    let lost = this.#closedLost[correction]!;
    for (let slot = 0; slot < this.#open.size; slot++)
      if (this.#survives[slot * this.#corrections + correction] === 0) lost++;
    return lost;
  }

  merge(other: GroupSurvivors): void {
    this.#closed += other.#closed;
    other.#closedLost.forEach((lost, correction) => {
      this.#closedLost[correction]! += lost;
    });
    for (const [key, slot] of other.#open) {
      const at = slot * this.#corrections;
      this.#reopen(key, other.#steps[slot]!, other.#survives.subarray(at, at + this.#corrections));
    }
  }

  #reopen(key: string, step: number, flags: Uint8Array): void {
    const slot = this.slotOf(step, key.slice(key.indexOf("\0") + 1));
    flags.forEach((flag, correction) => {
      if (flag === 1) this.keep(slot, correction);
    });
  }
}
