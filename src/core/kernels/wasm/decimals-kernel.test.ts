import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { DECIMALS_WASM, SOURCE_SHA256 } from "./decimals.generated.ts";
import { DECIMALS_SLACK, decimalsKernel } from "./decimals-kernel.ts";

const kernel = decimalsKernel()!;
const encoder = new TextEncoder();

function put(text: string): number {
  const bytes = encoder.encode(text);
  kernel.text.set(bytes);
  kernel.text.fill(0, bytes.length, bytes.length + DECIMALS_SLACK);
  return bytes.length;
}

/** The values of the elements that the kernel reads before it stops, and where it does. */
function scan(text: string) {
  const length = put(text);
  const count = kernel.scan(0, length, 0);
  const closed = kernel.isClosed() === 1;
  return { values: [...kernel.values.subarray(0, count)], at: kernel.position(), closed };
}

const readWhole = (text: string, value: number) =>
  expect(scan(`${text}]`), text).toEqual({ values: [value], at: text.length + 1, closed: true });

/** Read as `Number` has it, or left in front of the element; never anything else. */
function readOrLeave(text: string): boolean {
  const { values, at, closed } = scan(`${text}]`);
  const left = values.length === 0 && at === 0 && !closed;
  if (!left) expect({ text, values, closed }).toEqual({ text, values: [Number(text)], closed: true });
  return !left;
}

const runs = { numRuns: sized(3000, 20_000) };
const digits = (most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: most }).map((list) => list.join(""));

