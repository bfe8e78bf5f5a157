/**
 * Arrays of JSON numbers.
 *
 * ```
 * [ -0.1, -2.5, … 16 elements, null, -0.3, … thousands … ]
 *   └── one by one ──────────┘     └── by the kernel: a run of ordinary numbers
 *                             └── where the run stops: one by one until it can continue
 * ```
 *
 * Most arrays of a file may be short (top-k lists of each token), and setting up the kernel costs more than reading
 * them: only an array that continues after the first elements is passed to it.
 *
 * @module
 */
import type { NarrowArray } from "../../../core/kernels/index.ts";
import { type NumberRun, startNumberRun } from "./number-runs.ts";
import { NumberScanner } from "./numbers.ts";
import { CLOSE_BRACKET, COMMA, expected, isSpace, SPACE } from "./syntax.ts";

/** Numbers to collect before they are copied: as many as fit the cache and the kernel. */
const SCRATCH = 1 << 14;
/** Numbers to read one by one first. */
const FIRST_ELEMENTS = 16;

export class NumberArrayScanner {
  readonly #spend: (bytes: number) => void;
  readonly #startRun: (bytes: Uint8Array, end: number) => NumberRun | undefined;
  readonly #numbers = new NumberScanner();
  #next = 0;
  /** Memory for collecting elements: short until an array turns out to be long, then the kernel's or a long one. */
  #scratch: Float64Array = new Float64Array(FIRST_ELEMENTS);

  /**
   * @param spend called with the bytes of memory that numbers will take; may throw
   * @param startRun reads long runs of ordinary numbers, if available
   */
  constructor(
    spend: (bytes: number) => void = () => {},
    startRun: (bytes: Uint8Array, end: number) => NumberRun | undefined = startNumberRun,
  ) {
    this.#spend = spend;
    this.#startRun = startRun;
  }

  /** The index after the closing bracket of the array that was read last. */
  next(): number {
    return this.#next;
  }

  /**
   * The array of numbers and nulls whose first element starts at `pos`, nulls as NaN; undefined when an element is
   * something else.
   *
   * @param isNarrow whether a long array may have a narrower type that holds its values exactly
   */
  scan(bytes: Uint8Array, start: number, end: number, isNarrow = false): NarrowArray | undefined {
    let pos = start;
    let count = 0;
    let scratch = this.#scratch;
    const full: NarrowArray[] = [];
    let run: NumberRun | undefined;
    const collected = (): NarrowArray =>
      isNarrow && run !== undefined ? run.narrow(count) : scratch.subarray(0, count);
    /** Elements to read here before the kernel is tried. */
    let plain = FIRST_ELEMENTS;
    for (;;) {
      if (count === SCRATCH) {
        // Once while they are collected, once in the final array.
        this.#spend(2 * scratch.byteLength);
        full.push(collected().slice());
        count = 0;
      }
      if (plain-- === 0) {
        if (run === undefined) {
          run = this.#startRun(bytes, end);
          scratch = this.#widen(run, count);
        }
        const before = count;
        count = run?.scan(pos, count) ?? count;
        pos = run?.next() ?? pos;
        if (run?.isClosed()) break;
        // If the kernel stops repeatedly, it is not tried for a while.
        plain = run === undefined ? Infinity : count > before ? 1 : FIRST_ELEMENTS;
        if (count === SCRATCH) continue;
      }
      // `bytes[end]` may be white space, and nothing need follow it.
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      if (pos >= end) return undefined;
      const value = this.#numbers.scanElement(bytes, pos, end);
      if (value === undefined) return undefined;
      pos = this.#numbers.next();
      scratch[count++] = value;
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      const code = pos < end ? bytes[pos]! : 0;
      if (code !== COMMA && code !== CLOSE_BRACKET) throw expected('"," or "]"', bytes, pos, end);
      pos++;
      if (code === CLOSE_BRACKET) break;
    }
    this.#next = pos;
    this.#spend(count * Float64Array.BYTES_PER_ELEMENT);
    return joinNumbers(full, collected());
  }

  /** Grows the memory for elements and keeps those already read. */
  #widen(run: NumberRun | undefined, count: number): Float64Array {
    const scratch = this.#scratch;
    const wide = run?.values ?? (scratch.length === SCRATCH ? scratch : new Float64Array(SCRATCH));
    if (wide !== scratch) wide.set(scratch.subarray(0, count));
    this.#scratch = wide;
    return wide;
  }
}

/** Concatenates `full` and `rest` into new memory, of their type if all have the same. */
function joinNumbers(full: readonly NarrowArray[], rest: NarrowArray): NarrowArray {
  if (full.length === 0) return rest.slice();
  const isSame = full.every((part) => part.constructor === rest.constructor);
  const Type = isSame ? (rest.constructor as Float64ArrayConstructor) : Float64Array;
  const result = new Type(full.length * SCRATCH + rest.length);
  full.forEach((part, i) => {
    result.set(part, i * SCRATCH);
  });
  result.set(rest, full.length * SCRATCH);
  return result;
}
