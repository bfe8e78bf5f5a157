/**
 * Token ids for display: each token's bytes, and the characters that begin in it. Both concatenate to the text.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import {
  IdSpeller,
  type SpelledTokens,
  TOKEN_FLAGS,
  type TokenClass,
  tokenClass,
} from "../../core/base/index.ts";
import { PieceTable } from "./piece-table.ts";
import type { TokenDecoder } from "./token-decoder.ts";

/**
 * Number of tokens over which a character's bytes may be spread: four bytes, and those joined with them on either side.
 */
const MOST_PARTS = 8;
/** Ids from here on are not looked up in an array: no vocabulary is this large, but files can hold any number. */
const MOST_IDS = 1 << 22;
const REPLACEMENT = "\uFFFD";
const DIGITS = /^ ?[0-9]+$/;

export interface TokenPiece {
  /** The characters that begin in it; invalid ones are U+FFFD. */
  readonly text: string;
  /** Its own bytes, which may be UTF-8 only together with those of its neighbors. */
  readonly bytes: Uint8Array;
  /** Bits of `TOKEN_FLAGS`. */
  readonly flags: number;
}

interface KnownPiece extends TokenPiece {
  /** Its bytes are not text by themselves. */
  readonly isPartial: boolean;
}

/**
 * Texts, bytes and flags of tokens. A character whose bytes are spread over tokens belongs to the first one, and the
 * others are continuations. Without a tokenizer a token is `#id`.
 */
export class TokenTexts {
  readonly #decoder: TokenDecoder | undefined;
  /** Decoded in front of a token, so that decoders that drop a text's leading space keep the token's own. */
  readonly #anchor: readonly number[];
  readonly #anchorText: string;
  /** Tokens in the order of their first use, so that the frequent ones are close together. */
  readonly #pieces: KnownPiece[] = [];
  /** Their bytes and flags, for long texts. */
  readonly #table = new PieceTable();
  readonly #ids = new IdSpeller();
  /** Index into these lists by id, plus one; 0 when not used yet. Other ids are in the map. */
  #slots = new Uint32Array(1024);
  readonly #otherSlots = new Map<number, number>();

  constructor(decoder: TokenDecoder | undefined) {
    this.#decoder = decoder;
    this.#anchor = decoder?.encode("a").slice(-1) ?? [];
    this.#anchorText = decoder?.decode(this.#anchor) ?? "";
  }

  /** The text of a single token. */
  textOf(id: number): string {
    return this.#piece(id).text;
  }

  /** The same, but unambiguous: bytes that are not text by themselves appear as `‹e2 82›`. */
  nameOf(id: number): string {
    const { text, bytes, isPartial } = this.#piece(id);
    return isPartial
      ? `‹${Buffer.from(bytes)
          .toString("hex")
          .replace(/..(?=.)/g, "$& ")}›`
      : text;
  }

  classOf(id: number): TokenClass {
    const { text, flags, isPartial } = this.#piece(id);
    return isPartial ? "other" : tokenClass(text, flags);
  }

  /** Returns memory that the next call reuses. */
  spell(ids: ArrayLike<number>): SpelledTokens {
    if (this.#decoder === undefined) return this.#ids.spell(ids);
    const slots = new Uint32Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!;
      const known = id >= 0 && id < this.#slots.length ? this.#slots[id]! : 0;
      slots[i] = known > 0 ? known - 1 : this.#slot(id);
    }
    const spelled = this.#table.write(slots);
    if (this.#table.hasPartial) {
      /** Tokens before this index share a character with an earlier one. */
      let joinedTo = 0;
      for (let i = 0; i < ids.length; i++) {
        if (i < joinedTo) spelled.flags[i]! |= TOKEN_FLAGS.continuation;
        else if (this.#pieces[slots[i]!]!.isPartial) joinedTo = i + this.#groupAt(ids, i).length;
      }
    }
    return spelled;
  }

  pieces(ids: ArrayLike<number>): TokenPiece[] {
    const pieces: TokenPiece[] = [];
    while (pieces.length < ids.length) {
      const piece = this.#piece(ids[pieces.length]!);
      if (piece.isPartial) pieces.push(...withSharedText(this.#groupAt(ids, pieces.length)));
      else pieces.push(piece);
    }
    return pieces;
  }

  /** The fewest tokens from `start` whose bytes are whole characters; one token when there are none. */
  #groupAt(ids: ArrayLike<number>, start: number): TokenPiece[] {
    const first = this.#piece(ids[start]!);
    const group = [first];
    for (let at = start + 1; at < ids.length && group.length < MOST_PARTS; at++) {
      const piece = this.#piece(ids[at]!);
      if (!isContinuation(piece.bytes[0])) break;
      group.push(piece);
      if (isUtf8(joined(group))) return group;
    }
    return [first];
  }

  #piece(id: number): KnownPiece {
    return this.#pieces[this.#slot(id)]!;
  }

  #slot(id: number): number {
    const known = id >= 0 && id < this.#slots.length ? this.#slots[id]! : (this.#otherSlots.get(id) ?? 0);
    return known > 0 ? known - 1 : this.#learn(id);
  }

  #learn(id: number): number {
    const piece = this.#describe(id);
    const slot = this.#pieces.push(piece) - 1;
    this.#table.add(piece);
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

  #describe(id: number): KnownPiece {
    const decoder = this.#decoder;
    const text = decoder === undefined || id < 0 ? "" : this.#decode(decoder, id);
    const special = decoder?.specialIds.has(id) === true ? TOKEN_FLAGS.special : 0;
    if (text === "") return whole(id < 0 ? "#?" : `#${id}`, special | TOKEN_FLAGS.unknown);
    const piece = whole(text, special | (DIGITS.test(text) ? TOKEN_FLAGS.digit : 0));
    if (!text.includes(REPLACEMENT)) return piece;
    const bytes = decoder?.bytesOf(id);
    // If the bytes spell a different text than the decoder returns, the decoder does not join these tokens.
    if (bytes === undefined || lossy.decode(bytes) !== text) return piece;
    return { ...piece, bytes, isPartial: !isUtf8(bytes) };
  }

  #decode(decoder: TokenDecoder, id: number): string {
    const text = decoder.decode([...this.#anchor, id]);
    return text.startsWith(this.#anchorText) ? text.slice(this.#anchorText.length) : decoder.decode([id]);
  }
}

const utf8 = new TextEncoder();
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });

function whole(text: string, flags: number): KnownPiece {
  return { text, bytes: utf8.encode(text), flags, isPartial: false };
}

/** Gives each token of a group the characters that begin in it. */
function withSharedText(group: readonly TokenPiece[]): readonly TokenPiece[] {
  if (group.length === 1) return group;
  const bytes = joined(group);
  const characterFrom = (at: number): number => {
    let start = at;
    while (isContinuation(bytes[start])) start++;
    return start;
  };
  let at = 0;
  return group.map((piece, i): TokenPiece => {
    const from = characterFrom(at);
    at += piece.bytes.length;
    const text = lossy.decode(bytes.subarray(from, characterFrom(at)));
    return { ...piece, text, flags: piece.flags | (i === 0 ? 0 : TOKEN_FLAGS.continuation) };
  });
}

function joined(group: readonly TokenPiece[]): Uint8Array {
  return Buffer.concat(group.map(({ bytes }) => bytes));
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
