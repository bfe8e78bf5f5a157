/** Maps 53-bit keys to whole numbers from 0, in at most 24 bytes an entry where a Map takes a hundred. */
export class KeyTable {
  #keys = new Float64Array(1024).fill(EMPTY);
  #values = new Int32Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the value that the key already has; for a new key, stores the value and returns undefined. */
  put(key: number, value: number): number | undefined {
    if (4 * this.#size >= 3 * this.#keys.length) this.#grow();
    const slot = this.#find(key);
    if (this.#keys[slot] === key) return this.#values[slot]!;
    this.#keys[slot] = key;
    this.#values[slot] = value;
    this.#size++;
    return undefined;
  }

  clear(): void {
    this.#keys.fill(EMPTY);
    this.#size = 0;
  }

  #find(key: number): number {
    const last = this.#keys.length - 1;
    // Keys are hashes: their lower bits are as good as any.
    let slot = (key % 2 ** 32) & last;
    while (this.#keys[slot] !== key && this.#keys[slot] !== EMPTY) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length).fill(EMPTY);
    this.#values = new Int32Array(2 * keys.length);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] === EMPTY) continue;
      const slot = this.#find(keys[i]!);
      this.#keys[slot] = keys[i]!;
      this.#values[slot] = values[i]!;
    }
  }
}

const EMPTY = -1;
