/**
 * Which batches a run has: in memory, backed by the file `keys` and the log.
 *
 * @module
 */
import { type BatchKey, type FrameHead, readKeyLines } from "../../../input/batch-log/index.ts";

export interface KeyEntry {
  readonly segment: number;
  readonly sha256: string;
}

/** Batches of one step and rank, by call. */
type Calls = Map<number, KeyEntry>;

export class KeyIndex {
  readonly #calls = new Map<string, Calls>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(key: BatchKey): KeyEntry | undefined {
    return this.#callsOf(key)?.get(key.call);
  }

  add({ step, rank, call, sha256 }: FrameHead, segment: number): void {
    const name = `${step} ${rank}`;
    let calls = this.#calls.get(name);
    if (calls === undefined) {
      calls = new Map();
      this.#calls.set(name, calls);
    }
    if (!calls.has(call)) this.#size++;
    calls.set(call, { segment, sha256 });
  }

  /** Forgets a batch whose bytes are lost, so that it is stored when it is sent again. */
  remove(key: BatchKey): void {
    if (this.#callsOf(key)?.delete(key.call) === true) this.#size--;
  }

  /** The call of this step and rank under which a batch is stored; undefined if it is not. */
  findCall(key: BatchKey, sha256: string): number | undefined {
    for (const [call, entry] of this.#callsOf(key) ?? []) if (entry.sha256 === sha256) return call;
    return undefined;
  }

  /** The first unused call of the step and rank from `call` on. */
  nextCall(key: BatchKey): number {
    const calls = this.#callsOf(key);
    let next = key.call;
    while (calls?.has(next) === true) next++;
    return next;
  }

  #callsOf({ step, rank }: BatchKey): Calls | undefined {
    return this.#calls.get(`${step} ${rank}`);
  }
}

/** Reads the file `keys` into an index. */
export async function readKeys(path: string): Promise<KeyIndex> {
  const index = new KeyIndex();
  for (const { head, segment } of await readKeyLines(path)) index.add(head, segment);
  return index;
}
