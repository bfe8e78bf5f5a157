import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { isLogratioError, type LogratioError } from "../../../core/base/errors.ts";
import { DEFAULT_MEMORY_LIMIT, setMemoryLimit } from "../../../core/base/memory-limit.ts";
import type { BadRow, RowMap } from "../../io/columns.ts";
import type { ByteStream } from "../../io/decompress.ts";
import { memorySource } from "../../io/file-source.ts";
import { openJsonDocument } from "./open.ts";
import type { JsonOptions } from "./row-batches.ts";
import { openJsonl } from "./rows.ts";
import { openJson } from "./tree.ts";

interface Read {
  readonly rows: RowMap[];
  readonly bad: BadRow[];
  readonly places: { readonly line: number; readonly offset: number; readonly row: number }[];
  readonly error?: LogratioError;
}

function stream(bytes: Uint8Array, size: number, name = "-"): ByteStream {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < bytes.length; i += size) yield bytes.slice(i, i + size);
  }
  return { name, bytes: pieces() };
}

function source(text: string | Uint8Array, name = "a.jsonl"): ReturnType<typeof memorySource> {
  return memorySource(name, typeof text === "string" ? Buffer.from(text) : text);
}

async function read(
  input: Parameters<typeof openJsonl>[0],
  options?: JsonOptions,
  columns?: string[],
): Promise<Read> {
  const result: Read = { rows: [], bad: [], places: [] };
  try {
    const document = await openJsonl(input, options);
    for await (const chunk of document.chunks({
      ...(columns && { columns }),
      onBadRow: (bad) => result.bad.push(bad),
    })) {
      for (let i = 0; i < chunk.length; i++) {
        result.rows.push(Object.fromEntries(chunk.names(i).map((name) => [name, chunk.get(i, name)!])));
        result.places.push({ line: chunk.line!(i), offset: chunk.offset!(i), row: chunk.firstRow + i });
      }
    }
    await document.close();
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    return { ...result, error };
  }
  return result;
}

/** Copies into the given memory, as files do, and overwrites everything that was there. */
function copyingSource(bytes: Uint8Array): ReturnType<typeof memorySource> {
  return {
    ...memorySource("a.jsonl", bytes),
    async slice(start, end, allocate = (length) => new Uint8Array(length)) {
      const target = allocate(end - start);
      await new Promise((resolve) => setImmediate(resolve));
      target.fill(0x7b);
      target.set(bytes.subarray(start, end));
      return target;
    },
  };
}

