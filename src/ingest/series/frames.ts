/**
 * Logs of framed records: TensorBoard's and W&B's.
 *
 * @module
 */
import { LIKELY_CUT_OFF } from "../../input/io/index.ts";

/** A problem that stopped or disturbed reading. */
export interface LogDamage {
  readonly offset: number;
  readonly message: string;
  readonly likely: string;
  /** Whether nothing after it could be read. */
  readonly ends: boolean;
}

export function cutOff(offset: number): LogDamage {
  return { offset, message: "the last record is cut off", likely: LIKELY_CUT_OFF, ends: true };
}

/** Regroups chunks of any size into pieces of a requested size. */
export class Frames {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Uint8Array = new Uint8Array(0);
  #at = 0;
  offset = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  get left(): number {
    return this.#buffer.length - this.#at;
  }

  async #fill(size: number): Promise<boolean> {
    while (this.left < size) {
      const next = await this.#source.next();
      if (next.done) return false;
      const joined = new Uint8Array(this.left + next.value.length);
      joined.set(this.#buffer.subarray(this.#at));
      joined.set(next.value, this.left);
      this.#buffer = joined;
      this.#at = 0;
    }
    return true;
  }

  async take(size: number): Promise<Uint8Array | undefined> {
    if (!(await this.#fill(size))) return undefined;
    const taken = this.#buffer.subarray(this.#at, this.#at + size);
    this.#at += size;
    this.offset += size;
    return taken;
  }

  async skip(size: number): Promise<boolean> {
    let rest = size;
    while (rest > 0) {
      if (this.left === 0 && !(await this.#fill(1))) return false;
      const step = Math.min(rest, this.left);
      this.#at += step;
      rest -= step;
    }
    this.offset += size;
    return true;
  }
}
