/**
 * Pickled TensorDicts: plain, consolidated into one storage, stacked, and with entries that are not tensors. Each
 * becomes a plain dict of its columns. As written by tensordict 0.15.3 (`_reductions.py`, `tensorclass.py`,
 * `utils.py`).
 *
 * @module
 */
import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { MAX_ARRAY_ROWS } from "../../io/limits.ts";
import { sizes } from "../shared/pickle-numpy.ts";
import type { Builder } from "../shared/pickle-stack.ts";
import {
  describe,
  isPy,
  type PyDict,
  type PyRecorded,
  type PyStorage,
  type PyValue,
  pyDict,
  sequenceItems,
} from "../shared/pickle-values.ts";
import { rowMajorStrides } from "../shared/strides.ts";
import type { TorchBudget } from "./storage.ts";
import { entry, jagged, tensorIn } from "./torch-tensor.ts";

/** The calls in pickled TensorDicts. */
export function tensorDictBuilders(budget: TorchBudget): Map<string, Builder> {
  return new Map<string, Builder>([
    ["tensordict._reductions._make_td", (args, at) => makeTensorDict(args, at)],
    [
      "tensordict._reductions._rebuild_tensordict_files_consolidated",
      ([metadata, storage], at) => readConsolidated(metadata, storage, budget, at),
    ],
  ]);
}

/** Arguments: the class, and its attributes, of which `_tensordict` holds the columns. */
function makeTensorDict([type, state]: readonly PyValue[], at: Place): PyValue {
  const columns = isPy(state, "dict") ? entry(state, "_tensordict") : undefined;
  if (isPy(columns, "dict")) return columns;
  const stacked = isPy(state, "dict") ? stackColumns(state) : undefined;
  if (stacked !== undefined) return stacked;
  throw new UnsupportedError(`a pickled ${describe(type)} has no columns of its own`, {
    at,
    hint: "save it as a plain TensorDict: td.to_tensordict(), or as a dict: td.to_dict()",
  });
}

const OWN_KEYS: ReadonlySet<PyValue> = new Set(["cls", "cls_metadata", "leaves", "non_tensors", "size"]);

/** One storage for all tensors; the metadata has their places. */
function readConsolidated(
  metadata: PyValue | undefined,
  storage: PyValue | undefined,
  budget: TorchBudget,
  at: Place,
): PyValue {
  if (!isPy(metadata, "dict") || !isPy(storage, "tensor")) {
    throw new FormatError(
      `consolidated TensorDict is built on ${describe(metadata)} and ${describe(storage)}`,
      {
        at,
        likely: LIKELY_DAMAGED,
      },
    );
  }
  return readPart(metadata, storage.storage, budget, at, 0);
}

/** Maximum nesting of TensorDicts. */
const MAX_NESTING = 64;

