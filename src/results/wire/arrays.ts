/**
 * Named typed arrays and some JSON in one binary message: what the viewer's server sends and its cache stores.
 *
 * Layout, little-endian: the four bytes `LRW1`, the length of the header as Uint32, the header (JSON, UTF-8), then the
 * arrays, each at a multiple of 8 from the start.
 *
 * @module
 */
import { FormatError, LimitError } from "../../core/base/index.ts";

const TYPES = {
  f32: Float32Array,
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;
type TypeName = keyof typeof TYPES;
export type WireArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

interface Header {
  readonly meta: unknown;
  readonly arrays: readonly {
    readonly name: string;
    readonly type: TypeName;
    readonly length: number;
    readonly at: number;
  }[];
}

const MAGIC = 0x3157524c;
const PREFIX = 8;

export interface WireMessage<Meta> {
  readonly meta: Meta;
  /** Views on the message's bytes. */
  readonly arrays: Readonly<Record<string, WireArray>>;
}

/** Returns memory of this many bytes, which need not be 0. */
export type RoomFor = (bytes: number) => Uint8Array;

/** @param roomFor where the message is built; default its own memory */
export function encodeArrays(
  meta: unknown,
  arrays: Readonly<Record<string, WireArray>>,
  roomFor: RoomFor = (bytes) => new Uint8Array(bytes),
): Uint8Array {
  const entries = Object.entries(arrays);
  const start = `{"meta":${JSON.stringify(meta)},"arrays":[`;
  const named = entries.map(
    ([name, values]) =>
      `{"name":${JSON.stringify(name)},"type":"${nameType(values)}","length":${values.length},"at":`,
  );
  const describe = (first: number): { header: Uint8Array; end: number } => {
    let at = first;
    const described = entries.map(([, values], i) => {
      const entry = `${named[i]}${at}}`;
      at = aligned(at + values.byteLength);
      return entry;
    });
    return { header: utf8.encode(`${start}${described.join(",")}]}`), end: at };
  };
  // Offsets are written as digits, so their own length shifts them: room for ten digits each is enough.
  const room = aligned(PREFIX + describe(0).header.length + 10 * entries.length);
  const { header, end } = describe(room);
  if (end > 2 ** 32) throw new LimitError(`a message of ${end} bytes is too large for the viewer`);
  const bytes = roomFor(end);
  const view = new DataView(bytes.buffer, bytes.byteOffset, PREFIX);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, header.length, true);
  bytes.set(header, PREFIX);
  bytes.fill(0, PREFIX + header.length, room);
  let at = room;
  for (const [, values] of entries) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    const after = at + values.byteLength;
    at = aligned(after);
    bytes.fill(0, after, at);
  }
  return bytes;
}

/** @throws FormatError if the bytes are not such a message, or end before its arrays do */
export function decodeArrays<Meta>(bytes: Uint8Array): WireMessage<Meta> {
  const wrong = (why: string): FormatError => new FormatError(`the viewer's message ${why}`);
  if (bytes.length < PREFIX) throw wrong(`has ${bytes.length} bytes`);
  // Arrays are views: they need the alignment of a message that starts its own buffer.
  const own = bytes.byteOffset % 8 === 0 ? bytes : bytes.slice();
  const view = new DataView(own.buffer, own.byteOffset, own.byteLength);
  if (view.getUint32(0, true) !== MAGIC) throw wrong("is of another kind");
  const length = view.getUint32(4, true);
  if (PREFIX + length > own.length) throw wrong("is cut off in its header");
  const header = JSON.parse(new TextDecoder().decode(own.subarray(PREFIX, PREFIX + length))) as Header;
  const arrays: Record<string, WireArray> = {};
  for (const { name, type, length: count, at } of header.arrays) {
    const Type = TYPES[type];
    if (Type === undefined || at + count * Type.BYTES_PER_ELEMENT > own.length)
      throw wrong(`is cut off: ${name} does not fit`);
    arrays[name] = new Type(own.buffer as ArrayBuffer, own.byteOffset + at, count);
  }
  return { meta: header.meta as Meta, arrays };
}

function aligned(at: number): number {
  return Math.ceil(at / 8) * 8;
}

const TYPE_NAMES = new Map(Object.entries(TYPES).map(([name, Type]) => [Type.name, name]));
const utf8 = new TextEncoder();

/** By the array's own name for its type: a `Buffer` is a Uint8Array. */
function nameType(values: WireArray): string {
  return TYPE_NAMES.get(values[Symbol.toStringTag])!;
}
