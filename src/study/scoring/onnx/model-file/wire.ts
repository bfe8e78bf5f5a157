/**
 * The wire format of protocol buffers: fields by their position in the bytes, so that unknown ones (fields of a newer
 * ONNX, gigabytes of weights) are copied unchanged. https://protobuf.dev/programming-guides/encoding/
 *
 * @module
 */
import { FormatError } from "../../../../core/base/index.ts";
import { HINT_WRITE_AGAIN, LIKELY_CUT_OFF } from "../../../../input/io/index.ts";

export interface Field {
  readonly number: number;
  readonly wire: WireType;
  /** Offsets of the start of its tag, and of the start and end of its payload. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
  /** Value of a varint; 0 for other types. Beyond ±2^53 it is rounded. */
  readonly value: number;
}

/** 0: varint, 1: 64 bits, 2: length and bytes, 5: 32 bits. */
type WireType = 0 | 1 | 2 | 5;

/** Bytes of the longest tag and length, or tag and varint. */
export const MAX_HEAD_BYTES = 20;

const utf8 = new TextDecoder();

/**
 * The field whose tag is at `at`.
 *
 * @param bytes hold the tag and the length (or varint); the payload may lie beyond them
 * @param end the end of the message that contains the field
 * @param name the file's name, for messages
 * @param base what to add to positions in messages
 * @throws FormatError
 */
export function fieldAt(bytes: Uint8Array, at: number, end: number, name: string, base = 0): Field {
  const cutOff = (wanted: string): FormatError =>
    new FormatError(`the ONNX model is cut off: ${wanted}`, {
      at: { file: name, offset: base + at },
      likely: LIKELY_CUT_OFF,
      hint: `${HINT_WRITE_AGAIN}; for downloaded weights, compare the size with that of the source`,
    });
  const varint = (start: number): { value: bigint; next: number } => {
    let value = 0n;
    for (let i = 0; i < 10; i++) {
      const position = start + i;
      if (position >= end || position >= bytes.length)
        throw cutOff(`the number at byte ${base + position} does not end`);
      const byte = bytes[position]!;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) return { value, next: position + 1 };
    }
    throw notAModel(name, base + start);
  };
  const tag = varint(at);
  const number = Number(tag.value >> 3n);
  const wire = Number(tag.value & 7n);
  if (number === 0 || number >= 2 ** 29) throw notAModel(name, base + at);
  const spanning = (length: number, from: number): Field => {
    if (from + length > end)
      throw cutOff(`a field of ${length} bytes begins where ${Math.max(0, end - from)} bytes are left`);
    return { number, wire: wire as WireType, start: at, from, to: from + length, value: 0 };
  };
  switch (wire) {
    case 0: {
      const { value, next } = varint(tag.next);
      const signed = Number(BigInt.asIntN(64, value));
      return { number, wire, start: at, from: tag.next, to: next, value: signed };
    }
    case 1:
      return spanning(8, tag.next);
    case 2: {
      const length = varint(tag.next);
      return spanning(Number(length.value), length.next);
    }
    case 5:
      return spanning(4, tag.next);
    default:
      throw notAModel(name, base + at);
  }
}

/** The fields of a message that is entirely in memory. */
export function* iterateFields(message: Uint8Array, name: string): Generator<Field> {
  for (let at = 0; at < message.length; ) {
    const field = fieldAt(message, at, message.length, name);
    yield field;
    at = field.to;
  }
}

/** The numbers of a repeated integer field, packed or not. */
export function readIntegers(message: Uint8Array, field: Field, name: string): number[] {
  if (field.wire === 0) return [field.value];
  const values: number[] = [];
  // A packed run is varints without tags: each is read after an added tag (field 1, varint).
  for (let at = field.from; at < field.to; ) {
    const framed = new Uint8Array(11);
    framed[0] = 8;
    framed.set(message.subarray(at, Math.min(at + 10, field.to)), 1);
    const { to, value } = fieldAt(framed, 0, 1 + Math.min(10, field.to - at), name, at);
    values.push(value);
    at += to - 1;
  }
  return values;
}

export function readText(message: Uint8Array, field: Field): string {
  return utf8.decode(message.subarray(field.from, field.to));
}

export function notAModel(name: string, offset: number): FormatError {
  return new FormatError(`${name} is not an ONNX model: byte ${offset} does not start a field`, {
    at: { file: name, offset },
    likely: "it is a different kind of file with this name, or was damaged in transfer",
    hint: "export or download the model again",
  });
}
