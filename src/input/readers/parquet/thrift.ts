/**
 * Thrift's compact protocol without a schema: a Parquet footer becomes a tree of numbered fields, and such a tree
 * becomes bytes again. https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 *
 * @module
 */
import { checkMemory, FormatError, memoryLimit } from "../../../core/base/index.ts";
import { PARQUET_FOOTER_VALUE_BYTES } from "../../io/index.ts";

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
  let pos = 0;
  let depth = 0;
  let values = 0;
  const most = memoryLimit() / PARQUET_FOOTER_VALUE_BYTES;

  const fail = (what: string): FormatError => new FormatError(what, { at: { offset: pos } });
  const byte = (): number => {
    if (pos >= bytes.length) throw fail(`it ends after ${bytes.length} bytes, inside a field`);
    return bytes[pos++]!;
  };
  const take = (count: number): Uint8Array => {
    if (count > bytes.length - pos)
      throw fail(`it declares a field of ${count} bytes, ${bytes.length - pos} are there`);
    pos += count;
    return bytes.subarray(pos - count, pos);
  };
  const varint = (): number | bigint => {
    let low = 0;
    let scale = 1;
    for (let i = 0; i < 7; i++) {
      const next = byte();
      low += (next & 0x7f) * scale;
      if (next < 0x80) return low;
      scale *= 128;
    }
    let value = BigInt(low);
    for (let shift = 49n; shift < 70n; shift += 7n) {
      const next = byte();
      value |= BigInt(next & 0x7f) << shift;
      if (next < 0x80) return BigInt.asUintN(64, value);
    }
    throw fail("it has an integer of more than ten bytes");
  };
  const zigzag = (): number | bigint => {
    const value = varint();
    if (typeof value === "number") return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    const signed = BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    const narrow = Number(signed);
    return Number.isSafeInteger(narrow) ? narrow : signed;
  };

  const value = (code: number): ThriftValue => {
    if (++values > most) checkMemory(values * PARQUET_FOOTER_VALUE_BYTES, "the parquet footer", {});
    const type = TYPES[code];
    if (type === "byte") return { type, value: (byte() << 24) >> 24 };
    if (type === "i16" || type === "i32" || type === "i64") return { type, value: zigzag() };
    if (type === "double") return { type, value: take(8) };
    if (type === "uuid") return { type, value: take(16) };
    if (type === "binary") return { type, value: take(Number(varint())) };
    if (type === "bool") return { type, value: byte() === TRUE };
    if (++depth > MAX_DEPTH) throw fail(`it nests more than ${MAX_DEPTH} deep`);
    let nested: ThriftValue;
    if (type === "struct") nested = { type, fields: struct() };
    else if (type === "list" || type === "set") nested = list(type);
    else throw fail(`it has a field of type ${code}, which Parquet does not use`);
    depth--;
    return nested;
  };
  const list = (type: "list" | "set"): ThriftValue => {
    const header = byte();
    const code = header & 15;
    const count = header >> 4 === 15 ? Number(varint()) : header >> 4;
    if (count > bytes.length - pos)
      throw fail(`it declares a list of ${count} items, ${bytes.length - pos} bytes are there`);
    return { type, code, items: Array.from({ length: count }, () => value(code)) };
  };
  const struct = (): ThriftStruct => {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (;;) {
      const header = byte();
      if (header === 0) return fields;
      const code = header & 15;
      id = header >> 4 === 0 ? Number(zigzag()) : id + (header >> 4);
      // A bool's value is its type.
      fields.set(id, TYPES[code] === "bool" ? { type: "bool", value: code === TRUE } : value(code));
    }
  };
  const fields = struct();
  return { fields, length: pos };
}

/** The bytes of one struct. */
export function writeThrift(root: ThriftStruct): Uint8Array {
  let out = new Uint8Array(1 << 12);
  let length = 0;

  const room = (count: number): void => {
    if (length + count <= out.length) return;
    const larger = new Uint8Array(2 * (length + count));
    larger.set(out.subarray(0, length));
    out = larger;
  };
  const byte = (code: number): void => {
    room(1);
    out[length++] = code;
  };
  const varint = (value: bigint): void => {
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) byte(Number(rest & 0x7fn) | 0x80);
    byte(Number(rest));
  };
  const zigzag = (value: number | bigint): void => {
    const wide = BigInt(value);
    varint(BigInt.asUintN(64, (wide << 1n) ^ (wide >> 63n)));
  };
  const raw = (bytes: Uint8Array): void => {
    room(bytes.length);
    out.set(bytes, length);
    length += bytes.length;
  };
  const value = (item: ThriftValue): void => {
    if (item.type === "struct") struct(item.fields);
    else if ("items" in item) {
      byte((Math.min(item.items.length, 15) << 4) | item.code);
      if (item.items.length >= 15) varint(BigInt(item.items.length));
      for (const child of item.items) value(child);
    } else if (typeof item.value === "boolean") byte(item.value ? TRUE : FALSE);
    else if (item.value instanceof Uint8Array) {
      if (item.type === "binary") varint(BigInt(item.value.length));
      raw(item.value);
    } else if (item.type === "byte") byte(Number(item.value) & 0xff);
    else zigzag(item.value);
  };
  const struct = (fields: ThriftStruct): void => {
    let last = 0;
    for (const [id, item] of [...fields].sort(([a], [b]) => a - b)) {
      const code = item.type === "bool" ? (item.value ? TRUE : FALSE) : CODES[item.type]!;
      const step = id - last;
      byte((step > 0 && step < 16 ? step << 4 : 0) | code);
      if (step <= 0 || step >= 16) zigzag(id);
      if (item.type !== "bool") value(item);
      last = id;
    }
    byte(0);
  };
  struct(root);
  return out.subarray(0, length);
}
