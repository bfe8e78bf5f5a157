import { FormatError, LimitError, type Place } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeValue } from "../../io/columns.ts";
import { MAX_PICKLE_BYTES } from "../../io/limits.ts";
import { ITEM_BYTES } from "../shared/dtypes.ts";
import type { PickleOptions } from "../shared/pickle.ts";
import { countElements, formatShape } from "../shared/shape.ts";
import { columnMajorStrides, rowMajorStrides } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";
import { type NpyHeader, readNpyHeader } from "./npy-header.ts";

/**
 * One npy array: a tensor that stays in `source` until its rows are read, or, for an object array, the values of its
 * pickle (an array of one dimension becomes their list, numbers a typed array).
 */
export async function readNpyArray(
  source: ByteSource,
  at: Place,
  options: PickleOptions,
): Promise<TreeValue> {
  const header = await readNpyHeader(source, at);
  const { type, shape, fortran, dataStart } = header;
  const count = countElements("npy header", shape, at);
  if (type.kind === "object") return readObjects(source, header, count, at, options);
  const width = type.kind === "fixed" ? ITEM_BYTES[type.dtype] : type.layout.itemBytes;
  checkLength(source.byteLength - dataStart, count * width, { ...at, offset: dataStart });
  return tensorOver(source, {
    dtype: type.kind === "fixed" ? type.dtype : type.layout,
    littleEndian: type.kind === "fixed" && type.littleEndian,
    shape,
    strides: fortran ? columnMajorStrides(shape) : rowMajorStrides(shape),
    offset: dataStart,
    at,
  });
}

function checkLength(found: number, declared: number, at: Place): void {
  if (found < declared) {
    throw new FormatError(`npy data is cut off: the header declares ${declared} bytes, found ${found}`, {
      at,
      likely: LIKELY_CUT_OFF,
      hint: "write the file again; if its step is lost, leave it out",
    });
  }
  if (found > declared) {
    throw new FormatError(
      `npy data is longer than its header: it declares ${declared} bytes, found ${found}`,
      {
        at,
        likely: "several arrays were saved into one file, or the header belongs to another array",
        hint: "save several arrays with np.savez",
      },
    );
  }
}

async function readObjects(
  source: ByteSource,
  header: NpyHeader,
  count: number,
  at: Place,
  options: PickleOptions,
): Promise<TreeValue> {
  const { dataStart, shape } = header;
  const length = source.byteLength - dataStart;
  if (length > MAX_PICKLE_BYTES) {
    throw new LimitError(`pickle has ${length} bytes; at most ${MAX_PICKLE_BYTES} are read`, {
      at: { ...at, offset: dataStart },
      hint: "save long lists of numbers as arrays of numbers",
    });
  }
  const pickle = await source.slice(dataStart, source.byteLength);
  // Late: dumps hardly ever have object arrays.
  const { readPickle } = await import("../shared/pickle.ts");
  const value = readPickle(
    pickle,
    { file: source.name, base: dataStart, ...(at.entry === undefined ? {} : { entry: at.entry }) },
    options,
  );
  const rows = Array.isArray(value) || ArrayBuffer.isView(value) ? value.length : undefined;
  if (shape.length > 0 && count > 0 && rows !== shape[0]) {
    throw new FormatError(
      `npy object array of shape ${formatShape(shape)} has ${rows === undefined ? "no rows" : plural(rows, "row")} in its pickle`,
      { at: { ...at, offset: dataStart }, likely: LIKELY_DAMAGED },
    );
  }
  return value;
}
