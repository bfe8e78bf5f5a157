import type { TokenDecoder } from "./decoder.ts";

/** A text, or why there is none. */
export type Decoded = { readonly text: string } | { readonly error: string };

/**
 * Decodes ids; for a long text, only as many as its first `maxChars` characters need (code points, as Python counts). A
 * truncated text ends in `...`.
 */
export function decoded(decoder: TokenDecoder, ids: ArrayLike<number>, maxChars: number | null): Decoded {
  try {
    return {
      text: maxChars === null ? decode(decoder, ids, ids.length) : decodedStart(decoder, ids, maxChars),
    };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** @throws RangeError if the tokenizer has no such id: many would silently decode it to nothing. */
function decode(decoder: TokenDecoder, ids: ArrayLike<number>, count: number): string {
  const list: number[] = [];
  for (let i = 0; i < count; i++) {
    const id = ids[i]!;
    if (id >= decoder.vocabularySize) {
      throw new RangeError(
        `token ${id} is not among the ${decoder.vocabularySize} of the tokenizer ${decoder.name}: is it another model's?`,
      );
    }
    list.push(id);
  }
  return decoder.decode(list);
}

/** Later tokens may still change the end of a text: bytes that combine into a character, joined spaces. */
const UNSETTLED = 16;
/** Tokens decoded to estimate how many characters a token of this text has. */
const PROBE = 32;

function decodedStart(decoder: TokenDecoder, ids: ArrayLike<number>, maxChars: number): string {
  const wanted = maxChars + UNSETTLED;
  for (let count = PROBE; ; ) {
    const text = decode(decoder, ids, Math.min(count, ids.length));
    if (count >= ids.length) return truncated(text, maxChars);
    const characters = Array.from(text);
    if (characters.length >= wanted) return `${characters.slice(0, maxChars).join("")}...`;
    const likely = Math.ceil((1.1 * count * wanted) / Math.max(characters.length, 1));
    count = Math.max(2 * count, Math.min(likely, 16 * count));
  }
}

/** The first `maxChars` code points and `...`, or the whole text if it is no longer. */
export function truncated(text: string, maxChars: number | null): string {
  if (maxChars === null || text.length <= maxChars) return text;
  const characters = Array.from(text);
  return characters.length <= maxChars ? text : `${characters.slice(0, maxChars).join("")}...`;
}
