/**
 * Tensors that trainers encode in pickles as an element type, a shape and bytes: SkyRL's `{"format": "numpy", "data":
 * bytes, "shape", "dtype"}` (`_serialize_tensor` of skyrl/backends/skyrl_train/training_batch.py, 0.4.0, whose format is
 * a member of the enum TensorFormat, and a text up to commit a9564572) and verl's `(dtype, shape, uint8 array)`
 * (`serialize_single_tensor` of verl/protocol.py, commit 1dda039b).
 *
 * @module
 */
import type { Place } from "../../../core/base/index.ts";
import type { Tensor, TreeMap, TreeValue } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { isList, isPickled, isTensor } from "../../io/tree-guards.ts";
import { ITEM_BYTES } from "../shared/dtypes.ts";
import { rowMajorStrides } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";
import { dtypeNamed } from "./torch-dtypes.ts";

/** NumPy's names that are not torch's. */
const NUMPY_NAMES: ReadonlyMap<string, string> = new Map([["bool_", "bool"]]);

function readShape(value: TreeValue | undefined): number[] | undefined {
  if (isList(value)) return value.length === 0 ? [] : undefined;
  return value instanceof Int32Array && value.every((size) => size >= 0) ? [...value] : undefined;
}

function elementBytes(
  dtype: TreeValue | undefined,
  shape: readonly number[] | undefined,
): number | undefined {
  const fixed = typeof dtype === "string" ? dtypeNamed(NUMPY_NAMES.get(dtype) ?? dtype) : undefined;
  if (fixed === undefined || shape === undefined) return undefined;
  return shape.reduce((product, size) => product * size, ITEM_BYTES[fixed]);
}

/** A tensor over bytes in memory; undefined when their number does not match type and shape. */
function overBytes(
  bytes: Uint8Array,
  dtype: TreeValue | undefined,
  shape: number[] | undefined,
  at: Place,
): Tensor | undefined {
  const needed = elementBytes(dtype, shape);
  if (needed === undefined || shape === undefined || bytes.length !== needed || shape.length > 64)
    return undefined;
  return tensorOver(memorySource(at.file ?? "", bytes), {
    dtype: dtypeNamed(NUMPY_NAMES.get(String(dtype)) ?? String(dtype))!,
    littleEndian: true,
    shape,
    strides: rowMajorStrides(shape),
    offset: 0,
    at,
  });
}

/** A format's name: a text, or the value of which a pickle calls an enum. */
function formatName(format: TreeValue | undefined): TreeValue | undefined {
  if (format === undefined || !isPickled(format) || !format.className.endsWith(".TensorFormat"))
    return format;
  return format.args.length === 1 ? format.args[0] : format;
}

/** The tensor that a dict of format, data, shape and dtype encodes; undefined for any other dict. */
export function decodeMap(map: TreeMap, at: Place): TreeValue | undefined {
  const { data, items } = map;
  const format = formatName(map.format);
  const count = Object.keys(map).length;
  if (format === "tensor_list" && isList(items) && count === 2) return items;
  // Its bytes are a file of torch.save, which is already opened here.
  if (format === "torch" && isTensor(data) && count === 2) return data;
  if (format === "numpy_view" && isTensor(data) && count === 2) return data;
  if (!(data instanceof Uint8Array) || (format !== undefined && format !== "numpy")) return undefined;
  if (count !== (format === undefined ? 3 : 4)) return undefined;
  return overBytes(data, map.dtype, readShape(map.shape), at);
}

/** The tensor, or list of rows, that a tuple encodes; undefined for any other list. */
export async function decodeList(list: readonly TreeValue[], at: Place): Promise<TreeValue | undefined> {
  const [first, second, third] = list;
  if (typeof first !== "string") return undefined;
  if (list.length === 2 && (first === "jagged" || first === "strided")) {
    return isList(second) && second.length > 0 && second.every(isTensor) ? second : undefined;
  }
  if (list.length !== 3 || !isTensor(third) || third.dtype !== "uint8" || third.shape.length !== 1)
    return undefined;
  const shape = readShape(second);
  if (elementBytes(first, shape) !== third.shape[0]) return undefined;
  const bytes = await third.readRows(0, third.shape[0]!);
  return bytes instanceof Uint8Array ? overBytes(bytes, first, shape, at) : undefined;
}
