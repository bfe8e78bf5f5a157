import { describe, expect, it } from "vitest";
import { memorySource } from "../../io/file-source.ts";
import { CHUNK, COLUMN, FILE, type Footer, GROUP, isParquet, PAIR, readFooter } from "./footer.ts";
import { integerValue, structList, structValue, type ThriftValue, textValue, writeThrift } from "./thrift.ts";

/** The fields of a SchemaElement: a name, and the number of following elements that are its children. */
const element = (name: string, children?: number, typeLength?: number): ThriftValue =>
  structValue([
    ...(typeLength === undefined ? [] : ([[2, integerValue(typeLength)]] as const)),
    [4, textValue(name)],
    ...(children === undefined ? [] : ([[5, integerValue(children)]] as const)),
  ]);

interface Chunk {
  readonly path: readonly string[];
  readonly type?: number;
  readonly values?: number;
  readonly uncompressed?: number;
  readonly compressed?: number;
}

const chunk = ({ path, type = 1, values = 0, uncompressed = 0, compressed = 0 }: Chunk): ThriftValue =>
  structValue([
    [
      CHUNK.metadata,
      structValue([
        [COLUMN.type, integerValue(type)],
        [COLUMN.path, { type: "list", code: 8, items: path.map(textValue) }],
        [COLUMN.values, integerValue(values)],
        [COLUMN.uncompressed, integerValue(uncompressed)],
        [COLUMN.compressed, integerValue(compressed)],
      ]),
    ],
  ]);

const group = (rows: number, chunks: readonly ThriftValue[]): ThriftValue =>
  structValue([
    [GROUP.columns, structList(chunks)],
    [GROUP.rows, integerValue(rows)],
  ]);

interface Spec {
  readonly schema?: readonly ThriftValue[];
  readonly rows?: number;
  readonly groups?: readonly ThriftValue[];
  readonly pairs?: readonly ThriftValue[];
}

/** A file of 100 bytes of data and a footer. */
function makeFile({
  schema = [element("root", 1), element("a")],
  rows = 0,
  groups = [],
  pairs = [],
}: Spec): Uint8Array {
  const footer = writeThrift(
    new Map([
      [FILE.schema, structList(schema)],
      [FILE.rows, integerValue(rows)],
      [FILE.rowGroups, structList(groups)],
      [FILE.keyValues, structList(pairs)],
    ]),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(96), footer, length, Buffer.from("PAR1")]);
}

const read = (spec: Spec): Promise<Footer> => readFooter(memorySource("a.parquet", makeFile(spec)));

