import { checkMemory, type NumericArray, type Place, SchemaError } from "../../../core/base/index.ts";
import type { Allocate, ByteSource } from "../../io/byte-source.ts";
import type { Tensor } from "../../io/columns.ts";
import { decodeElements, isCopied } from "./decode.ts";
import { type FixedDType, ITEM_BYTES } from "./dtypes.ts";
import { withScratch } from "./scratch-bytes.ts";
import { formatShape } from "./shape.ts";
import { gatherElements, isRowMajor, spanLength } from "./strides.ts";
import { decodeStrings, type StringLayout } from "./strings.ts";

/** float16 doubles when widened, int64 narrows to half; the stored bytes are also held until then. */
const DECODED_SHARE = 2;
/** Bytes of an empty text in a list. */
const SLOT_BYTES = 8;

/** The location of an array in its bytes, and its element type. The reader has checked that the bytes exist. */
export interface TensorLayout {
  readonly dtype: FixedDType | StringLayout;
  readonly littleEndian: boolean;
  readonly shape: readonly number[];
  /** In elements, not negative. */
  readonly strides: readonly number[];
  /** Byte offset of element 0 in the source. */
  readonly offset: number;
  readonly at: Place;
}

/**
 * A tensor over a byte source. Row-major tensors read only the requested rows. Strided ones read the span of those
 * rows; if rows interleave (a transposed matrix) that is the whole tensor, which is then kept.
 */
export function tensorOver(source: ByteSource, layout: TensorLayout): Tensor {
  const { dtype, littleEndian, at } = layout;
  const shape = [...layout.shape];
  const itemBytes = typeof dtype === "string" ? ITEM_BYTES[dtype] : dtype.itemBytes;
  // Made at the first read: a checkpoint has many tensors that are never read.
  let reader: RowReader | undefined;
  const readBytes: RowReader = (start, end, allocate) => {
    reader ??= rowReader(source, layout, itemBytes);
    return reader(start, end, allocate);
  };
  const base = { kind: "tensor", shape } as const;
  if (typeof dtype === "string") {
    const isView = !isCopied(dtype, littleEndian);
    const readRows = async (start: number, end: number, allocate?: Allocate): Promise<NumericArray> =>
      isView
        ? decodeElements(dtype, await readBytes(start, end, allocate), littleEndian)
        : withScratch(async (scratch) =>
            decodeElements(dtype, await readBytes(start, end, scratch), littleEndian, allocate),
          );
    if (dtype !== "float16" && dtype !== "bfloat16") return { ...base, dtype, readRows };
    const readBits = async (start: number, end: number, allocate?: Allocate): Promise<Uint16Array> =>
      decodeElements("uint16", await readBytes(start, end, allocate), littleEndian) as Uint16Array;
    return { ...base, dtype, readRows, readBits };
  }
  return {
    ...base,
    dtype: "string",
    readRows: async () => {
      throw new SchemaError("this array holds strings, not numbers", {
        at,
        hint: "name a column of numbers",
      });
    },
    readStrings: async (start, end) => {
      const bytes = await readBytes(start, end);
      // NumPy allows strings of width 0 (`<U0`), whose count does not show in the bytes.
      if (itemBytes === 0) {
        const count = (end - start) * rowElements(shape);
        checkMemory(count * SLOT_BYTES, `${count} empty texts`, at);
        return new Array<string>(count).fill("");
      }
      return decodeStrings(bytes, dtype, at);
    },
  };
}

type RowReader = (start: number, end: number, allocate?: Allocate) => Promise<Uint8Array>;

function rowReader(source: ByteSource, layout: TensorLayout, itemBytes: number): RowReader {
  const { shape, strides, offset, at } = layout;
  const rows = shape[0] ?? 1;
  const rowShape = shape.slice(1);
  const rowBytes = rowElements(shape) * itemBytes;
  const dense = isRowMajor(shape, strides);
  const rowStride = strides[0] ?? 0;
  const rowSpan = spanLength(rowShape, strides.slice(1));
  const interleaved = rowStride < rowSpan && rows > 1;
  let kept: Promise<Uint8Array> | undefined;

  const readSpan = (first: number, elements: number): Promise<Uint8Array> => {
    checkMemory(elements * itemBytes, `a strided tensor of shape ${formatShape(shape)}`, at);
    const from = offset + first * itemBytes;
    return source.slice(from, from + elements * itemBytes);
  };

  return async (start, end, allocate) => {
    if (!(Number.isInteger(start) && Number.isInteger(end) && 0 <= start && start <= end && end <= rows)) {
      // A programming error: no file or flag can cause it.
      throw new RangeError(`rows ${start} to ${end} were requested, but the tensor has ${rows}`);
    }
    checkMemory(
      (end - start) * rowBytes * DECODED_SHARE,
      `${end - start} rows of a tensor of shape ${formatShape(shape)}`,
      at,
    );
    if (rowBytes === 0 || start === end) return new Uint8Array(0);
    if (dense) return source.slice(offset + start * rowBytes, offset + end * rowBytes, allocate);
    const part = shape.length === 0 ? [] : [end - start, ...rowShape];
    if (!interleaved) {
      const span = await readSpan(start * rowStride, (end - start - 1) * rowStride + rowSpan);
      return gatherElements(span, itemBytes, part, strides);
    }
    kept ??= readSpan(0, spanLength(shape, strides));
    return gatherElements((await kept).subarray(start * rowStride * itemBytes), itemBytes, part, strides);
  };
}

function rowElements(shape: readonly number[]): number {
  return shape.slice(1).reduce((product, size) => product * size, 1);
}
