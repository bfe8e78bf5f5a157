/** Below this rate a body is slow, once it has had some time. */
const SLOW_BYTES_PER_S = 64 << 10;
const GRACE_MS = 5000;

/** A body that is being received. */
export interface Arriving {
  received: number;
  /** Ends it for one that waits; undefined once it is received. */
  onEvicted: (() => void) | undefined;
  /** Gives its bytes back. */
  leave(): void;
}

interface Entry extends Arriving {
  readonly taken: number;
  readonly since: number;
}

/**
 * Limits the bytes received at once: beyond it, recorders are told to try again later. Bodies that arrive slowly have room
 * only while no other needs it.
 */
export class IngestGate {
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(readonly most: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Undefined where there is no room. One batch alone always has room. @param now milliseconds */
  enter(bytes: number, now = performance.now()): Arriving | undefined {
    // A batch has a cost besides its bytes.
    const taken = Math.max(bytes, 1 << 16);
    if (!this.#hasRoom(taken)) this.#evict(taken, now);
    if (!this.#hasRoom(taken)) return undefined;
    this.#bytes += taken;
    const entry: Entry = {
      ...{ received: 0, onEvicted: undefined, taken, since: now },
      leave: () => this.#drop(entry),
    };
    this.#entries.add(entry);
    return entry;
  }

  #hasRoom(taken: number): boolean {
    return this.#bytes === 0 || this.#bytes + taken <= this.most;
  }

  /** Ends slow bodies, the slowest first, if that makes room. */
  #evict(taken: number, now: number): void {
    const slow = [...this.#entries]
      .map((entry) => ({ entry, rate: (entry.received / Math.max(1, now - entry.since)) * 1000 }))
      .filter(
        ({ entry, rate }) =>
          entry.onEvicted !== undefined && now - entry.since > GRACE_MS && rate < SLOW_BYTES_PER_S,
      )
      .sort((a, b) => a.rate - b.rate);
    const freed = slow.reduce((sum, { entry }) => sum + entry.taken, 0);
    if (this.#bytes > freed && this.#bytes - freed + taken > this.most) return;
    for (const { entry } of slow) {
      if (this.#hasRoom(taken)) return;
      entry.onEvicted?.();
      this.#drop(entry);
    }
  }

  #drop(entry: Entry): void {
    if (this.#entries.delete(entry)) this.#bytes -= entry.taken;
  }
}