describe("a Parquet footer", () => {
  it("has the columns of the first level, whatever is inside them", async () => {
    const schema = [
      ...[element("root", 4), element("a"), element("list", 1), element("element", 2), element("x")],
      ...[element("y"), element("b"), element("c", 1), element("inner")],
    ];
    const { columns, start, rows } = await read({ schema });
    expect([columns, start, rows]).toEqual([["a", "list", "b", "c"], 100, 0]);
  });

  it("has text pairs, an empty text where one is missing", async () => {
    const pairs = [
      structValue([
        [PAIR.key, textValue("a")],
        [PAIR.value, textValue("π")],
      ]),
      structValue([[PAIR.key, textValue("b")]]),
    ];
    expect((await read({ pairs })).metadata).toEqual({ a: "π", b: "" });
  });

  it("tells what each column of a row group takes decoded", async () => {
    const schema = [element("root", 3), element("a"), element("t"), element("f", undefined, 12)];
    const sizes = [1, 4, 8, 16, 4, 8].map((width, type) => [type, width] as const);
    for (const [type, width] of sizes) {
      const groups = [group(7, [chunk({ path: ["a"], type, values: 7, uncompressed: 1000 })])];
      const { rowGroups } = await read({ schema, rows: 7, groups });
      expect(rowGroups).toEqual([{ rows: 7, bytes: new Map([["a", 7 * width]]) }]);
    }
    // Each text takes its stored bytes plus 16; one of fixed length too. Parts of one column are added up.
    const groups = [
      group(5, [
        chunk({ path: ["t"], type: 6, values: 5, uncompressed: 1000 }),
        chunk({ path: ["s", "x"], type: 1, values: 5 }),
        chunk({ path: ["f"], type: 7, values: 5, uncompressed: 100 }),
        chunk({ path: ["s", "y"], type: 5, values: 5 }),
        structValue([]),
      ]),
      group(0, []),
    ];
    const [first, second] = (await read({ schema, rows: 5, groups })).rowGroups;
    expect(first!.bytes).toEqual(
      new Map([
        ["t", 5 * 16 + 1000],
        ["s", 5 * (4 + 8)],
        ["f", 5 * (16 + 12) + 100],
      ]),
    );
    expect(second).toEqual({ rows: 0, bytes: new Map() });
  });

  it.each<[what: string, spec: Spec, message: string]>([
    [
      "more rows than its groups",
      { rows: 6, groups: [group(5, [])] },
      "it declares 6 rows, its row groups 5",
    ],
    ["fewer rows", { rows: 4, groups: [group(2, []), group(3, [])] }, "it declares 4 rows, its row groups 5"],
    ["negative rows", { rows: -1, groups: [group(-1, [])] }, "it declares -1 rows, its row groups -1"],
    [
      "a group of negative rows",
      { rows: 1, groups: [group(2, []), group(-1, [])] },
      "it declares 1 rows, its row groups 1",
    ],
    [
      "a column that is larger than the file",
      { groups: [group(0, [chunk({ path: ["a"], compressed: 101 })])] },
      "it declares a column of 101 bytes and 0 values, but only 100 bytes come before the footer",
    ],
    [
      "a column of negative size",
      { groups: [group(0, [chunk({ path: ["a"], compressed: -1 })])] },
      "it declares a column of -1 bytes and 0 values",
    ],
    [
      "a negative number of values",
      { groups: [group(0, [chunk({ path: ["a"], values: -1 })])] },
      "it declares a column of 0 bytes and -1 values",
    ],
    ["no schema", { schema: [] }, "it has no schema or no row count"],
  ])("is damaged where it declares %s", async (_, spec, message) => {
    await expect(read(spec)).rejects.toMatchObject({
      _tag: "FormatError",
      message: expect.stringContaining(`parquet footer is damaged: ${message}`),
      at: { file: "a.parquet", offset: 100 },
      hint: "copy it again",
    });
  });

  it("may have a column as large as all that is before it", async () => {
    const groups = [group(0, [chunk({ path: ["a"], compressed: 100 })])];
    expect((await read({ groups })).rowGroups).toHaveLength(1);
  });

  it("is at least as long as the file allows, and no longer", async () => {
    const file = makeFile({});
    const declare = (length: number): Promise<Footer> => {
      const bytes = Buffer.from(file);
      bytes.writeUInt32LE(length, bytes.length - 8);
      return readFooter(memorySource("a.parquet", bytes));
    };
    await expect(declare(file.length - 11)).rejects.toMatchObject({
      message: `parquet footer is damaged: it declares ${file.length - 11} bytes, the file has ${file.length}`,
      at: { offset: file.length - 8 },
    });
    await expect(declare(file.length - 12)).rejects.toThrow("it has no schema or no row count");
    await expect(readFooter(memorySource("a", Buffer.from("PAR1\0\0\0PAR1")))).rejects.toThrow("is cut off");
    await expect(readFooter(memorySource("a", Buffer.from("PAR1\0\0\0\0PAR1")))).rejects.toThrow(
      "is damaged",
    );
    for (const encrypted of ["PAR1\0\0\0\0PARE", "PARE\0\0\0\0PAR1"])
      await expect(readFooter(memorySource("a", Buffer.from(encrypted)))).rejects.toThrow("is encrypted");
  });

  it("of more than 64 MiB is not read", async () => {
    const size = 2 ** 26 + 100;
    const tail = Buffer.alloc(8);
    tail.write("PAR1", 4);
    const declare = (length: number): Promise<Footer> => {
      tail.writeUInt32LE(length, 0);
      // Only its ends are read.
      const slice = async (start: number, end: number): Promise<Uint8Array> =>
        start === 0
          ? Buffer.from("PAR1")
          : start === size - 8
            ? tail
            : new Uint8Array(Math.min(100, end - start));
      return readFooter({ name: "a", byteLength: size, slice, close: async () => {} });
    };
    await expect(declare(2 ** 26 + 1)).rejects.toMatchObject({
      _tag: "LimitError",
      needed: 2 ** 26 + 1,
      limit: 2 ** 26,
      at: { file: "a", offset: size - 8 },
    });
    await expect(declare(2 ** 26)).rejects.toThrow("it has no schema or no row count");
  });

  it("is told by the first and the last four bytes", () => {
    const [parquet, other] = [Buffer.from("PAR1more"), Buffer.from("morePAR1")];
    expect(isParquet(parquet, other)).toBe(true);
    expect([
      isParquet(other, other),
      isParquet(parquet, parquet),
      isParquet(parquet, Buffer.from("R1")),
    ]).toEqual([false, false, false]);
  });
});