describe("the decimals kernel", () => {
  test("embeds what was compiled from the source that is there", () => {
    const source = readFileSync(new URL("assembly/decimals.ts", import.meta.url));
    const hash = createHash("sha256").update(source).digest("hex");
    expect(SOURCE_SHA256, "run npm run build:wasm").toBe(hash);
    expect(atob(DECIMALS_WASM).length).toBeLessThan(8192);
  });

  test("reads every float32 as Python and JavaScript print it", () => {
    const usual = fc.float({ noNaN: true, min: Math.fround(-1e6), max: Math.fround(1e6) });
    fc.assert(
      fc.property(usual, (value) => {
        const text = Object.is(value, -0) ? "-0.0" : String(value);
        // JavaScript prints below 1e-6 with an exponent, Python from 1e-4; up to 10^-45 is within the table.
        const isUsual = Math.abs(value) < 1e5 || value === 0;
        expect(readOrLeave(text) || !isUsual, text).toBe(true);
        expect(readOrLeave(value.toExponential(16)), text).toBe(true);
      }),
      runs,
    );
  });

  test("reads log-probs as doubles, or leaves those that are out of the ordinary", () => {
    const usual = fc.double({ min: -50, max: 0, noNaN: true });
    fc.assert(
      fc.property(usual, fc.double(), (value, any) => {
        const left = Math.abs(value) !== 0 && Math.abs(value) < 1e-50;
        expect(readOrLeave(Object.is(value, -0) ? "-0" : String(value)) || left, String(value)).toBe(true);
        if (Number.isFinite(any)) readOrLeave(String(any));
      }),
      runs,
    );
  });

  test("reads any digits with any exponent as Number does, or leaves them", () => {
    const exponent = fc.option(fc.tuple(fc.constantFrom("e", "E", "e+", "e-", "E-"), digits(5)), { freq: 2 });
    const number = fc.tuple(fc.constantFrom("", "-"), digits(12), fc.option(digits(26)), exponent);
    let read = 0;
    fc.assert(
      fc.property(number, ([sign, whole, fraction, power]) => {
        const integer = whole.replace(/^0+(?=\d)/, "");
        const tail = `${fraction === null ? "" : `.${fraction}`}${power === null ? "" : power.join("")}`;
        if (readOrLeave(sign + integer + tail)) read++;
      }),
      runs,
    );
    expect(read).toBeGreaterThan(sized(750, 5000));
  });

  test("rounds ties to the even neighbor, and what is next to a tie away from it", () => {
    const odd = fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n });
    fc.assert(
      fc.property(odd, fc.constantFrom("5", "49", "50", "51", "499", "500", "501"), (integer, rest) => {
        const text = `0.${integer}${rest}e16`;
        readWhole(text, Number(text));
        const power = fc.sample(fc.integer({ min: -60, max: 20 }), 1)[0]!;
        readWhole(`0.${integer}${rest}e${power}`, Number(`0.${integer}${rest}e${power}`));
      }),
      runs,
    );
  });

  test("reads null and NaN as missing, and -0 as itself", () => {
    const { values, closed } = scan("null, NaN ,-0,-0.0,0e5]");
    expect(closed).toBe(true);
    expect(values).toEqual([NaN, NaN, -0, -0, 0]);
  });

  test("stops in front of what is not JSON, or not ordinary, behind the elements before it", () => {
    const odd =
      '01 1. .5 - + +1 1e 1e+ --1 -null -NaN nul nullx Infinity -Infinity 1..2 1.2.3 1e5.0 1x true "1" [1] {} 0x10 1e999 123456789 1\0';
    for (const text of ["", "]", ...odd.split(" "), "1 2", "1\u00a0"]) {
      expect(scan(`1, ${text},3]`), text).toEqual({ values: [1], at: 2, closed: false });
    }
  });

  test("reads masks with and without spaces at every offset, length and end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("0", "1", "7", "12", "-1", "0.5"), { minLength: 1, maxLength: 60 }),
        fc.constantFrom(",", ", ", " ,", ",\n\t", ",\r\n"),
        (elements, comma) => {
          const text = `${elements.join(comma)}]`;
          expect(scan(text)).toEqual({ values: elements.map(Number), at: text.length, closed: true });
          const ones = elements.map((element) => element[0]!.replace("-", "3"));
          expect(scan(`${ones.join(comma)}]`).values).toEqual(ones.map(Number));
        },
      ),
      { numRuns: sized(1000, 3000) },
    );
  });

  test("leaves an element whose end is not there, wherever the text is cut", () => {
    const text = "1, 0, 1, 1, 0, 1,-0.036550458520650864,12345,1,1,0,1,0,1,1,0,1.5e-7,null,3]";
    const all = text.slice(0, -1).split(",");
    for (let cut = 0; cut < text.length; cut++) {
      const { values, at, closed } = scan(text.slice(0, cut));
      const whole = text.slice(0, cut).split(",").length - 1;
      const wanted = all.slice(0, whole).map((element) => (element === "null" ? NaN : Number(element)));
      expect({ values, closed }, text.slice(0, cut)).toEqual({ values: wanted, closed: false });
      expect(at).toBe(text.slice(0, cut).lastIndexOf(",") + 1);
    }
  });

  test("goes on behind the values that are there, and stops when there is no more room", () => {
    const room = kernel.values.length;
    for (const element of ["1", "1.5", " 0"]) {
      for (let free = 0; free <= 20; free++) {
        const length = put(`${Array(30).fill(element).join(",")}]`);
        kernel.values.fill(7);
        expect(kernel.scan(0, length, room - free)).toBe(room);
        expect(kernel.position()).toBe(free * (element.length + 1));
        expect([...kernel.values.subarray(room - free)]).toEqual(Array(free).fill(Number(element)));
        expect(kernel.values[room - free - 1]).toBe(7);
      }
    }
  });

  test("narrows values to the smallest type that holds every bit, and says so at any count", () => {
    const small = fc.integer({ min: 0, max: 255 });
    const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const single = fc.float();
    const odd = fc.constantFrom(-0, NaN, Infinity, 2 ** 31, -(2 ** 31) - 1, 256, -1, 0.1, 1e-50, 5e-324);
    const holds = (type: (typeof narrowTypes)[number], values: Float64Array) => {
      const same = type.from(values);
      return values.every((value, i) => Object.is(same[i], value));
    };
    const narrowTypes = [Uint8Array, Int32Array, Float32Array, Float64Array] as const;
    fc.assert(
      fc.property(
        fc.oneof(
          ...[small, integer, single, fc.double()].map((one) =>
            fc.array(one, { minLength: 1, maxLength: 40 }),
          ),
        ),
        fc.option(fc.tuple(odd, fc.nat()), { freq: 1 }),
        (drawn, other) => {
          const values = Float64Array.from(drawn);
          if (other !== null) values[other[1] % values.length] = other[0];
          kernel.values.fill(0.1);
          kernel.values.set(values);
          const narrow = kernel.narrow(values.length);
          expect(narrow.constructor).toBe(narrowTypes.find((type) => holds(type, values)));
          expect(Float64Array.from(narrow)).toEqual(values);
        },
      ),
      { numRuns: sized(1000, 3000) },
    );
    kernel.values.fill(3);
    expect(kernel.narrow(kernel.values.length)).toEqual(new Uint8Array(kernel.values.length).fill(3));
  });
});
