/**
 * Writes the wire format of protocol buffers. https://protobuf.dev/programming-guides/encoding/
 *
 * Readers are not here: each has its own promises about bytes that are not a message.
 *
 * @module
 */

const utf8 = new TextEncoder();

/** A whole number as a varint; a negative one takes ten bytes, as an int64 does. */
export function varintBytes(value: number): Uint8Array {
  const digits: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(Math.trunc(value)));
  do {
    digits.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Uint8Array.from(digits);
}

export function varintField(number: number, value: number): Uint8Array {
  return joinBytes([varintBytes(number * 8), varintBytes(value)]);
}

/** A field of bytes, text or a message. */
export function lengthDelimited(number: number, payload: Uint8Array | string): Uint8Array {
  const bytes = typeof payload === "string" ? utf8.encode(payload) : payload;
  return joinBytes([varintBytes(number * 8 + 2), varintBytes(bytes.length), bytes]);
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
