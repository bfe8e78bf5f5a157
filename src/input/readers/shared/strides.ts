import { aligned } from "./decode.ts";

/** Strides, in elements, of a dense array whose last index varies fastest. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    step *= shape[d]!;
  }
  return strides;
}

/** Strides, in elements, of a dense array whose first index varies fastest (Fortran order). */
export function columnMajorStrides(shape: readonly number[]): number[] {
  let step = 1;
  return shape.map((size) => {
    const stride = step;
    step *= size;
    return stride;
  });
}

/** Whether the elements are contiguous in row-major order; strides of dimensions of size 1 do not matter. */
export function isRowMajor(shape: readonly number[], strides: readonly number[]): boolean {
  const dense = rowMajorStrides(shape);
  return shape.includes(0) || shape.every((size, d) => size === 1 || strides[d] === dense[d]);
}

/** Number of elements from the first to the last one of the array, inclusive; 0 for an empty array. */
export function spanLength(shape: readonly number[], strides: readonly number[]): number {
  if (shape.includes(0)) return 0;
  return shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 1);
}

/**
 * Copies a strided array to row-major order, as raw bytes.
 *
 * @param span the bytes of its span: element 0 first
 * @param width bytes per element
 */
export function gatherElements(
  span: Uint8Array,
  width: number,
  shape: readonly number[],
  strides: readonly number[],
): Uint8Array {
  const count = shape.reduce((product, size) => product * size, 1);
  const out = new Uint8Array(count * width);
  if (count === 0) return out;
  const inner = shape.at(-1) ?? 1;
  const step = strides.at(-1) ?? 1;
  const copy = innerCopy(span, out, width, inner, step);
  const index = new Array<number>(Math.max(0, shape.length - 1)).fill(0);
  let from = 0;
  for (let to = 0; to < count; to += inner) {
    copy(from, to);
    // Increment the outer indices, last one first, and keep `from` in step.
    for (let d = index.length - 1; d >= 0; d--) {
      from += strides[d]!;
      index[d]!++;
      if (index[d]! < shape[d]!) break;
      from -= index[d]! * strides[d]!;
      index[d] = 0;
    }
  }
  return out;
}

type Copy = (from: number, to: number) => void;

function innerCopy(span: Uint8Array, out: Uint8Array, width: number, inner: number, step: number): Copy {
  if (step === 1) {
    return (from, to) => out.set(span.subarray(from * width, (from + inner) * width), to * width);
  }
  switch (width) {
    case 1:
      return wordCopy(span, out, 1, inner, step);
    case 2: {
      const source = aligned(span, 2);
      return wordCopy(
        new Uint16Array(source.buffer, source.byteOffset, source.byteLength >> 1),
        new Uint16Array(out.buffer),
        1,
        inner,
        step,
      );
    }
    case 4:
    case 8: {
      // Eight bytes are copied as two words: as doubles, V8 may change the payload of a NaN.
      const source = aligned(span, 4);
      return wordCopy(
        new Uint32Array(source.buffer, source.byteOffset, source.byteLength >> 2),
        new Uint32Array(out.buffer),
        width / 4,
        inner,
        step,
      );
    }
    default:
      return (from, to) => {
        for (let i = 0; i < inner; i++) {
          const at = (from + i * step) * width;
          out.set(span.subarray(at, at + width), (to + i) * width);
        }
      };
  }
}

function wordCopy<A extends Uint8Array | Uint16Array | Uint32Array>(
  source: A,
  target: A,
  words: number,
  inner: number,
  step: number,
): Copy {
  if (words === 1) {
    return (from, to) => {
      for (let i = 0, p = from; i < inner; i++, p += step) target[to + i] = source[p]!;
    };
  }
  return (from, to) => {
    for (let i = 0, p = 2 * from; i < inner; i++, p += 2 * step) {
      target[2 * (to + i)] = source[p]!;
      target[2 * (to + i) + 1] = source[p + 1]!;
    }
  };
}
