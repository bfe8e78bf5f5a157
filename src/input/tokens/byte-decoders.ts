/**
 * Decodes tokens that stand for bytes like the Rust library. The JavaScript library turns characters outside the byte
 * alphabet into zero bytes, and gives one U+FFFD where Rust gives one per byte.
 *
 * @module
 */

const REPLACEMENT = "\uFFFD";
const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;
const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const utf8 = new TextEncoder();

/** The byte that each character of GPT-2's byte alphabet stands for (`bytes_to_unicode` of its `encoder.py`). */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = byteAlphabet();

/** Decodes byte-level tokens; a token with a character outside the byte alphabet is its own text. */
export function joinByteLevel(tokens: readonly string[]): string[] {
  const bytes: number[] = [];
  for (const token of tokens) for (const byte of byteLevelBytes(token)) bytes.push(byte);
  return [lossy.decode(Uint8Array.from(bytes))];
}

/** The bytes of a byte-level token. */
export function byteLevelBytes(token: string): Uint8Array {
  const own = Array.from(token, (character) => BYTE_OF_CHARACTER.get(character));
  return own.includes(undefined) ? utf8.encode(token) : Uint8Array.from(own as number[]);
}

/** The byte of a token `<0x..>`. */
export function byteFallbackBytes(token: string): Uint8Array | undefined {
  const hex = BYTE_TOKEN.exec(token)?.[1];
  return hex === undefined ? undefined : Uint8Array.of(Number.parseInt(hex, 16));
}

/** Decodes runs of `<0x..>` tokens to characters, or to one U+FFFD per byte if they are not valid UTF-8. */
export function joinByteFallback(tokens: readonly string[]): string[] {
  const joined: string[] = [];
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length > 0) joined.push(spelled(bytes));
    bytes = [];
  };
  for (const token of tokens) {
    const own = byteFallbackBytes(token);
    if (own !== undefined) bytes.push(...own);
    else {
      flush();
      joined.push(token);
    }
  }
  flush();
  return joined;
}

function spelled(bytes: readonly number[]): string {
  try {
    return strict.decode(Uint8Array.from(bytes));
  } catch {
    return REPLACEMENT.repeat(bytes.length);
  }
}

/** Printable Latin-1 characters stand for themselves; the characters from U+0100 on for the other bytes, in order. */
function byteAlphabet(): ReadonlyMap<string, number> {
  const alphabet = new Map<string, number>();
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
    alphabet.set(String.fromCodePoint(printable ? byte : next++), byte);
  }
  return alphabet;
}
