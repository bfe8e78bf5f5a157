import type { LogitBlock } from "../logit-block.ts";

const bits = new Uint32Array(1);
const single = new Float32Array(bits.buffer);

/** A bfloat16: the upper half of a float32. */
export function fromBfloat16(half: number): number {
  bits[0] = half << 16;
  return single[0]!;
}

/** An IEEE 754 binary16: 1 bit sign, 5 bits exponent with bias 15, 10 bits fraction. */
export function fromFloat16(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 31;
  const fraction = half & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}

/** The logit at `index` of the block's values. */
export function logitAt({ format, values }: LogitBlock, index: number): number {
  const value = values[index]!;
  if (format === "float32") return value;
  return format === "bfloat16" ? fromBfloat16(value) : fromFloat16(value);
}

/** One row of logits as float32: a view of the block if it has that format. */
export function decodeRow(block: LogitBlock, row: number): Float32Array {
  const { format, values, vocabulary } = block;
  const start = row * vocabulary;
  const own = values.subarray(start, start + vocabulary);
  if (own instanceof Float32Array) return own;
  return Float32Array.from(own, format === "bfloat16" ? fromBfloat16 : fromFloat16);
}
