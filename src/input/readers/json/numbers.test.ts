import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sample, sized } from "../../../../test/support/run-size.ts";
import { isLogratioError } from "../../../core/base/errors.ts";
import type { NarrowArray } from "../../../core/kernels/wasm/decimals-kernel.ts";
import { NumberArrayScanner } from "./number-arrays.ts";
import { startNumberRun } from "./number-runs.ts";
import { NumberScanner } from "./numbers.ts";

interface Outcome {
  readonly values: NarrowArray | undefined;
  readonly next: number;
  readonly message: string;
  readonly offset: number | undefined;
}

/** The result of reading the array whose first element is at the start of `text`, up to `end`. */
function scanArray(text: string, startRun = startNumberRun, end = text.length): Outcome & { spent: number } {
  let spent = 0;
  const scanner = new NumberArrayScanner((bytes) => {
    spent += bytes;
  }, startRun);
  const bytes = Buffer.from(`${text}\0`);
  try {
    const values = scanner.scan(bytes, 0, end);
    return { values, next: values ? scanner.next() : -1, message: "", offset: undefined, spent };
  } catch (error) {
    if (!isLogratioError(error, "FormatError")) throw error;
    return { values: undefined, next: -1, message: error.message, offset: error.at.offset, spent };
  }
}

/** Every element by the plain scanner, which defines values and errors. */
const plain: typeof startNumberRun = () => undefined;

const log = fc.double({ min: -30, max: 0, noNaN: true });
const usual = [
  log.map(String),
  log.map((value) => String(Math.fround(value))),
  fc.integer({ min: 0, max: 152_000 }).map(String),
  fc.constantFrom("0", "1", "-0", "-0.0", "0.0", "1.0", "null", "NaN"),
];
const rare = [
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: -400, max: 400 }))
    .map(([m, e]) => `${m}e${e}`),
  fc.constantFrom(
    "Infinity",
    "-Infinity",
    "1234.1234567890123456",
    "5e-324",
    "2.4703282292062327208e-324",
    "1e400",
  ),
];
const wrong = fc.constantFrom(
  "01",
  "1.",
  ".5",
  "-",
  "1e",
  "1 2",
  "true",
  '"a"',
  "[1]",
  "",
  "nul",
  "é",
  "\0",
  "{}",
);
const comma = fc.constantFrom(",", ", ", " ,", ",\r\n", "\t,\n ");

const array = fc
  .tuple(
    // Runs of one kind, as columns are, sometimes with something else between them.
    fc.array(
      fc.oneof(
        {
          weight: 8,
          arbitrary: fc
            .oneof(...usual)
            .chain((one) => fc.tuple(fc.constant(one), fc.integer({ min: 1, max: 400 }))),
        },
        { weight: 8, arbitrary: fc.tuple(fc.oneof(...usual), fc.constant(1)) },
        { weight: 3, arbitrary: fc.tuple(fc.oneof(...rare), fc.integer({ min: 1, max: 40 })) },
      ),
      { minLength: 1, maxLength: 60 },
    ),
    comma,
    fc.constantFrom("", "", "", " ", "\n"),
  )
  .map(([runs, between, space]) => ({
    elements: runs.flatMap(([element, count]) => Array<string>(count).fill(element)),
    between,
    space,
  }));

const value = (element: string) => (element === "null" ? NaN : Number(element));

