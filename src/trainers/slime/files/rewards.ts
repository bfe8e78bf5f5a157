/**
 * `raw_reward`: one per sample of the whole rollout batch, in rollout order, in every rank's file (`_package_shards`,
 * `miles/ray/rollout/train_data_conversion.py` commit 31f1ca96; `slime/observability/train_data_utils.py` commit
 * 624b824a). `rewards` are computed from them for the loss, mostly normalized by group.
 *
 * @module
 */
import { readNumbers, readScalar } from "../../../input/adapters/shared/tree-values.ts";
import type { Dump } from "./dump.ts";
import { readIndices, type SharedFacts } from "./parts.ts";
import type { RolloutSample } from "./rollout-dump.ts";

/** How this file's rows were found in `raw_reward`. */
export type RewardRows =
  | "row"
  | "rollout_position"
  | "partition"
  | "rollout dump"
  | "order of sample indices"
  | "unknown";

export interface RawRewards {
  readonly rows: RewardRows;
  /** How many samples `raw_reward` covers. */
  readonly covered: number;
  /** The reward of sample `i` of the file; undefined when unknown. */
  readonly get: (i: number) => number | undefined;
  /** Whether all rewards of the batch are 0 or 1, or −1 or 1: trainers count 1 as correct. */
  readonly isBinary: boolean;
}

/** The values, if they are numbers: a reward may also be an object with several values. */
async function readBatch(dump: Dump): Promise<ArrayLike<number> | undefined> {
  const value = dump.whole("raw_reward");
  if (value === undefined || value === null) return undefined;
  const length = (value as { readonly length?: number; readonly shape?: readonly number[] }).length;
  const rows = length ?? (value as { readonly shape?: readonly number[] }).shape?.[0];
  return rows === undefined ? undefined : readNumbers(value, rows);
}

function checkBinary(values: ArrayLike<number>): boolean {
  const seen = new Set(Array.from(values));
  return (
    seen.has(1) && [...seen].every((value) => value === 1 || value === 0 || value === -1) && seen.size <= 2
  );
}

async function readColumn(dump: Dump, name: string): Promise<(number | undefined)[]> {
  return Promise.all(Array.from({ length: dump.samples }, (_, i) => readScalar(dump.get(i, name))));
}

/** @param samples samples of the step's rollout dump, by sample index */
export async function readRawRewards(
  dump: Dump,
  samples: ReadonlyMap<number, RolloutSample> | undefined,
  shared: SharedFacts | undefined,
): Promise<RawRewards | undefined> {
  const values = await readBatch(dump);
  if (values === undefined) return undefined;
  const covered = values.length;
  const isBinary = checkBinary(values);
  const place = (rows: RewardRows, positions: readonly (number | undefined)[]): RawRewards => ({
    rows,
    covered,
    isBinary,
    get(i) {
      const position = positions[i];
      const value = position === undefined ? undefined : values[position];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    },
  });
  const isPlaced = (positions: readonly (number | undefined)[]): boolean =>
    positions.every((position) => position !== undefined && position >= 0 && position < covered);
  for (const name of ["rollout_position", "partition"] as const) {
    const positions = await readColumn(dump, name);
    if (isPlaced(positions)) return place(name, positions);
  }
  const indices = await readIndices(dump);
  if (samples !== undefined && samples.size === covered) {
    const positions = indices.map((index) => samples.get(index)?.position);
    if (isPlaced(positions)) return place("rollout dump", positions);
  }
  if (covered === dump.samples) return place("row", [...indices.keys()]);
  // A rollout batch is sorted by the index of its samples (`sglang_rollout.py`).
  if (shared?.batch.length === covered) {
    const positions = indices.map((index) => shared.batch.indexOf(index));
    if (isPlaced(positions)) return place("order of sample indices", positions);
  }
  return place("unknown", []);
}
