import { SpelledRoom, type SpelledTokens } from "../../core/base/index.ts";

/** Words of a slot: the number of its bytes and its flags, then the bytes. */
const WORDS = 4;
/** This many bytes of a token fit beside its flags in one cache line; few tokens have more. */
const BESIDE = 4 * (WORDS - 1);

/**
 * The bytes and flags of tokens, which are written often: each token has a slot, in the order in which it was added.
 */
export class PieceTable {
  #words = new Uint32Array(1024 * WORDS);
  /** Slots with more bytes than fit next to their flags. */
  readonly #long = new Map<number, Uint8Array>();
  #count = 0;
  readonly #room = new SpelledRoom();
  /** Whether the bytes of some slot are not text by themselves. */
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

  /**
   * The bytes of these slots, their offsets including the end, and their flags, in memory that the next call reuses.
   */
  write(slots: Uint32Array): SpelledTokens {
    const words = this.#words;
    const room = this.#room;
    room.reserve(slots.length, this.#mostBytes(slots));
    const { offsets, texts: out, flags } = room;
    const view = new DataView(out.buffer);
    let to = 0;
    for (let i = 0; i < slots.length; i++) {
      const at = slots[i]! * WORDS;
      const head = words[at]!;
      flags[i] = head & 255;
      const length = head >>> 8;
      if (length <= BESIDE) {
        // Writes all twelve bytes: the next token overwrites those after this one's own.
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
    return room.take(slots.length, to);
  }

  #mostBytes(slots: Uint32Array): number {
    let most = BESIDE * slots.length + BESIDE;
    if (this.#long.size > 0)
      for (let i = 0; i < slots.length; i++) most += this.#long.get(slots[i]!)?.length ?? 0;
    return most;
  }
}

/** Words keep the byte order in memory. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;
