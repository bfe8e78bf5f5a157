import { DECIMALS_WASM } from "./decimals.generated.ts";
import { compileOnce } from "./kernel.ts";

/** The exports of assembly/decimals.ts, with addresses as views. */
export interface DecimalsKernel {
  /** Memory for text, with space for the {@link DECIMALS_SLACK} zero bytes that must follow it. */
  readonly text: Uint8Array;
  /** Bytes of text that fit, without the zero bytes. */
  readonly textBytes: number;
  readonly values: Float64Array;
  /**
   * Reads elements of a JSON array from `text[from, to)`, and stores them in `values` from `count` on: null and NaN as
   * NaN, numbers correctly rounded. Stops at the closing bracket, before an element that does not end before `to` or is
   * not an ordinary number, and when `values` is full.
   *
   * @returns the number of values then stored
   */
  scan(from: number, to: number, count: number): number;
  /** Start of the first element that the last `scan` did not read, or the index after the bracket. */
  position(): number;
  /** 1 when the last `scan` read the closing bracket. */
  isClosed(): number;
  /**
   * The first `count` of `values` in the narrowest type that holds all of them, bit for bit. A view: the next call
   * overwrites it.
   */
  narrow(count: number): NarrowArray;
}

export type NarrowArray = Uint8Array | Int32Array | Float32Array | Float64Array;

interface DecimalsExports extends Pick<DecimalsKernel, "scan" | "position" | "isClosed"> {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly TEXT: { readonly value: number };
  readonly TEXT_BYTES: { readonly value: number };
  readonly VALUES: { readonly value: number };
  readonly CAPACITY: { readonly value: number };
  readonly POWERS: { readonly value: number };
  readonly POWERS_IN: { readonly value: number };
  readonly LEAST_POWER: { readonly value: number };
  readonly NARROWED: { readonly value: number };
  readonly narrow: (count: number) => number;
  readonly AS_FLOAT32: { readonly value: number };
  readonly AS_INT32: { readonly value: number };
  readonly AS_UINT8: { readonly value: number };
}

/** Zero bytes after the text, which loads of whole vectors reach. */
export const DECIMALS_SLACK = 64;
const WORD = 64n;

/** The kernel; undefined if it cannot run. */
export const decimalsKernel = compileOnce(DECIMALS_WASM, (exports) =>
  wrapDecimalsKernel(exports as DecimalsExports),
);

function wrapDecimalsKernel(exports: DecimalsExports): DecimalsKernel {
  const { buffer } = exports.memory;
  const textBytes = exports.TEXT_BYTES.value;
  const least = exports.LEAST_POWER.value;
  const powers = new BigUint64Array(buffer, exports.POWERS_IN.value, 2 * exports.POWERS.value);
  for (let i = 0; i < exports.POWERS.value; i++) {
    const power = significandOfFive(least + i);
    powers[2 * i] = power >> WORD;
    powers[2 * i + 1] = BigInt.asUintN(64, power);
  }
  const values = new Float64Array(buffer, exports.VALUES.value, exports.CAPACITY.value);
  const narrowed = new Map<number, NarrowArray>([
    [exports.AS_FLOAT32.value, new Float32Array(buffer, exports.NARROWED.value, values.length)],
    [exports.AS_INT32.value, new Int32Array(buffer, exports.NARROWED.value, values.length)],
    [exports.AS_UINT8.value, new Uint8Array(buffer, exports.NARROWED.value, values.length)],
  ]);
  return {
    text: new Uint8Array(buffer, exports.TEXT.value, textBytes + DECIMALS_SLACK),
    textBytes,
    values,
    scan: exports.scan,
    position: exports.position,
    isClosed: exports.isClosed,
    narrow: (count) => (narrowed.get(exports.narrow(count)) ?? values).subarray(0, count),
  };
}

/** Down to this power, the reciprocal of a power of five must be rounded up for ties to be seen as such. */
const LEAST_ROUNDED_UP = -27;

/** The first 128 bits of `5^power` (Lemire 2021, "Number parsing at a gigabyte per second", section 5). */
function significandOfFive(power: number): bigint {
  const five = 5n ** BigInt(Math.abs(power));
  const bits = BigInt(five.toString(2).length);
  if (power >= 0) return bits <= 128n ? five << (128n - bits) : five >> (bits - 128n);
  // 2^bits is above the power of five, so the quotient has 128 bits.
  const reciprocal = (1n << (bits + 127n)) / five;
  return power >= LEAST_ROUNDED_UP ? reciprocal + 1n : reciprocal;
}