function readPart(
  metadata: PyDict,
  storage: PyStorage,
  budget: TorchBudget,
  at: Place,
  depth: number,
): PyValue {
  if (depth > MAX_NESTING) {
    throw new FormatError(`consolidated TensorDict is nested deeper than ${MAX_NESTING} levels`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  const columns = pyDict();
  const add = (key: PyValue, value: PyValue): void => {
    columns.keys.push(key);
    columns.values.push(value);
  };
  const others = entry(metadata, "non_tensors");
  if (isPy(others, "dict")) {
    others.keys.forEach((key, i) => {
      const [data, size] = sequenceItems(others.values[i]) ?? [];
      add(key, spread(data ?? null, size));
    });
  }
  readLeaves(entry(metadata, "leaves"), storage, budget, at, add);
  metadata.keys.forEach((key, i) => {
    const value = metadata.values[i];
    if (!OWN_KEYS.has(key) && isPy(value, "dict")) add(key, readPart(value, storage, budget, at, depth + 1));
  });
  const type = entry(metadata, "cls");
  const name = typeof type === "string" ? type : isPy(type, "global") ? type.name : "";
  // Entries named "0", "1", … as a list.
  return /(?:^|\.)NonTensorStack$/.test(name)
    ? { kind: "list", run: undefined, items: [...columns.values] }
    : asValue(columns, name);
}

/** A NonTensorData holds its value in a column `data`. */
function asValue(columns: PyDict, name: string): PyValue {
  const data = entry(columns, "data");
  return /(?:^|\.)NonTensorData$/.test(name) && data !== undefined ? data : columns;
}

const NESTED = /^<NJT_(VALUES|LENGTHS|OFFSETS)>/;

/** Each leaf: (element type, shape, first byte, end byte, padding, ragged dimension). */
function readLeaves(
  leaves: PyValue | undefined,
  storage: PyStorage,
  budget: TorchBudget,
  at: Place,
  add: (key: PyValue, value: PyValue) => void,
): void {
  if (!isPy(leaves, "dict")) return;
  let values: PyValue | undefined;
  let lengths: PyValue | undefined;
  leaves.keys.forEach((key, i) => {
    const [dtype, shape, start, , , ragged] = sequenceItems(leaves.values[i]) ?? [];
    if (typeof dtype !== "string" || typeof start !== "number" || typeof key !== "string" || start < 0) {
      throw new FormatError(`consolidated TensorDict has no place for its column ${describe(key)}`, {
        at,
        likely: LIKELY_DAMAGED,
      });
    }
    const dimensions = sizes(shape, at);
    const part = {
      name: dtype,
      offset: 0,
      skip: start,
      shape: dimensions,
      strides: rowMajorStrides(dimensions),
    };
    const tensor = tensorIn(storage, part, budget, at);
    const nested = NESTED.exec(key)?.[1];
    if (nested === undefined) add(key, tensor);
    else if (nested === "VALUES") {
      values = tensor;
      lengths = undefined;
    } else if (nested === "LENGTHS") lengths = tensor;
    else add(key.replace(NESTED, ""), jagged(values, tensor, lengths, ragged ?? 1, budget, at));
  });
}

/**
 * A value that is not a tensor is stored once for the whole batch: a text is repeated for each row. Lists already have
 * rows.
 */
function spread(data: PyValue, batchSize: PyValue | undefined): PyValue {
  const [rows, ...inner] = sequenceItems(batchSize) ?? [];
  if (typeof data !== "string" || typeof rows !== "number" || inner.length > 0 || rows > MAX_ARRAY_ROWS)
    return data;
  return { kind: "list", run: undefined, items: new Array<PyValue>(Math.max(0, rows)).fill(data) };
}

/** The content of objects of tensordict's classes and of Python's buffers; undefined for any other class. */
export function unwrapObject(object: PyRecorded): PyValue | undefined {
  const { className, state } = object;
  if (className === "_io.BytesIO") {
    const bytes = sequenceItems(state)?.[0] ?? object.args[0];
    return bytes instanceof Uint8Array ? bytes : undefined;
  }
  if (!className.startsWith("tensordict.")) return undefined;
  const name = className.slice(className.lastIndexOf(".") + 1);
  if (name === "LinkedList") return { kind: "list", run: undefined, items: object.items };
  if (!isPy(state, "dict")) return undefined;
  if (name === "NonTensorData") return unwrapData(state);
  const stacked = stackColumns(state);
  if (stacked !== undefined) return stacked;
  const columns = entry(state, "_tensordict");
  return isPy(columns, "dict") ? columns : undefined;
}

function unwrapData(state: PyDict): PyValue | undefined {
  const holder = entry(state, "non_tensordict");
  const data = isPy(holder, "dict") ? entry(holder, "data") : entry(state, "data");
  return data === undefined ? undefined : spread(data, entry(state, "_batch_size"));
}

/**
 * A stack along the first dimension: its parts as a list, or as a dict of lists if they are dicts with the same keys.
 */
function stackColumns(state: PyDict): PyValue | undefined {
  const parts = sequenceItems(entry(state, "tensordicts"));
  if (parts === undefined || (entry(state, "stack_dim") ?? 0) !== 0) return undefined;
  const [first] = parts;
  if (!isPy(first, "dict") || first.keys.length === 0)
    return { kind: "list", run: undefined, items: [...parts] };
  const columns = pyDict();
  for (const key of first.keys) {
    const items: PyValue[] = [];
    for (const part of parts) {
      const value = isPy(part, "dict") && typeof key === "string" ? entry(part, key) : undefined;
      if (value === undefined) break;
      items.push(value);
    }
    // A column that only some parts have cannot have one value per row.
    if (items.length < parts.length) continue;
    columns.keys.push(key);
    columns.values.push({ kind: "list", run: undefined, items });
  }
  return columns;
}
