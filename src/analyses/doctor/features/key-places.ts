/**
 * Numbers keys from 0 in order of first occurrence. A `Map` with large numbers as keys allocates an object for each,
 * which takes several times as long.
 */
export class KeyPlaces {
  #keys = new Float64Array(16);
  /** Place plus one, by hash; 0 is free. Never more than half full. */
  #slots = new Int32Array(32);
  /** Number of keys so far. */
  size = 0;

  /** The place of a key; a new key gets the place `size`, which then grows. */
  place(key: number): number {
    const slot = this.#find(key);
    const known = this.#slots[slot]!;
    if (known > 0) return known - 1;
    if (this.size === this.#keys.length) this.#grow();
    const place = this.size++;
    this.#keys[place] = key;
    this.#slots[this.#find(key)] = place + 1;
    return place;
  }

  /** The slot where the key is, or would be. */
  #find(key: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash(key) & mask;
    for (let known = this.#slots[slot]!; known > 0 && this.#keys[known - 1] !== key; ) {
      slot = (slot + 1) & mask;
      known = this.#slots[slot]!;
    }
    return slot;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    this.#slots = new Int32Array(2 * keys.length);
    for (let place = 0; place < this.size; place++) this.#slots[this.#find(keys[place]!)] = place + 1;
  }
}

const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);

/** The finalizer of MurmurHash3 over both words. */
function hash(key: number): number {
  float[0] = key;
  let bits = words[0]! ^ Math.imul(words[1]!, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
