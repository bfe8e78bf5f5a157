/**
 * Thrift's compact protocol without a schema: a Parquet footer becomes a tree of numbered fields, and such a tree
 * becomes bytes again. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 *
 * @module
 */
import { checkMemory, FormatError, memoryLimit } from "../../../core/base/index.ts";
import { PARQUET_FOOTER_VALUE_BYTES } from "../../io/limits.ts";

export type ThriftValue =
  | { readonly type: "bool"; readonly value: boolean }
  /** Exact up to 64 bits: a bigint where a double would not be. */
  | { readonly type: "byte" | "i16" | "i32" | "i64"; readonly value: number | bigint }
  | { readonly type: "double" | "binary" | "uuid"; readonly value: Uint8Array }
  | { readonly type: "list" | "set"; readonly code: number; readonly items: readonly ThriftValue[] }
  | { readonly type: "struct"; readonly fields: ThriftStruct };

export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const TRUE = 1;
const FALSE = 2;
const STRUCT = 12;
const TYPES: Readonly<Record<number, ThriftValue["type"]>> = {
  [TRUE]: "bool",
  [FALSE]: "bool",
  3: "byte",
  4: "i16",
  5: "i32",
  6: "i64",
  7: "double",
  8: "binary",
  9: "list",
  10: "set",
  [STRUCT]: "struct",
  13: "uuid",
};
const CODES = Object.fromEntries(Object.entries(TYPES).map(([code, type]) => [type, Number(code)]));
/** Parquet's own structs are nested seven deep. */
const MAX_DEPTH = 32;

export function integerValue(value: number | bigint): ThriftValue {
  return { type: "i64", value };
}

export function textValue(text: string): ThriftValue {
  return { type: "binary", value: Buffer.from(text) };
}

export function structValue(fields: readonly (readonly [number, ThriftValue])[]): ThriftValue {
  return { type: "struct", fields: new Map(fields) };
}

export function structList(items: readonly ThriftValue[]): ThriftValue {
  return { type: "list", code: STRUCT, items };
}

/** The integer in field `id`; undefined when there is none. */
export function integerAt(struct: ThriftStruct, id: number): number | undefined {
  const field = struct.get(id);
  const isInteger =
    field?.type === "i32" || field?.type === "i64" || field?.type === "i16" || field?.type === "byte";
  return isInteger ? Number(field.value) : undefined;
}

export function textAt(struct: ThriftStruct, id: number): string | undefined {
  const field = struct.get(id);
  return field?.type === "binary" ? Buffer.from(field.value).toString("utf8") : undefined;
}

export function structAt(struct: ThriftStruct, id: number): ThriftStruct | undefined {
  const field = struct.get(id);
  return field?.type === "struct" ? field.fields : undefined;
}

/** The structs in list `id`; empty when there is none. */
export function structsAt(struct: ThriftStruct, id: number): readonly ThriftStruct[] {
  const field = struct.get(id);
  if (field?.type !== "list") return [];
  return field.items.flatMap((item) => (item.type === "struct" ? [item.fields] : []));
}

/**
 * Reads one struct from the start of `bytes`.
 *
 * @throws FormatError if the bytes end within it or are not in the compact protocol
 * @throws LimitError if its values would take more than the memory limit
 */
export function readThrift(bytes: Uint8Array): ThriftStruct {
  return readThriftFrom(bytes).fields;
}

/** Like {@link readThrift}, with the struct's size in bytes: the page follows its header. */
export function readThriftFrom(bytes: Uint8Array): {
  readonly fields: ThriftStruct;
  readonly length: number;
} {
  const reader = new ThriftReader(bytes);
  const fields = reader.struct();
  return { fields, length: reader.position };
}

/**
 * A cursor over the bytes; each method reads one item at the position and moves past it.
 *
 * ```
 * struct = (header, value)* 0            header = step of the id, type in the low four bits
 * list   = header, value*                header = count (15: it follows), type in the low four bits
 * ```
 */