describe("arrays of numbers", () => {
  test("are what Number makes of each element, read with the kernel and without", () => {
    expect(startNumberRun(new Uint8Array(1), 0)).toBeDefined();
    fc.assert(
      fc.property(array, ({ elements, between, space }) => {
        const text = `${space}${elements.join(between)}${space}] , 5`;
        const fast = scanArray(text);
        expect(fast.values).toEqual(Float64Array.from(elements, value));
        expect(fast.next).toBe(text.length - " , 5".length);
        expect(scanArray(text, plain)).toEqual(fast);
      }),
      { numRuns: sized(150, 500) },
    );
  });

  test("fail with the same words at the same place wherever they are wrong or cut", () => {
    let failed = 0;
    fc.assert(
      fc.property(array, wrong, fc.nat(), fc.nat(), fc.boolean(), (drawn, bad, place, cut, isCut) => {
        const elements = drawn.elements.toSpliced(place % drawn.elements.length, 0, bad);
        const text = `${(isCut ? drawn.elements : elements).join(drawn.between)}]`;
        const end = isCut ? cut % text.length : text.length;
        const fast = scanArray(text.slice(0, end), startNumberRun, Buffer.byteLength(text.slice(0, end)));
        const slow = scanArray(text.slice(0, end), plain, Buffer.byteLength(text.slice(0, end)));
        // The bytes charged for what is refused need not match exactly.
        expect({ ...fast, spent: 0 }).toEqual({ ...slow, spent: 0 });
        if (fast.values === undefined) failed++;
      }),
      { numRuns: sized(500, 1500) },
    );
    expect(failed).toBeGreaterThan(sized(330, 1000));
  });

  test("are the same across the kernel's windows and the blocks that are put away", () => {
    for (const length of sample([15, 16, 17, 16_384, 16_385, 16_383, 40_000], 2)) {
      for (const element of [(i: number) => `${i % 2}`, (i: number) => `${-Math.fround(Math.sin(i) ** 2)}`]) {
        const elements = Array.from({ length }, (_, i) => (i % 9973 === 9972 ? "Infinity" : element(i)));
        const text = `${elements.join(", ")}]`;
        const fast = scanArray(text);
        expect(fast.values).toEqual(Float64Array.from(elements, value));
        expect(scanArray(text, plain)).toEqual(fast);
      }
    }
  });

  test("do not see what the array before them held", () => {
    const scanner = new NumberArrayScanner();
    const read = (text: string) => scanner.scan(Buffer.from(`${text}\0`), 0, text.length);
    const first = read(`${Array(3000).fill("-1.5").join(",")}]`)!;
    const second = read(`${Array(3000).fill("2").join(",")}]`)!;
    expect([first.length, new Set(first), second.length, new Set(second)]).toEqual([
      3000,
      new Set([-1.5]),
      3000,
      new Set([2]),
    ]);
    expect(first.buffer).not.toBe(second.buffer);
    expect(first.buffer.byteLength).toBe(first.byteLength);
  });
});

describe("long arrays in narrow types", () => {
  const read = (text: string, isNarrow: boolean) => {
    const bytes = Buffer.from(`${text}]\0`);
    return new NumberArrayScanner().scan(bytes, 0, text.length + 1, isNarrow)!;
  };

  test("have the same values, in a type that holds them", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(array, fc.boolean(), ({ elements }, isLong) => {
        const text = (isLong ? Array(40).fill(elements).flat() : elements).join(",");
        const narrow = read(text, true);
        kinds.add(narrow.constructor.name);
        expect(Float64Array.from(narrow)).toEqual(read(text, false));
      }),
      { numRuns: sized(40, 200) },
    );
    expect(kinds).toContain("Float64Array");
  });

  test.each([
    ["1", "1,0", Uint8Array],
    ["255", "0,7", Uint8Array],
    ["256", "0,1", Int32Array],
    ["-1", "0,1", Int32Array],
    ["2147483647", "-2147483648", Int32Array],
    ["2147483648", "1", Float32Array],
    ["-0", "1,0", Float32Array],
    ["null", "1,0", Float32Array],
    ["0.5", "1,0", Float32Array],
    ["16777217.5", "1,0", Float64Array],
    ["-0.1", "-0.5", Float64Array],
    ["1e300", "1", Float64Array],
  ])("with %s among %s", (odd, rest, type) => {
    for (const length of [17, 18, 19, 20, 21, 16_384, 16_385, 40_000]) {
      for (const at of [0, length - 1]) {
        const elements = Array.from({ length }, (_, i) =>
          i === at ? odd : (rest.split(",")[i % 2] ?? rest),
        );
        const narrow = read(elements.join(","), true);
        const isWhole = length <= 16_384 || type === Float64Array;
        // Numbers stored in blocks are joined only if all blocks have one type.
        if (isWhole) expect([length, narrow.constructor]).toEqual([length, type]);
        expect(Float64Array.from(narrow)).toEqual(Float64Array.from(elements, value));
        expect(narrow.buffer.byteLength).toBe(narrow.byteLength);
      }
    }
  });

  test("stay doubles where there are few", () => {
    expect(read("1,0,1", true)).toEqual(Float64Array.of(1, 0, 1));
  });
});

describe("a number", () => {
  test.each([
    ["0e00001", 0],
    ["-0E-99999", -0],
    ["1.5e00001", 15],
    ["1e-00002", 0.01],
    ["0.000000000123456789", 1.23456789e-10],
    ["1234567890", 1234567890],
    ["12.3456789012345678901", 12.345678901234567],
    ["123456789.123456789", 123456789.12345679],
    ["1e9999", Number.POSITIVE_INFINITY],
  ])("%s is read to its end, whatever of it fits two integers", (text, expected) => {
    const scanner = new NumberScanner();
    expect(scanner.scan(Buffer.from(`${text},`), 0, text.length)).toBe(expected);
    expect(scanner.next()).toBe(text.length);
  });
});
