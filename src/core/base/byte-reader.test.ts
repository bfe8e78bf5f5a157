import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter, type WrittenBytes } from "./byte-writer.ts";
import { FormatError } from "./errors.ts";

const write = (fill: (to: ByteWriter) => void): WrittenBytes => {
  const to = new ByteWriter();
  fill(to);
  return to.finishApart();
};
const open = ({ packed, plain }: WrittenBytes): ByteReader => new ByteReader({ packed, plain }, "part.lrs");

const whole = fc.oneof(
  fc.integer({ min: 0, max: 130 }),
  fc.constantFrom(127, 128, 16_383, 16_384, Number.MAX_SAFE_INTEGER),
  fc.maxSafeNat(),
);
const float = fc.oneof(
  fc.double(),
  fc.float(),
  fc.constantFrom(0, -0, 5e-324, Number.NaN, Number.POSITIVE_INFINITY),
);

/** What is written one by one, and how it is read at once. */
const LISTS: readonly [
  what: string,
  one: fc.Arbitrary<number>,
  fill: (to: ByteWriter, values: readonly number[]) => void,
  read: (from: ByteReader, count: number) => Iterable<number>,
][] = [
  [
    "whole numbers",
    whole,
    (to, values) => {
      for (const value of values) to.whole(value);
    },
    (from, count) => from.wholes(count),
  ],
  ["numbers", float, (to, values) => to.floats(values), (from, count) => from.floats(count)],
  [
    "float32",
    fc.float(),
    (to, values) => {
      for (const value of values) to.plainFloat32(value);
    },
    (from, count) => from.plainFloat32s(count),
  ],
  ["measured values", float, (to, values) => to.measured(values), (from) => from.measured()],
];

describe.each(LISTS)("a list of %s", (_, one, fill, read) => {
  it("is what was written, and what follows it is still there", () => {
    fc.assert(
      fc.property(fc.array(one), whole, float, (values, next, measured) => {
        const from = open(
          write((to) => {
            fill(to, values);
            to.whole(next);
            to.plainFloat(measured);
          }),
        );
        expect([...read(from, values.length)]).toEqual(values);
        expect([from.whole(), from.plainFloat()]).toEqual([next, measured]);
        from.end();
      }),
    );
  });

  it("is refused without its last byte, of either kind", () => {
    fc.assert(
      fc.property(fc.array(one, { minLength: 1 }), (values) => {
        const bytes = write((to) => fill(to, values));
        for (const kind of ["packed", "plain"] as const) {
          if (bytes[kind].length === 0) continue;
          const from = open({ ...bytes, [kind]: bytes[kind].subarray(0, -1) });
          expect(() => read(from, values.length)).toThrow(FormatError);
        }
      }),
    );
  });
});

it("refuses more numbers than there are bytes before it makes room for them", () => {
  const from = open({ packed: new Uint8Array(7), plain: new Uint8Array(7) });
  const lacking = "part.lrs does not hold a summary: ";
  expect(() => from.wholes(2 ** 40)).toThrow(`${lacking}1099511627776 numbers are needed, 7 bytes are left`);
  expect(() => from.floats(1)).toThrow(`${lacking}1 numbers are needed, 7 bytes are left`);
  expect(() => from.plainFloat32s(2)).toThrow(`${lacking}8 bytes of measured values are needed, 7 are left`);
  expect(from.wholes(7)).toEqual(new Float64Array(7));
  expect([...from.plainFloat32s(1)]).toEqual([0]);
});

it("refuses a whole number that no float64 holds, among others as alone", () => {
  const packed = Uint8Array.of(1, ...new Array(8).fill(255), 1, 1);
  expect(() => open({ packed, plain: new Uint8Array(0) }).wholes(3)).toThrow(
    "a whole number is out of range",
  );
});
