/**
 * Weight versions: the engine reports one with each reply (`Sample.update_from_meta_info`, `miles/utils/types.py`
 * commit 31f1ca96, `slime/utils/types.py` commit 624b824a), so a sample has one per generation call.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { isList } from "../../../input/adapters/shared/tree-values.ts";
import type { TreeValue } from "../../../input/io/index.ts";

function readVersion(value: TreeValue): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : -1;
}

/**
 * The version that sampled each token, -1 when unknown. Several versions in a sample belong to its turns if there are
 * as many turns; a response that was resumed within a turn does not say where the version changed.
 */
export function spreadVersions(value: TreeValue | undefined, mask: NumericArray): Int32Array | undefined {
  if (!isList(value) || value.length === 0) return undefined;
  const versions = value.map(readVersion);
  const isOne = versions.every((version) => version === versions[0]);
  const starts = Array.from(mask, (bit, i) => bit !== 0 && (i === 0 || mask[i - 1] === 0));
  const turns = starts.filter(Boolean).length;
  if (!isOne && turns !== versions.length) return undefined;
  const spread = new Int32Array(mask.length).fill(-1);
  let turn = -1;
  for (let i = 0; i < spread.length; i++) {
    if (starts[i]) turn++;
    if (mask[i] !== 0) spread[i] = isOne ? versions[0]! : versions[turn]!;
  }
  return spread.some((version) => version >= 0) ? spread : undefined;
}
