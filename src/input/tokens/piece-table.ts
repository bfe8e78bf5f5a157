/** Words of a slot: its bytes' number and flags, then its bytes. */
const WORDS = 4;
/** So many bytes of a token are beside its flags, in one line of the processor's cache: few tokens have more. */
const BESIDE = 4 * (WORDS - 1);

/** What is written of tokens again and again: each has a slot, in the order in which they were added. */
export class PieceTable {
  #words = new Uint32Array(1024 * WORDS);
  /** Slots with more bytes than fit beside their flags. */
  readonly #long = new Map<number, Uint8Array>();
  #count = 0;
  #out = new Uint8Array(0);
  /** Whether some slot's bytes are no text by themselves. */
  hasPartial = false;

  add(piece: { readonly bytes: Uint8Array; readonly flags: number; readonly isPartial: boolean }): void {
    const { bytes, flags, isPartial } = piece;
    const slot = this.#count++;
    if (this.#count * WORDS > this.#words.length) {
      const wider = new Uint32Array(2 * this.#words.length);
      wider.set(this.#words);
      this.#words = wider;
    }
    const at = slot * WORDS;
    const length = Math.min(bytes.length, BESIDE + 1);
    this.#words[at] = (length << 8) | flags;
    if (bytes.length > BESIDE) this.#long.set(slot, bytes);
    else {
      const room = new DataView(this.#words.buffer, 4 * (at + 1), BESIDE);
      for (let i = 0; i < bytes.length; i++) room.setUint8(i, bytes[i]!);
    }
    this.hasPartial ||= isPartial;
  }

  /** The bytes of these slots, where each one's begin with the end, and their flags. */
  write(slots: Uint32Array): { offsets: Uint32Array; texts: Uint8Array; flags: Uint8Array } {
    const words = this.#words;
    const offsets = new Uint32Array(slots.length + 1);
    const flags = new Uint8Array(slots.length);
    this.#makeRoom(slots);
    const out = this.#out;
    const view = new DataView(out.buffer);
    let to = 0;
    for (let i = 0; i < slots.length; i++) {
      const at = slots[i]! * WORDS;
      const head = words[at]!;
      flags[i] = head & 255;
      const length = head >>> 8;
      if (length <= BESIDE) {
        // All twelve bytes: what is behind this token's own is written over by the next.
        view.setUint32(to, words[at + 1]!, IS_LITTLE_ENDIAN);
        view.setUint32(to + 4, words[at + 2]!, IS_LITTLE_ENDIAN);
        view.setUint32(to + 8, words[at + 3]!, IS_LITTLE_ENDIAN);
        to += length;
      } else {
        const bytes = this.#long.get(slots[i]!)!;
        out.set(bytes, to);
        to += bytes.length;
      }
      offsets[i + 1] = to;
    }
    return { offsets, texts: out.slice(0, to), flags };
  }

  #makeRoom(slots: Uint32Array): void {
    let room = BESIDE * slots.length + BESIDE;
    if (this.#long.size > 0)
      for (let i = 0; i < slots.length; i++) room += this.#long.get(slots[i]!)?.length ?? 0;
    if (room > this.#out.length) this.#out = new Uint8Array(2 * room);
  }
}

/** Words keep the order that their bytes have in memory. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