test("rows are the same from memory that is used again, wherever blocks end", async () => {
  const lengths = [1, 300, 70_000, 400_000, sized(600_000, 2_500_000)];
  let seed = 1;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1;
    return seed % below;
  };
  const rows = Array.from({ length: sized(25, 60) }, (_, i) => {
    const length = random(lengths[i % lengths.length]!) >> 2;
    return { i, text: "é€".repeat(random(2000)), ids: Array.from({ length }, () => random(99)) };
  });
  const wanted = rows.map((row) => ({ ...row, ids: Float64Array.from(row.ids) }));
  const text = `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
  const array = Buffer.from(`[${text.trimEnd().replaceAll("\n", ",\n")}]`);
  for (const bytes of [Buffer.from(text), array]) {
    const found = await read(copyingSource(bytes));
    expect(found.bad).toEqual([]);
    expect(found.rows.map(({ i, text, ids }) => ({ i, text, ids }))).toEqual(wanted);
  }
});

/** What an error says, in one object. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    if (!isLogratioError(error)) throw error;
    const { _tag, message, at, likely, hint } = error;
    return { _tag, message, at, ...(likely && { likely }), ...(hint && { hint }) };
  }
  throw new Error("nothing failed");
}

const beingWritten = "the file was probably being written, or its writer was stopped";

describe("openJsonl", () => {
  test("gives every row its line, its offset and its number", async () => {
    const text = '\ufeff{"a": 1}\r\n\r\n  {"a": 2}\n{"a": "π"}\n\n{"a": [4]}';
    const { rows, places, bad } = await read(source(text));
    expect(bad).toEqual([]);
    expect(rows).toEqual([{ a: 1 }, { a: 2 }, { a: "π" }, { a: Float64Array.of(4) }]);
    expect(places).toEqual([
      { line: 1, offset: 3, row: 0 },
      { line: 3, offset: 15, row: 1 },
      { line: 4, offset: 26, row: 2 },
      { line: 6, offset: 39, row: 3 },
    ]);
  });

  test("reads the same however the bytes come", async () => {
    const line = fc.oneof(
      fc
        .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
        .map((value) => JSON.stringify(value)),
      fc.constantFrom("", "  ", "{", "[]", '{"a": [1, 2, 3', "nonsense", '{"s": "x\\"}'),
    );
    const text = fc.tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom("\n", "\r\n"), fc.boolean());
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async ([lines, end, last], size) => {
        const bytes = Buffer.from(`{"first": 1}${end}${lines.join(end)}${last ? end : ""}`);
        const whole = await read(source(bytes));
        expect(await read(stream(bytes, size))).toEqual(whole);
        expect(whole.rows.length + whole.bad.length).toBe(1 + lines.filter((l) => l.trim() !== "").length);
      }),
      { numRuns: 150 },
    );
  });

  test("reads an array as it reads the same rows on lines", async () => {
    const row = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        async (rows, size) => {
          const lines = await read(source(rows.map((value) => `${JSON.stringify(value)}\n`).join("")));
          for (const indent of [0, 2]) {
            const array = await read(stream(Buffer.from(JSON.stringify(rows, null, indent)), size));
            expect([array.bad, array.rows]).toEqual([[], lines.rows]);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("reads every prefix of a file up to the cut", async () => {
    const lines = ['{"a": [1, 2.5], "s": "x\\n\\"}{"}', "", '{"b": {"c": null}}', '{"d": -1e5}'];
    const text = Buffer.from(`${lines.join("\n")}\n`);
    const ends = [0, 1, 2, 3].map((i) => Buffer.from(lines.slice(0, i + 1).join("\n")).length);
    const full = (await read(source(text))).rows;
    for (let length = 1; length <= text.length; length++) {
      const { rows, bad, error } = await read(source(text.subarray(0, length)));
      const whole = ends.filter((end, i) => end <= length && lines[i] !== "").length;
      expect([error, rows]).toEqual([undefined, full.slice(0, whole)]);
      const rest = length - (ends.findLast((end) => end < length) ?? -1) - 1;
      expect(bad.length).toBe(ends.includes(length) || rest <= 0 ? 0 : 1);
      if (bad.length > 0) {
        expect(bad[0]!.message).toBe(`the last line is cut off: ${rest} bytes without a closing brace`);
        expect(bad[0]!.likely).toBe(beingWritten);
      }
    }
  });

  test("reads every prefix of an array up to the cut", async () => {
    const text = Buffer.from('[{"a": "]"}, {"a": 2},\n {"a": [3]}]');
    for (let length = 1; length < text.length; length++) {
      const { rows, bad, error } = await read(source(text.subarray(0, length)));
      const closed = [11, 21, 34].filter((end) => end <= length).length;
      expect([error, rows.length, bad.length]).toEqual([undefined, closed, 1]);
    }
    const { bad } = await read(source(text.subarray(0, 30)));
    expect(bad).toEqual([
      {
        row: 2,
        line: 2,
        offset: 24,
        message: "the last element is cut off: 6 bytes without a closing brace",
        likely: beingWritten,
      },
    ]);
    expect((await read(source(text.subarray(0, 22)))).bad).toEqual([
      {
        row: 2,
        line: 1,
        offset: 22,
        message: 'the array is cut off: it has no closing "]"',
        likely: beingWritten,
      },
    ]);
  });

  test("reports a bad line and reads on", async () => {
    const text = '{"a": 1}\nINFO: saved\n{"a": 01}\n[1]\n{"a": 2} {"a": 3}\n{"a": 4}\n"text"\n';
    const { rows, bad, places } = await read(source(text));
    expect(rows).toEqual([{ a: 1 }, { a: 4 }]);
    expect(places.map(({ row }) => row)).toEqual([0, 5]);
    expect(bad).toEqual([
      { row: 1, line: 2, offset: 9, message: 'column 1: expected "{", found "I"' },
      {
        row: 2,
        line: 3,
        offset: 21,
        message: 'column 8: expected no digit after a leading zero, found "1"',
      },
      { row: 3, line: 4, offset: 31, message: 'column 1: expected "{", found "["' },
      { row: 4, line: 5, offset: 35, message: 'column 10: expected nothing more, found "{"' },
      { row: 6, line: 7, offset: 62, message: 'column 1: expected "{", found """' },
    ]);
  });

  test("reports what is wrong between the elements of an array, and reads on", async () => {
    const text = '[{"a": 1} {"a": 2}, 3, {"a": nope}, , {"a": 4}, }, {"a": 5},] trailing {"a": 6}';
    const { rows, bad } = await read(source(text));
    expect(rows).toEqual([{ a: 1 }, { a: 2 }, { a: 4 }, { a: 5 }]);
    expect(bad.map(({ row, message }) => [row, message])).toEqual([
      [1, 'expected "," or "]" after an element, found "{"'],
      [3, 'byte 1 of the element: expected "{", found "3"'],
      [4, 'byte 7 of the element: expected a value, found "n"'],
      [5, 'expected a value, found ","'],
      [7, 'expected a value, found "}"'],
      [9, 'expected nothing after the array, found "t"'],
    ]);
  });

  test("hands out chunks of bounded size, and a sample of the first rows", async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `{"i": ${i}}\n`).join("");
    const document = await openJsonl(source(lines));
    expect(document.sample).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((i) => ({ i })));
    const sizes: number[] = [];
    let next = 0;
    for await (const chunk of document.chunks()) {
      expect(chunk.firstRow).toBe(next);
      for (let i = 0; i < chunk.length; i++) expect(chunk.get(i, "i")).toBe(next + i);
      sizes.push(chunk.length);
      next += chunk.length;
    }
    expect(sizes).toEqual([64, 1024, 1024, 1024, 1024, 840]);
    await expect(document.chunks().next()).rejects.toThrow("the rows of a.jsonl were requested twice");
  });

  test("gives only the columns that are asked for", async () => {
    const lines = Array.from(
      { length: 100 },
      (_, i) => `{"a": [${i}, 1], "b": {"c": "]}"}, "toString": 1}\n`,
    ).join("");
    const { rows } = await read(source(lines), {}, ["a", "absent"]);
    expect(rows).toEqual(Array.from({ length: 100 }, (_, i) => ({ a: Float64Array.of(i, 1) })));
    const document = await openJsonl(source('{"a": 1}'));
    for await (const chunk of document.chunks()) {
      expect([chunk.get(0, "toString"), chunk.get(0, "__proto__"), chunk.names(0)]).toEqual([
        undefined,
        undefined,
        ["a"],
      ]);
    }
  });

  test("reads a line that comes in many pieces", async () => {
    const numbers = Buffer.from("-0.1234567890123456, ".repeat(50_000));
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"logprobs": [');
      for (let i = 0; i < 10; i++) yield numbers;
      yield Buffer.from('1], "step": 3}\n{"step": 4}\n');
    }
    const { rows, places } = await read({ name: "-", bytes: bytes() });
    const logprobs = rows[0]!.logprobs as Float64Array;
    const ends = [logprobs.length, logprobs[0], logprobs.at(-2), logprobs.at(-1)];
    expect(ends).toEqual([500_001, -0.1234567890123456, -0.1234567890123456, 1]);
    expect([rows[0]!.step, rows[1]]).toEqual([3, { step: 4 }]);
    expect(places[1]).toEqual({ line: 2, offset: 10 * numbers.length + 29, row: 1 });
  });

  test("leaves out a line above the limit, and reads those behind it", async () => {
    const text = `{"a": 1}\n{"a": "${"x".repeat(3_000_000)}"}\n{"a": 3}\n`;
    const { rows, bad, error } = await read(source(text), { maxValueBytes: 1_000_000 });
    expect([rows, error]).toEqual([[{ a: 1 }, { a: 3 }], undefined]);
    expect(bad).toEqual([
      {
        row: 1,
        line: 2,
        offset: 9,
        message: "one JSON value has more than the limit of 1000000 bytes of text",
        likely: "it is not JSON, or one row holds an entire run",
        hint: "if it is valid and there is enough memory: --memory 4 (MiB)",
      },
    ]);
  });

  test("refuses a file whose only line is above the limit", async () => {
    const only = openJsonl(source(`{"a": "${"x".repeat(3_000_000)}"}\n`), { maxValueBytes: 999 });
    await expect(only).rejects.toMatchObject({
      _tag: "LimitError",
      message: "one JSON value has more than the limit of 999 bytes of text",
      at: { file: "a.jsonl", line: 1, offset: 0 },
    });
  });

  test("leaves out an element above the limit, and reads those behind it", async () => {
    const text = `[{"a": 1},\n{"a": "${"x".repeat(3_000_000)}"},\n{"a": 3}]`;
    const { rows, bad, error } = await read(source(text), { maxValueBytes: 1_000_000 });
    expect([rows, error]).toEqual([[{ a: 1 }, { a: 3 }], undefined]);
    expect(bad.map(({ row, line }) => ({ row, line }))).toEqual([{ row: 1, line: 2 }]);
  });

  test.each([
    ["lists", `[[1],${"[[1]],".repeat(20_000)}1]`],
    ["objects", `[${"{},".repeat(20_000)}1]`],
    ["numbers", `[${"1,".repeat(200_000)}1]`],
    ["names", `{${Array.from({ length: 10_000 }, (_, i) => `"k${i}":1`).join()}}`],
    ["a string", `"${"x".repeat(400_000)}"`],
  ])("leaves out a row whose %s take more than the memory limit", async (_, value) => {
    setMemoryLimit(2 ** 20);
    try {
      const { rows, bad } = await read(source(`{"a": 1}\n{"a": ${value}}\n{"a": 3}\n`));
      expect(rows).toEqual([{ a: 1 }, { a: 3 }]);
      expect(bad.map(({ row, line }) => ({ row, line }))).toEqual([{ row: 1, line: 2 }]);
      expect(bad[0]!.message).toContain("takes more than the limit of 1 MiB decoded");
      expect(bad[0]!.hint).toContain("--memory 4 (MiB)");
      const refused = {
        _tag: "LimitError",
        at: { file: "a.jsonl" },
        hint: expect.stringContaining("--memory 4 (MiB)"),
      };
      await expect(openJsonl(source(`{"a": ${value}}\n`))).rejects.toMatchObject(refused);
      await expect(openJson(source(`{"a": ${value}}\n`))).rejects.toMatchObject(refused);
    } finally {
      setMemoryLimit(DEFAULT_MEMORY_LIMIT);
    }
  });

  test("loses one row to a tail of zero bytes", async () => {
    const { rows, bad } = await read(source(`{"a": 1}\n{"a": 2}\n{"a": ${"\0".repeat(5000)}`));
    expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect(bad).toEqual([
      {
        row: 2,
        line: 3,
        offset: 18,
        message: "the line is cut off: 5000 zero bytes in place of the rest",
        likely: "the machine stopped, or the disk was full, while the file was being written",
      },
    ]);
  });

  test("reports a row that nests too deep", async () => {
    const text = `{"a": 1}\n{"a": ${"[".repeat(100_000)}\n{"a": ${"[".repeat(300)}${"]".repeat(300)}}\n{"a": 2}\n`;
    const { rows, bad } = await read(source(text));
    expect(rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect(bad.map(({ message }) => message)).toEqual([
      "column 262: arrays and objects are nested more than 256 deep",
      "column 262: arrays and objects are nested more than 256 deep",
    ]);
  });

  test("gives the rows before the cut of a gzip file, then says where it is cut", async () => {
    const text = Array.from({ length: 3000 }, (_, i) => `{"i": ${i}, "x": ${Math.sin(i)}}\n`).join("");
    const gz = gzipSync(text);
    const { rows, bad, error } = await read(source(gz.subarray(0, 30_000), "a.jsonl.gz"));
    expect(rows.length).toBeGreaterThan(1000);
    expect(rows.at(-1)).toEqual({ i: rows.length - 1, x: Math.sin(rows.length - 1) });
    expect(bad.length).toBe(1);
    expect(bad[0]!.message).toMatch(/^the last line is cut off: \d+ bytes without a closing brace$/);
    expect(await failure(Promise.reject(error))).toEqual({
      _tag: "FormatError",
      message: "gzip data is cut off: the file ends at byte 30000, inside a compressed member",
      at: { file: "a.jsonl.gz", offset: 30_000 },
      likely: "the file was being written or copied when it was read",
      hint: "wait until its writer has finished, or copy it again",
    });
  });

  test.each([
    ["", { _tag: "EmptyInputError", message: "the file is empty" }],
    [" \n\r\n", { _tag: "EmptyInputError", message: "the file has only blank lines" }],
    [" [ ] ", { _tag: "EmptyInputError", message: "the array is empty" }],
    [
      " [1, 2]",
      { _tag: "FormatError", message: 'expected "{" or "[" at the first element of the array, found "1"' },
    ],
    ["step,reward\n1,2\n", { _tag: "FormatError", message: 'not JSON: column 1: expected "{", found "s"' }],
    ["\xff\xfe{\0", { _tag: "FormatError", message: "the file is UTF-16; JSON is read as UTF-8" }],
    [
      "\x89PNG\r\n\x1a\n",
      { _tag: "FormatError", message: "not JSON: byte 0x1a at offset 6 does not occur in text" },
    ],
    ["\x01{}", { message: "not JSON: byte 0x01 at offset 0 does not occur in text" }],
    [
      "\xfe\xff\0{",
      { message: "the file is UTF-16; JSON is read as UTF-8", hint: expect.stringContaining("iconv") },
    ],
    ["\xff\xff{}", { message: expect.stringContaining("column 1: expected") }],
    ["\xfe\xfe{}", { message: expect.stringContaining("column 1: expected") }],
    [
      "\x1f\x8b\x08\0",
      {
        _tag: "FormatError",
        message: "gzip data is cut off: the file ends at byte 4, inside a compressed member",
      },
    ],
    [
      "BZh91AY&SY",
      { _tag: "UnsupportedError", message: "the file is compressed with bzip2; gzip and zstd are read" },
    ],
  ])("refuses %j", async (text, error) => {
    expect(await failure(openJsonl(source(Buffer.from(text, "latin1"))))).toMatchObject(error);
  });

  test("does not take bytes that are no JSON for anything else, whatever they are", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom("", "{", '[{"', '{"a":'),
        async (garbage, start) => {
          const { rows, bad, error } = await read(source(Buffer.concat([Buffer.from(start), garbage])));
          expect(rows.length + bad.length + (error === undefined ? 0 : 1)).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe("openJson", () => {
  test("reads one object, arrays of arrays as arrays of typed arrays", async () => {
    const { kind, format, file, root, metadata } = await openJson(
      source('{"a": [[1, null], []], "b": {"c": [true]}}\n', "x.json"),
    );
    expect({ kind, format, file, root, metadata }).toEqual({
      kind: "tree",
      format: "json",
      file: "x.json",
      root: { a: [Float64Array.of(1, NaN), new Float64Array(0)], b: { c: [true] } },
      metadata: {},
    });
  });

  test.each([
    ["", "EmptyInputError", "the file is empty", undefined],
    ["\n \n", "EmptyInputError", "the file has only blank lines", undefined],
    ['{"a": [1, 2', "FormatError", "the JSON object is cut off: 11 bytes without its closing brace", 11],
    ['{"a": 1,\n "b": x}', "FormatError", 'line 2, column 7: expected a value, found "x"', 15],
    ['{\n"a": 1}\n{\n"a": 2}', "FormatError", 'line 3, column 1: expected nothing more, found "{"', 10],
    ["[1, 2]", "FormatError", 'line 1, column 1: expected "{", found "["', 0],
  ])("refuses %j", async (text, tag, message, offset) => {
    const error = (await failure(openJson(source(text, "x.json")))) as LogratioError;
    expect([error._tag, error.message, error.at.offset]).toEqual([tag, message, offset]);
  });

  test("says what to do about objects one after the other", async () => {
    expect(await failure(openJson(source('{\n"a": 1}\n{\n"a": 2}', "x.json")))).toMatchObject({
      likely: "there are several objects in the file",
      hint: "put each on its own line: jq -c .",
    });
  });

  test("stops at its limit", async () => {
    const error = (await failure(
      openJson(source(`{"a": "${"x".repeat(1000)}"}`), { maxValueBytes: 999 }),
    )) as LogratioError;
    expect([error._tag, error.message]).toEqual([
      "LimitError",
      "one JSON value has more than the limit of 999 bytes of text",
    ]);
  });
});

describe("openJsonDocument", () => {
  const long = `{"a": [${"1, ".repeat(50_000)}1]}`;
  // Named in words: a text of 300 kB in a test's name would appear in every list of tests.
  test.each([
    ["an object", '{"a": 1}', "x.json", "tree"],
    ["an object", '{"a": 1}', "x.jsonl.gz", "rows"],
    ["an object", '{"a": 1}', "", "tree"],
    ["two objects", '{"a": 1}\n{"a": 2}', "x.json", "rows"],
    ["an object on two lines", '{"a":\n 1}', "x.jsonl", "tree"],
    ["an array", '[{"a": 1}]', "x.json", "rows"],
    ["a long object", long, "", "tree"],
    ["a long object", long, "x.json", "tree"],
    ["a long object", long, "x.ndjson", "rows"],
    ["two long objects", `${long}\n${long}`, "x.json", "rows"],
    ["a long object and the beginning of another", `${long}\n{"a`, "x.json", "rows"],
  ])("takes %s in the right form (case %#)", async (_, text, name, kind) => {
    const document = await openJsonDocument(source(text, "ignored"), { name });
    expect(document.kind).toBe(kind);
    await document.close();
  });
});
