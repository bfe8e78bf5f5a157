/**
 * Expands values that need the complete pickle: files of torch.save inside byte strings, nested tensors, tensors
 * encoded as bytes.
 *
 * @module
 */
import { FormatError, LimitError, type Place } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED, LIKELY_DAMAGED } from "../../io/advice.ts";
import type { PickledObject, Tensor, TreeValue } from "../../io/columns.ts";
import { isList, isMap, isPickled, isTensor } from "../../io/tree-guards.ts";
import { JAGGED_CLASS } from "../shared/pickle-tree-values.ts";
import { decodeList, decodeMap } from "./encoded.ts";

/** The content of a file of torch.save; the bytes themselves when they are not such a file. */
export type OpenNested = (bytes: Uint8Array) => Promise<TreeValue>;

/**
 * The tree with such values replaced by their content; parts without any are kept.
 *
 * @throws FormatError if a nested tensor's offsets do not fit its values, or nested bytes are damaged
 */
export async function expandTree(root: TreeValue, open: OpenNested, at: Place): Promise<TreeValue> {
  // Values may be shared: each is expanded only once.
  const done = new Map<object, TreeValue>();

  const expand = async (value: TreeValue): Promise<TreeValue> => {
    if (typeof value !== "object" || value === null || isTensor(value)) return value;
    if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array)) return value;
    const known = done.get(value);
    if (known !== undefined) return known;
    const expanded = await expandObject(value);
    done.set(value, expanded);
    return expanded;
  };

  const expandAll = async (values: readonly TreeValue[]): Promise<readonly TreeValue[]> => {
    let changed: TreeValue[] | undefined;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      // One await per number of a list of millions would take longer than reading it.
      if (typeof value !== "object" || value === null) continue;
      const expanded = await expand(value);
      if (expanded === value) continue;
      changed ??= [...values];
      changed[i] = expanded;
    }
    return changed ?? values;
  };

  const expandObject = async (value: TreeValue): Promise<TreeValue> => {
    if (value instanceof Uint8Array) return open(value);
    if (isList(value)) {
      const items = await expandAll(value);
      return (await decodeList(items, at)) ?? items;
    }
    if (isPickled(value)) {
      return value.className === JAGGED_CLASS ? splitRows(value, at) : expandPickled(value);
    }
    if (!isMap(value)) return value;
    const names = Object.keys(value);
    const before = names.map((name) => value[name]!);
    const after = await expandAll(before);
    const map =
      after === before
        ? value
        : names.reduce<Record<string, TreeValue>>((copy, name, i) => {
            copy[name] = after[i]!;
            return copy;
          }, Object.create(null));
    return decodeMap(map, at) ?? map;
  };

  const expandPickled = async (object: PickledObject): Promise<PickledObject> => {
    const args = await expandAll(object.args);
    const state = object.state === undefined ? undefined : await expand(object.state);
    const items = object.items === undefined ? undefined : await expand(object.items);
    if (args === object.args && state === object.state && items === object.items) return object;
    return { ...object, args, state, ...(items === undefined ? {} : { items }) };
  };

  return expand(root);
}

/** The rows of a nested tensor, each a tensor over its part of the values. */
async function splitRows({ args: [values, offsets, lengths] }: PickledObject, at: Place): Promise<TreeValue> {
  if (!isTensor(values) || !isTensor(offsets)) return null;
  const count = (offsets.shape[0] ?? 0) - 1;
  const starts = await offsets.readRows(0, count + 1);
  const sizes = isTensor(lengths) ? await lengths.readRows(0, lengths.shape[0] ?? 0) : undefined;
  const held = values.shape[0] ?? 0;
  const rows: Tensor[] = [];
  for (let row = 0; row < count; row++) {
    const start = starts[row]!;
    const end = sizes === undefined ? starts[row + 1]! : start + (sizes[row] ?? NaN);
    if (!(start >= 0 && start <= end && end <= held)) {
      throw new FormatError(
        `nested tensor's row ${row} spans ${start} to ${end}, but there are ${held} values`,
        { at, likely: LIKELY_DAMAGED },
      );
    }
    rows.push({
      kind: "tensor",
      dtype: values.dtype,
      shape: [end - start, ...values.shape.slice(1)],
      readRows: (from, to) => values.readRows(start + from, start + to),
    });
  }
  return rows;
}

/** Maximum nesting of files of torch.save. */
const MAX_NESTED_FILES = 8;

/** @throws LimitError when pickles are nested deeper */
export function checkNesting(depth: number, at: Place): void {
  if (depth <= MAX_NESTED_FILES) return;
  throw new LimitError(`pickles are nested in each other more than ${MAX_NESTED_FILES} levels deep`, {
    at,
    limit: MAX_NESTED_FILES,
    likely: LIKELY_CRAFTED,
  });
}
