/**
 * Token ids as the page shows them: one text per token, which joined are the decoded text.
 *
 * @module
 */
import type { TokenDecoder } from "../../tokens/index.ts";
import { TOKEN_FLAGS, type TokenClass, tokenClass } from "../../wire/index.ts";
import { ByteBuffer } from "./byte-buffer.ts";

/** Tokens that one character's bytes may be spread over: four bytes, and what is joined with them on either side. */
const MOST_PARTS = 8;
/** Ids from here on are not looked up in an array: no vocabulary has as many, but files can hold any number. */
const MOST_IDS = 1 << 22;
const REPLACEMENT = "\uFFFD";
const DIGITS = /^ ?[0-9]+$/;

interface Piece {
  readonly text: string;
  /** The same, UTF-8. */
  readonly bytes: Uint8Array;
  readonly flags: number;
  /** Bytes of it may be those of a character that other tokens complete. */
  readonly isPartial: boolean;
}

export interface SpelledTokens {
  /** `[ids + 1]`, into `texts`. */
  readonly offsets: Uint32Array;
  /** UTF-8. */
  readonly texts: Uint8Array;
  /** `[ids]`, bits of `TOKEN_FLAGS`. */
  readonly flags: Uint8Array;
}

/**
 * Texts and flags of tokens. Where the bytes of a character are spread over tokens the first of them shows it, and the
 * others are continuations that show only what they have beyond it. Without a tokenizer a token is `#id`.
 */
export class TokenTexts {
  readonly #decoder: TokenDecoder | undefined;
  /** Decoded before a token, so that decoders which drop the space at the start of a text keep the token's own. */
  readonly #anchor: readonly number[];
  readonly #anchorText: string;
  /** Tokens in the order in which they were first seen, so that the frequent ones lie together. */
  readonly #pieces: Piece[] = [];
  /** Their bytes one after the other, and where each one's end. */
  readonly #pool = new ByteBuffer();
  readonly #ends: number[] = [];
  /** Place in these lists by id, plus one; 0 where not seen yet. Other ids are in the map. */
  #slots = new Uint32Array(1024);
  readonly #otherSlots = new Map<number, number>();
  readonly #groups = new Map<string, string>();
  readonly #out = new ByteBuffer();

  constructor(decoder: TokenDecoder | undefined) {
    this.#decoder = decoder;
    this.#anchor = decoder?.encode("a").slice(-1) ?? [];
    this.#anchorText = decoder?.decode(this.#anchor) ?? "";
  }

  /** The text of a token by itself. */
  textOf(id: number): string {
    return this.#piece(id).text;
  }

  classOf(id: number): TokenClass {
    const { text, flags } = this.#piece(id);
    return tokenClass(text, flags);
  }

  spell(ids: ArrayLike<number>): SpelledTokens {
    const offsets = new Uint32Array(ids.length + 1);
    const flags = new Uint8Array(ids.length);
    const out = this.#out;
    out.clear();
    for (let i = 0; i < ids.length; ) {
      const slot = this.#slot(ids[i]!);
      const piece = this.#pieces[slot]!;
      const pieces = piece.isPartial ? this.#group(ids, i, piece) : undefined;
      if (pieces === undefined) {
        out.copy(this.#pool, this.#ends[slot - 1] ?? 0, this.#ends[slot]!);
        flags[i++] = piece.flags;
        offsets[i] = out.length;
        continue;
      }
      for (const { bytes, flags: bits } of pieces) {
        out.append(bytes);
        flags[i++] = bits;
        offsets[i] = out.length;
      }
    }
    return { offsets, texts: out.bytes.slice(0, out.length), flags };
  }

  pieces(ids: ArrayLike<number>): Piece[] {
    const pieces: Piece[] = [];
    while (pieces.length < ids.length) {
      const piece = this.#piece(ids[pieces.length]!);
      if (piece.isPartial) pieces.push(...this.#group(ids, pieces.length, piece));
      else pieces.push(piece);
    }
    return pieces;
  }

  /** The fewest tokens from `start` on whose bytes are whole characters; the one token where there are none. */
  #group(ids: ArrayLike<number>, start: number, first: Piece): Piece[] {
    for (let count = 2; count <= MOST_PARTS && start + count <= ids.length; count++) {
      const group = Array.from({ length: count }, (_, i) => ids[start + i]!);
      const text = this.#decoded(group);
      if (text.includes(REPLACEMENT)) continue;
      const last = this.#piece(group[count - 1]!);
      const rest = last.text.replace(/^\uFFFD+/, "");
      const own = !rest.includes(REPLACEMENT) && text.endsWith(rest) ? rest : "";
      return group.map((id, i): Piece => {
        const flags = this.#piece(id).flags;
        if (i === 0) return pieceOf(text.slice(0, text.length - own.length), flags);
        return pieceOf(i === count - 1 ? own : "", flags | TOKEN_FLAGS.continuation);
      });
    }
    return [first];
  }

  #decoded(group: readonly number[]): string {
    const key = group.join();
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    const text = this.#decode(group);
    this.#groups.set(key, text);
    return text;
  }

  #piece(id: number): Piece {
    return this.#pieces[this.#slot(id)]!;
  }

  #slot(id: number): number {
    const known = id >= 0 && id < this.#slots.length ? this.#slots[id]! : (this.#otherSlots.get(id) ?? 0);
    return known > 0 ? known - 1 : this.#learn(id);
  }

  #learn(id: number): number {
    const piece = this.#describe(id);
    const slot = this.#pieces.push(piece) - 1;
    this.#pool.append(piece.bytes);
    this.#ends.push(this.#pool.length);
    if (id < 0 || id >= MOST_IDS) this.#otherSlots.set(id, slot + 1);
    else {
      if (id >= this.#slots.length) {
        const wider = new Uint32Array(Math.max(id + 1, 2 * this.#slots.length));
        wider.set(this.#slots);
        this.#slots = wider;
      }
      this.#slots[id] = slot + 1;
    }
    return slot;
  }

  #describe(id: number): Piece {
    const text = this.#decoder === undefined || id < 0 ? "" : this.#decode([id]);
    const special = this.#decoder?.specialIds.has(id) === true ? TOKEN_FLAGS.special : 0;
    if (text === "") return pieceOf(id < 0 ? "#?" : `#${id}`, special | TOKEN_FLAGS.unknown);
    return pieceOf(text, special | (DIGITS.test(text) ? TOKEN_FLAGS.digit : 0));
  }

  #decode(ids: readonly number[]): string {
    const decoder = this.#decoder!;
    const text = decoder.decode([...this.#anchor, ...ids]);
    return text.startsWith(this.#anchorText) ? text.slice(this.#anchorText.length) : decoder.decode(ids);
  }
}

const utf8 = new TextEncoder();

function pieceOf(text: string, flags: number): Piece {
  return { text, bytes: utf8.encode(text), flags, isPartial: text.includes(REPLACEMENT) };
}
