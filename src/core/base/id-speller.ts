import { SpelledRoom, type SpelledTokens } from "./spelled-room.ts";
import { TOKEN_FLAGS } from "./token-class.ts";

/**
 * Digits are written three at a time, from a table that stays in the nearest cache; one for a whole vocabulary would
 * not.
 */
const GROUP = 1000;
const HASH = "#".charCodeAt(0);
const QUESTION = "?".charCodeAt(0);
/** The longest text of a 32-bit id, plus the bytes written beyond it. */
const MOST_BYTES = 12;

/** For each number below {@link GROUP}: its digits with leading zeros, the first one in the lowest byte. */
const PADDED = Uint32Array.from({ length: GROUP }, (_, number) => packed(String(number).padStart(3, "0")));
/** The same without leading zeros; the highest byte has the number of digits. */
const BARE = Uint32Array.from({ length: GROUP }, (_, number) => {
  const digits = String(number);
  return packed(digits) | (digits.length << 24);
});

function packed(digits: string): number {
  return [...digits].reduce((word, digit, i) => word | (digit.charCodeAt(0) << (8 * i)), 0);
}

/** Spells tokens when only their ids are known: `#id`, and `#?` for a missing id. */
export class IdSpeller {
  readonly #room = new SpelledRoom();

  /** Spells into memory that the next call reuses. */
  spell(ids: ArrayLike<number>): SpelledTokens {
    const count = ids.length;
    const room = this.#room;
    room.reserve(count, MOST_BYTES * count + 4);
    const { offsets, texts, flags } = room;
    const view = new DataView(texts.buffer);
    let to = 0;
    for (let i = 0; i < count; i++) {
      const id = ids[i]!;
      texts[to++] = HASH;
      if (id < 0) texts[to++] = QUESTION;
      else to = writeDigits(view, to, id);
      offsets[i + 1] = to;
    }
    flags.fill(TOKEN_FLAGS.unknown, 0, count);
    return room.take(count, to);
  }
}

/** Returns the end of the digits. Up to three bytes after it are overwritten too. */
function writeDigits(view: DataView, at: number, number: number): number {
  if (number < GROUP) return writeGroup(view, at, number);
  const high = Math.trunc(number / GROUP);
  const to = high < GROUP ? writeGroup(view, at, high) : writeDigits(view, at, high);
  view.setUint32(to, PADDED[number - high * GROUP]!, true);
  return to + 3;
}

function writeGroup(view: DataView, at: number, number: number): number {
  const word = BARE[number]!;
  view.setUint32(at, word, true);
  return at + (word >>> 24);
}
