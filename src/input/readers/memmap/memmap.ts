/**
 * Memory-mapped TensorDicts: a directory with a `meta.json` and the bytes of each tensor in `NAME.memmap`
 * (`TensorDict.memmap`, tensordict 0.15.3).
 *
 * @module
 */
import { dirname, join } from "node:path";
import { checkMemory, FormatError, isObject, LimitError, type Place } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED, LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeDocument, TreeMap, TreeValue } from "../../io/columns.ts";
import { openFile } from "../../io/file-source.ts";
import { type FixedDType, ITEM_BYTES } from "../shared/dtypes.ts";
import { countElements, formatShape } from "../shared/shape.ts";
import { rowMajorStrides } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";

/** Name of the file that describes a memory-mapped TensorDict. */
export const MEMMAP_META = "meta.json";

/** Depth of nested TensorDict directories. */
const MAX_NESTING = 16;
/** A parsed value takes several times the memory of its text. */
const JSON_SHARE = 16;

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type JsonMap = { readonly [name: string]: Json };

/** Whether a JSON object is the description of a memory-mapped TensorDict. */
export function isMemmapMeta(root: TreeMap): boolean {
  return typeof root._type === "string" && root._type.includes("tensordict") && !("data" in root);
}

/**
 * Opens a memory-mapped TensorDict. Tensors stay in their files until their rows are read; text and other values come
 * from the descriptions.
 *
 * The document owns what it opens; `path` is the outermost `meta.json`.
 *
 * @throws FormatError if a description is damaged, or a file is shorter than its tensor
 * @throws NotFoundError if a file named in a description is absent
 * @throws LimitError if directories are nested too deep, or a description is too large
 */
export async function openMemmap(path: string): Promise<TreeDocument> {
  const opened: ByteSource[] = [];
  const close = async (): Promise<void> => {
    for (const source of opened) await source.close();
  };
  try {
    const root = await readFolder(dirname(path), opened, 0);
    return { kind: "tree", format: "memmap", file: path, root, metadata: {}, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readFolder(folder: string, opened: ByteSource[], depth: number): Promise<TreeMap> {
  const path = join(folder, MEMMAP_META);
  if (depth > MAX_NESTING) {
    throw new LimitError(`memory-mapped TensorDicts are nested deeper than ${MAX_NESTING} levels`, {
      at: { file: path },
      limit: MAX_NESTING,
      likely: LIKELY_CRAFTED,
    });
  }
  const meta = await readMeta(path);
  const columns: Record<string, TreeValue> = Object.create(null);
  for (const [name, entry] of Object.entries(meta)) {
    if (!isJsonMap(entry)) continue;
    // Names become parts of paths; tensordict never writes one that leads out of the directory.
    if (/[/\\]|^\.\.?$/.test(name)) {
      throw new FormatError(`${path} names a column "${name}", which is not a file name`, {
        at: { file: path },
        likely: LIKELY_CRAFTED,
      });
    }
    columns[name] =
      typeof entry.type === "string"
        ? await readEntry(join(folder, name), entry.type, opened, depth + 1)
        : await openColumn(join(folder, `${name}.memmap`), name, entry, path, opened);
  }
  return columns;
}

/** A subdirectory: a TensorDict, or values that are not tensors. */
async function readEntry(
  folder: string,
  type: string,
  opened: ByteSource[],
  depth: number,
): Promise<TreeValue> {
  if (!type.startsWith("NonTensor")) return readFolder(folder, opened, depth);
  const { data } = await readMeta(join(folder, MEMMAP_META));
  // Values that are not JSON either were pickled beside it and are not read.
  if (data === undefined)
    return { kind: "object", className: `tensordict.${type}`, args: [], state: undefined };
  return toTreeValue(data);
}

async function openColumn(
  path: string,
  name: string,
  entry: JsonMap,
  meta: string,
  opened: ByteSource[],
): Promise<TreeValue> {
  const at: Place = { file: meta, entry: name };
  if (entry.is_nested === true)
    return { kind: "object", className: "torch.nested.NestedTensor", args: [], state: undefined };
  const dtype = String(entry.dtype).replace(/^torch\./, "");
  const { shape } = entry;
  if (!Array.isArray(shape) || !shape.every((size): size is number => typeof size === "number")) {
    throw new FormatError(`${name} has no shape`, { at, likely: LIKELY_DAMAGED });
  }
  if (!isDtype(dtype)) return { kind: "object", className: `torch.${dtype}`, args: [], state: undefined };
  const needed = countElements(`memory-mapped ${name}`, shape, at) * ITEM_BYTES[dtype];
  const source = await openFile(path);
  opened.push(source);
  if (source.byteLength < needed) {
    throw new FormatError(
      `${name} of shape ${formatShape(shape)} needs ${needed} bytes, its file has ${source.byteLength}`,
      { at: { file: path }, likely: LIKELY_CUT_OFF },
    );
  }
  return tensorOver(source, {
    dtype,
    littleEndian: true,
    shape,
    strides: rowMajorStrides(shape),
    offset: 0,
    at: { file: path },
  });
}

function isDtype(name: string): name is FixedDType {
  return Object.hasOwn(ITEM_BYTES, name);
}

async function readMeta(path: string): Promise<JsonMap> {
  const source = await openFile(path);
  try {
    checkMemory(source.byteLength * JSON_SHARE, "the description of a memory-mapped TensorDict", {
      file: path,
    });
    const text = new TextDecoder().decode(await source.slice(0, source.byteLength));
    const parsed: unknown = JSON.parse(text);
    if (isJsonMap(parsed)) return parsed;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
  } finally {
    await source.close();
  }
  throw new FormatError("the description of a memory-mapped TensorDict is not a JSON object", {
    at: { file: path },
    likely: LIKELY_CUT_OFF,
  });
}

function isJsonMap(value: unknown): value is JsonMap {
  return isObject(value);
}

function toTreeValue(value: Json): TreeValue {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length > 0 && items.every((item) => typeof item === "number")) return Float64Array.from(items);
    return items.map(toTreeValue);
  }
  if (!isJsonMap(value)) return value as null | boolean | number | string;
  const map: Record<string, TreeValue> = Object.create(null);
  for (const [name, item] of Object.entries(value)) map[name] = toTreeValue(item);
  return map;
}