class ThriftReader {
  readonly #bytes: Uint8Array;
  /** Number of values that fit the memory limit: an empty one takes one byte in a file but a hundred in memory. */
  readonly #most = memoryLimit() / PARQUET_FOOTER_VALUE_BYTES;
  #pos = 0;
  #depth = 0;
  #values = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#pos;
  }

  struct(): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const header = this.#byte();
      if (header === 0) return fields;
      const code = header & 15;
      id = header >> 4 === 0 ? Number(this.#zigzag()) : id + (header >> 4);
      // A bool's value is its type.
      fields.set(id, TYPES[code] === "bool" ? { type: "bool", value: code === TRUE } : this.#value(code));
    }
  }

  #value(code: number): ThriftValue {
    if (++this.#values > this.#most)
      checkMemory(this.#values * PARQUET_FOOTER_VALUE_BYTES, "the parquet footer", {});
    const type = TYPES[code];
    if (type === "byte") return { type, value: (this.#byte() << 24) >> 24 };
    if (type === "i16" || type === "i32" || type === "i64") return { type, value: this.#zigzag() };
    if (type === "double") return { type, value: this.#take(8) };
    if (type === "uuid") return { type, value: this.#take(16) };
    if (type === "binary") return { type, value: this.#take(Number(this.#varint())) };
    // In a list, a bool has its own byte.
    if (type === "bool") return { type, value: this.#byte() === TRUE };
    return this.#nested(code, type);
  }

  #nested(code: number, type: "struct" | "list" | "set" | undefined): ThriftValue {
    // These methods recurse as deep as the file says, and the stack is limited.
    if (++this.#depth > MAX_DEPTH) throw this.#fail(`it nests more than ${MAX_DEPTH} deep`);
    let nested: ThriftValue;
    if (type === "struct") nested = { type, fields: this.struct() };
    else if (type === "list" || type === "set") nested = this.#list(type);
    else throw this.#fail(`it has a field of type ${code}, which Parquet does not use`);
    this.#depth--;
    return nested;
  }

  #list(type: "list" | "set"): ThriftValue {
    const header = this.#byte();
    const code = header & 15;
    const count = header >> 4 === 15 ? Number(this.#varint()) : header >> 4;
    // Each item takes at least a byte, so a count above the bytes left is refused before anything is allocated.
    const left = this.#bytes.length - this.#pos;
    if (count > left) throw this.#fail(`it declares a list of ${count} items, ${left} bytes are there`);
    return { type, code, items: Array.from({ length: count }, () => this.#value(code)) };
  }

  #zigzag(): number | bigint {
    const value = this.#varint();
    if (typeof value === "number") return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    const signed = BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    const narrow = Number(signed);
    return Number.isSafeInteger(narrow) ? narrow : signed;
  }

  /** Seven bits a byte. The first seven bytes fit a double exactly, and nearly every integer ends within them. */
  #varint(): number | bigint {
    let low = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const next = this.#byte();
      low += (next & 0x7f) * scale;
      if (next < 0x80) return low;
      scale *= 128;
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const next = this.#byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return BigInt.asUintN(64, value);
    }
    throw this.#fail("it has an integer of more than ten bytes");
  }

  #byte(): number {
    const { length } = this.#bytes;
    if (this.#pos >= length) throw this.#fail(`it ends after ${length} bytes, inside a field`);
    return this.#bytes[this.#pos++]!;
  }

  #take(count: number): Uint8Array {
    const left = this.#bytes.length - this.#pos;
    if (count > left) throw this.#fail(`it declares a field of ${count} bytes, ${left} are there`);
    this.#pos += count;
    return this.#bytes.subarray(this.#pos - count, this.#pos);
  }

  #fail(what: string): FormatError {
    return new FormatError(what, { at: { offset: this.#pos } });
  }
}

/** The bytes of one struct. */
export function writeThrift(root: ThriftStruct): Uint8Array {
  const writer = new ThriftWriter();
  writer.struct(root);
  return writer.finish();
}

class ThriftWriter {
  #out = new Uint8Array(1 << 12);
  #length = 0;

  struct(fields: ThriftStruct): void {
    let last = 0;
    for (const [id, item] of [...fields].sort(([a], [b]) => a - b)) {
      const code = item.type === "bool" ? (item.value ? TRUE : FALSE) : CODES[item.type]!;
      const step = id - last;
      this.#byte((step > 0 && step < 16 ? step << 4 : 0) | code);
      if (step <= 0 || step >= 16) this.#zigzag(id);
      if (item.type !== "bool") this.#value(item);
      last = id;
    }
    this.#byte(0);
  }

  finish(): Uint8Array {
    return this.#out.subarray(0, this.#length);
  }

  #value(item: ThriftValue): void {
    if (item.type === "struct") this.struct(item.fields);
    else if ("items" in item) {
      this.#byte((Math.min(item.items.length, 15) << 4) | item.code);
      if (item.items.length >= 15) this.#varint(BigInt(item.items.length));
      for (const child of item.items) this.#value(child);
    } else if (typeof item.value === "boolean") this.#byte(item.value ? TRUE : FALSE);
    else if (item.value instanceof Uint8Array) {
      if (item.type === "binary") this.#varint(BigInt(item.value.length));
      this.#raw(item.value);
    } else if (item.type === "byte") this.#byte(Number(item.value) & 0xff);
    else this.#zigzag(item.value);
  }

  #zigzag(value: number | bigint): void {
    const wide = BigInt(value);
    this.#varint(BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n)));
  }

  #varint(value: bigint): void {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#byte(Number(rest & 0x7fn) | 0x80);
    this.#byte(Number(rest));
  }

  #byte(code: number): void {
    this.#room(1);
    this.#out[this.#length++] = code;
  }

  #raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#out.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #room(count: number): void {
    if (this.#length + count <= this.#out.length) return;
    const larger = new Uint8Array(2 * (this.#length + count));
    larger.set(this.#out.subarray(0, this.#length));
    this.#out = larger;
  }
}
