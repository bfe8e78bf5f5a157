import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryLimit, setMemoryLimit } from "../../../core/base/memory-limit.ts";
import {
  integerAt,
  readThrift,
  readThriftFrom,
  structAt,
  structsAt,
  type ThriftStruct,
  type ThriftValue,
  textAt,
  writeThrift,
} from "./thrift.ts";

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);

/** Integers as they are read: a bigint only where a double would round. */
const integer = fc
  .oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.bigInt({ min: -300n, max: 300n }))
  .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
const CODES = {
  bool: 1,
  byte: 3,
  i16: 4,
  i32: 5,
  i64: 6,
  double: 7,
  binary: 8,
  list: 9,
  set: 10,
  struct: 12,
  uuid: 13,
};

const { value } = fc.letrec<{ value: ThriftValue; struct: ThriftValue; list: ThriftValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.record({ type: fc.constant("bool" as const), value: fc.boolean() }),
    fc.record({ type: fc.constant("byte" as const), value: fc.integer({ min: -128, max: 127 }) }),
    fc.record({ type: fc.constantFrom("i16" as const, "i32" as const, "i64" as const), value: integer }),
    fc.record({ type: fc.constant("double" as const), value: fc.uint8Array({ minLength: 8, maxLength: 8 }) }),
    fc.record({ type: fc.constant("uuid" as const), value: fc.uint8Array({ minLength: 16, maxLength: 16 }) }),
    fc.record({ type: fc.constant("binary" as const), value: fc.uint8Array({ maxLength: 200 }) }),
    tie("struct"),
    tie("list"),
  ),
  struct: fc
    .uniqueArray(fc.tuple(fc.integer({ min: -40, max: 400 }), tie("value")), {
      selector: ([id]) => id,
      maxLength: 5,
    })
    .map((fields) => ({ type: "struct" as const, fields: new Map(fields) })),
  // All items of a list have one type.
  list: fc
    .tuple(fc.constantFrom("list" as const, "set" as const), tie("value"), fc.nat(20))
    .map(([type, item, count]) => ({
      type,
      code: CODES[item.type],
      items: Array<ThriftValue>(count).fill(item),
    })),
}));

