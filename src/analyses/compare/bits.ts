/**
 * Log-probs as bits: the type they are stored in, and how many representable numbers lie between two of them.
 *
 * @module
 */
import type { StoredType, UlpCount } from "../../results/compare.ts";

const single = new Float32Array(1);
const singleBits = new Int32Array(single.buffer);
const double = new Float64Array(1);
const doubleBits = new BigInt64Array(double.buffer);

/** Sign and magnitude to two's complement: the next larger number is the next integer, and −0 is 0. */
function orderSingle(value: number): number {
  single[0] = value;
  const bits = singleBits[0]!;
  // Stryker disable next-line EqualityOperator: 0 is its own negative
  return bits < 0 ? -(bits & 0x7fffffff) : bits;
}

function orderDouble(value: number): bigint {
  double[0] = value;
  const bits = doubleBits[0]!;
  // Stryker disable next-line EqualityOperator: 0 is its own negative
  return bits < 0n ? -BigInt.asUintN(63, bits) : bits;
}

/** Number of float32 steps between two values, both rounded to float32 first. */
export function countSingles(a: number, b: number): number {
  return Math.abs(orderSingle(a) - orderSingle(b));
}

/** Number of float64 steps between two values. */
export function countDoubles(a: number, b: number): bigint {
  const distance = orderDouble(a) - orderDouble(b);
  return distance < 0n ? -distance : distance;
}

/** Class of a distance: 0 for none, 1 for one, then 2, 3 to 4, 5 to 8, …: `(2^(k-2), 2^(k-1)]`. */
function classifySingle(distance: number): number {
  return distance < 2 ? distance : 33 - Math.clz32(distance - 1);
}

function classifyDouble(distance: bigint): number {
  return distance < 2n ? Number(distance) : (distance - 1n).toString(2).length + 1;
}

/** The narrowest type that holds the values of one side. */
class StoredTypes {
  #isHalf = true;
  #isSingle = true;
  /** 0 fits every type and so says nothing. */
  #hasValue = false;

  see(value: number): void {
    if (value === 0) return;
    this.#hasValue = true;
    if (!this.#isSingle) return;
    single[0] = value;
    if (single[0] !== value) this.#isSingle = this.#isHalf = false;
    else if ((singleBits[0]! & 0xffff) !== 0) this.#isHalf = false;
  }

  get type(): StoredType {
    if (!this.#isSingle) return "float64";
    return this.#isHalf && this.#hasValue ? "bfloat16" : "float32";
  }
}

/** Distances in units in the last place, in classes that double. */
export class UlpSums {
  readonly #a = new StoredTypes();
  readonly #b = new StoredTypes();
  readonly #singles = new Float64Array(35);
  readonly #doubles = new Float64Array(67);

  /** Records a pair of finite values, even equal ones: they show how values are stored. */
  see(a: number, b: number): void {
    this.#a.see(a);
    this.#b.see(b);
  }

  /** Counts an unequal pair of finite values. */
  count(a: number, b: number): void {
    this.#singles[classifySingle(countSingles(a, b))]!++;
    this.#doubles[classifyDouble(countDoubles(a, b))]!++;
  }

  get stored(): { readonly a: StoredType; readonly b: StoredType } {
    return { a: this.#a.type, b: this.#b.type };
  }

  /** Counts in units of the narrower type that both sides need; in bfloat16 only if both are bfloat16. */
  list(): { readonly unit: StoredType; readonly counts: readonly UlpCount[] } {
    const { a, b } = this.stored;
    if (a === "float64" && b === "float64") return { unit: "float64", counts: listClasses(this.#doubles, 0) };
    // A bfloat16 is the upper half of a float32: distances are multiples of 2^16.
    if (a === "bfloat16" && b === "bfloat16")
      return { unit: "bfloat16", counts: listClasses(this.#singles, 16) };
    return { unit: "float32", counts: listClasses(this.#singles, 0) };
  }
}

/** @param shift number of doublings from the unit of the classes to the unit of the result */
function listClasses(classes: Float64Array, shift: number): UlpCount[] {
  return [...classes].flatMap((tokens, at): UlpCount[] => {
    if (tokens === 0) return [];
    const k = at - shift;
    if (k <= 0) return [{ from: 0, to: 0, tokens }];
    return [{ from: k === 1 ? 1 : 2 ** (k - 2) + 1, to: 2 ** (k - 1), tokens }];
  });
}
