/**
 * Sums by step whose merging rounds: by unit, so that they do not depend on the order of merging.
 *
 * @module
 */
import { emptySums, FIELDS, mergeSums } from "../../core/kernels/index.ts";
import { type UnitKind, Units } from "../../core/summaries/index.ts";

/** Kernel sums by pack (`file#pack`). */
export type PackSums = Map<string, Float64Array>;

export const PACK_UNITS: UnitKind<PackSums> = {
  make: () => new Map(),
  merge(into, from) {
    for (const [pack, sums] of from) mergeSums(openPack(into, pack), sums);
  },
  encode(packs, to) {
    to.whole(packs.size);
    for (const [pack, sums] of packs) {
      to.name(pack);
      to.floats(sums);
    }
  },
  decode(from) {
    const packs: PackSums = new Map();
    for (let left = from.count(8 * FIELDS); left > 0; left--) packs.set(from.name(), from.floats(FIELDS));
    return packs;
  },
};

export function openPack(packs: PackSums, pack: string): Float64Array {
  const known = packs.get(pack);
  if (known !== undefined) return known;
  const sums = emptySums();
  packs.set(pack, sums);
  return sums;
}

export function openUnits<T>(byStep: Map<number, Units<T>>, step: number, kind: UnitKind<T>): Units<T> {
  const known = byStep.get(step);
  if (known !== undefined) return known;
  const units = new Units(kind);
  byStep.set(step, units);
  return units;
}

/** NaN (unknown) last. */
export function sortSteps<T>(byStep: ReadonlyMap<number, T>): [step: number, value: T][] {
  return [...byStep].sort(([a], [b]) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
}
