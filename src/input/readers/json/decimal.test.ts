import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { decimalToDouble } from "./decimal.ts";

/** `digits * 10^exponent` by the function under test, and whether it left the answer to `Number(text)`. */
function convert(digits: string, exponent: number): { value: number; slow: boolean } {
  const low = digits.slice(9);
  const value = decimalToDouble(Number(digits.slice(0, 9)), Number(low), low.length, exponent);
  return Number.isNaN(value)
    ? { value: Number(`${digits}e${exponent}`), slow: true }
    : { value, slow: false };
}

const digits = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.integer({ min: 1, max: 18 }))
  .map(([value, length]) => String(value).padStart(length, "0").slice(-length));

describe("decimalToDouble", () => {
  test("rounds as Number does, for any digits and exponent", () => {
    fc.assert(
      fc.property(digits, fc.integer({ min: -345, max: 310 }), (text, exponent) => {
        return Object.is(convert(text, exponent).value, Number(`${text}e${exponent}`));
      }),
      { numRuns: sized(3000, 10_000) },
    );
  });

  test("takes the shortest form of any double without falling back, over the range of log-probs", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-40, max: 1e15, noNaN: true }), (value) => {
        const [, first, rest = "", exponent] = /^(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(value.toExponential())!;
        const result = convert(first! + rest, Number(exponent) - rest.length);
        return result.value === value && !result.slow;
      }),
      { numRuns: sized(3000, 10_000) },
    );
  });

  test("does not decide what lies half-way between two doubles", () => {
    // (2^53 + 2k + 1) / 2^p, written with p digits behind the point.
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 1, max: 2 }), (k, p) => {
        const half = (2n ** 53n + 2n * BigInt(k) + 1n) * 5n ** BigInt(p);
        const result = convert(String(half), -p);
        return result.slow && result.value === Number(`${half}e-${p}`);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["0", 5, 0],
    ["1", 22, 1e22],
    ["9007199254740991", 0, 9007199254740991],
    ["9007199254740993", 0, 9007199254740992],
    ["123456789012345678", 0, 123456789012345680],
    ["000000000000000001", -5, 1e-5],
  ])("%s e %i", (text, exponent, value) => {
    expect(convert(text, exponent)).toEqual({ value, slow: false });
  });
});
