/**
 * Reads the three shapes of slime's debug dumps as one list of samples.
 *
 * Training dumps: version 2 (`slime/observability/train_data_utils.py`, commits 624b824a and d92cb5de), version 1 and
 * miles (`miles/utils/train_dump_utils.py`, commit 31f1ca96): `{rollout_id, rank, rollout_data}` per rank. Rollout
 * dumps (`--save-debug-rollout-data`): `Sample.to_dict()` of `slime/utils/types.py`.
 *
 * @module
 */

import { isNumericArray } from "../../../core/base/index.ts";
import { isList, isMap, isTensor, readNumbers } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeMap, TreeValue } from "../../../input/io/index.ts";

export type DumpKind = "train-v2" | "train-v1" | "rollout";

export interface Dump {
  readonly kind: DumpKind;
  readonly samples: number;
  /** Element `i` of a per-sample column, by its name in training dumps. */
  readonly get: (i: number, name: string) => TreeValue | undefined;
  readonly has: (name: string) => boolean;
  /** A value of the whole rollout batch, not split by sample. */
  readonly whole: (name: string) => TreeValue | undefined;
  readonly root: TreeMap;
}

function elementAt(column: TreeValue | undefined, i: number): TreeValue | undefined {
  if (isList(column)) return column[i];
  if (isNumericArray(column)) return column[i];
  return undefined;
}

function measureLength(column: TreeValue | undefined): number | undefined {
  if (isList(column) || isNumericArray(column)) return column.length;
  return isTensor(column) ? column.shape[0] : undefined;
}

/** Columns of `rollout_data`: small tensors over samples become arrays for access by element. */
async function sampleColumns(data: TreeMap, samples: number): Promise<TreeMap> {
  const entries = Object.entries(data).map(async ([name, value]): Promise<[string, TreeValue]> => {
    const numbers =
      isTensor(value) && value.shape.length === 1 ? await readNumbers(value, samples) : undefined;
    return [name, numbers === undefined ? value : Float64Array.from(numbers)];
  });
  return Object.fromEntries(await Promise.all(entries));
}

export async function asDump(root: TreeMap): Promise<Dump | undefined> {
  const { samples, rollout_data: data } = root;
  if (isMap(data)) {
    const count = measureLength(data.response_lengths);
    if (count === undefined) return undefined;
    const columns = await sampleColumns(data, count);
    return {
      kind: "train-v1",
      samples: count,
      get: (i, name) => elementAt(columns[name], i),
      has: (name) => columns[name] !== undefined && columns[name] !== null,
      whole: (name) => data[name],
      root,
    };
  }
  if (!isList(samples) || !samples.every(isMap)) return undefined;
  const first = samples[0];
  if (first === undefined) return undefined;
  const has = (name: string): boolean =>
    samples.some((sample) => sample[name] !== undefined && sample[name] !== null);
  const get = (i: number, name: string): TreeValue | undefined => samples[i]?.[name];
  const common = { samples: samples.length, get, has, whole: (name: string) => root[name], root };
  if (has("response_lengths")) return { kind: "train-v2", ...common };
  if (has("response_length") && has("tokens")) return { kind: "rollout", ...common };
  return undefined;
}
