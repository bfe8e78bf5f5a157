import { SpelledRoom, type SpelledTokens } from "./spelled-room.ts";
import { TOKEN_FLAGS } from "./token-class.ts";

/** Digits are written three at a time, by a table that stays in the nearest cache; those of a vocabulary would not. */
const GROUP = 1000;
const HASH = "#".charCodeAt(0);
const QUESTION = "?".charCodeAt(0);
/** The most that an id of 32 bits takes, and what is written beyond it. */
const MOST_BYTES = 12;

/** By number below {@link GROUP}: its digits with leading zeros, the first one in the lowest byte. */
const PADDED = Uint32Array.from({ length: GROUP }, (_, number) => packed(String(number).padStart(3, "0")));
/** The same without leading zeros, and how many digits these are in the highest byte. */
const BARE = Uint32Array.from({ length: GROUP }, (_, number) => {
  const digits = String(number);
  return packed(digits) | (digits.length << 24);
});

function packed(digits: string): number {
  return [...digits].reduce((word, digit, i) => word | (digit.charCodeAt(0) << (8 * i)), 0);
}

/** Spells tokens of which only the ids are known: `#id`, and `#?` without one. */
export class IdSpeller {
  readonly #room = new SpelledRoom();

  /** In memory that the next call uses again. */
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

/** Returns the end. Up to three bytes after it are written, too. */
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