describe("Thrift's compact protocol", () => {
  it("gives back any fields that it wrote, and says how many bytes they took", () => {
    const struct = fc.uniqueArray(fc.tuple(fc.integer({ min: -40, max: 4000 }), value), {
      selector: ([id]) => id,
      maxLength: 8,
    });
    fc.assert(
      fc.property(struct, (fields) => {
        const written = writeThrift(new Map(fields));
        const read = readThriftFrom(bytes(...written, 9, 9, 9));
        const sorted = [...fields].sort(([a], [b]) => a - b);
        expect([...read.fields]).toEqual(sorted);
        expect(read.length).toBe(written.length);
      }),
      { numRuns: 300 },
    );
  });

  it("is written as the specification says", () => {
    const fields: [number, ThriftValue][] = [
      [1, { type: "bool", value: true }],
      [2, { type: "bool", value: false }],
      [3, { type: "i32", value: -1 }],
      [18, { type: "i64", value: 300 }],
      [40, { type: "binary", value: bytes(97) }],
      [41, { type: "byte", value: -2 }],
      [42, { type: "list", code: 5, items: [{ type: "i32", value: 1 }] }],
      [43, { type: "list", code: 1, items: Array<ThriftValue>(15).fill({ type: "bool", value: true }) }],
      [44, { type: "struct", fields: new Map() }],
    ];
    // A field up to 15 further on has its distance beside the type; others have their number in zigzag.
    const wanted = bytes(
      ...[0x11, 0x12, 0x15, 1, 0xf6, 0xd8, 4, 0x08, 80, 1, 97, 0x13, 0xfe, 0x19, 0x15, 2],
      ...[0x19, 0xf1, 15, ...Array<number>(15).fill(1), 0x1c, 0, 0],
    );
    expect(writeThrift(new Map(fields))).toEqual(wanted);
    expect([...readThrift(wanted)]).toEqual(fields);
  });

  it("may be larger than the room that is there at first", () => {
    const large: ThriftStruct = new Map([[1, { type: "binary", value: new Uint8Array(10_000).fill(7) }]]);
    expect(readThrift(writeThrift(large))).toEqual(large);
  });

  it.each<[what: string, given: Uint8Array, message: string]>([
    ["ends inside a field", bytes(0x15), "it ends after 1 bytes, inside a field"],
    ["ends inside a number", bytes(0x15, 0x80), "it ends after 2 bytes, inside a field"],
    [
      "has a text that is longer than the rest",
      bytes(0x18, 2, 97),
      "it declares a field of 2 bytes, 1 are there",
    ],
    ["has a double that is cut off", bytes(0x17, 1, 2), "it declares a field of 8 bytes, 2 are there"],
    ["has a uuid that is cut off", bytes(0x1d, 1, 2), "it declares a field of 16 bytes, 2 are there"],
    [
      "has more items than bytes",
      bytes(0x19, 0x35, 0, 0),
      "it declares a list of 3 items, 2 bytes are there",
    ],
    [
      "has an integer of eleven bytes",
      bytes(0x16, ...Array<number>(10).fill(0x80)),
      "it has an integer of more than ten bytes",
    ],
    [
      "has a type that there is none of",
      bytes(0x1f, 0),
      "it has a field of type 15, which Parquet does not use",
    ],
    ["has a map", bytes(0x1b, 0), "it has a field of type 11, which Parquet does not use"],
    ["nests without end", new Uint8Array(99).fill(0x1c), "it nests more than 32 deep"],
  ])("is refused where it %s", (_, given, message) => {
    expect(() => readThrift(given)).toThrow(message);
  });

  it("nests 32 levels deep, and lists count as well", () => {
    const nest = (levels: number, code: number): Uint8Array =>
      bytes(
        0x10 | code,
        ...Array<number>(levels - 1).fill(code === 12 ? 0x1c : 0x19),
        0,
        ...Array<number>(levels).fill(0),
      );
    for (const code of [12, 9]) {
      expect(readThrift(nest(32, code)).size).toBe(1);
      expect(() => readThrift(nest(33, code))).toThrow("it nests more than 32 deep");
    }
    // Two side by side are not nested.
    const wide = writeThrift(
      new Map(Array.from({ length: 40 }, (_, i) => [i + 1, { type: "struct", fields: new Map() }])),
    );
    expect(readThrift(wide).size).toBe(40);
  });

  it("keeps within the memory limit, by its values", () => {
    const many = writeThrift(
      new Map([
        [1, { type: "list", code: 3, items: Array<ThriftValue>(999).fill({ type: "byte", value: 1 }) }],
      ]),
    );
    const before = memoryLimit();
    try {
      setMemoryLimit(128 * 1000);
      expect(readThrift(many).size).toBe(1);
      setMemoryLimit(128 * 999);
      expect(() => readThrift(many)).toThrow("the parquet footer would take");
    } finally {
      setMemoryLimit(before);
    }
  });
});

describe("a field that is asked for", () => {
  const fields: ThriftStruct = new Map<number, ThriftValue>([
    [1, { type: "i64", value: 2n ** 60n }],
    [2, { type: "i16", value: 2 }],
    [3, { type: "byte", value: 3 }],
    [4, { type: "i32", value: 4 }],
    [5, { type: "binary", value: Buffer.from("π") }],
    [6, { type: "struct", fields: new Map() }],
    [
      7,
      {
        type: "list",
        code: 12,
        items: [
          { type: "struct", fields: new Map() },
          { type: "byte", value: 1 },
        ],
      },
    ],
    [8, { type: "bool", value: true }],
    [9, { type: "set", code: 12, items: [{ type: "struct", fields: new Map() }] }],
  ]);
  it("is what it is asked for, or nothing", () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const none = undefined;
    expect(ids.map((id) => integerAt(fields, id))).toEqual([
      2 ** 60,
      2,
      3,
      4,
      none,
      none,
      none,
      none,
      none,
      none,
    ]);
    expect(ids.map((id) => textAt(fields, id))).toEqual([
      none,
      none,
      none,
      none,
      "π",
      none,
      none,
      none,
      none,
      none,
    ]);
    expect(ids.map((id) => structAt(fields, id) !== none)).toEqual(ids.map((id) => id === 6));
    expect(ids.map((id) => structsAt(fields, id).length)).toEqual(ids.map((id) => (id === 7 ? 1 : 0)));
  });
});
