/**
 * Units that change places in tests, and what they add up to.
 *
 * @module
 */

import type { GroupedUnits } from "../../../core/statistics/index.ts";
import { clusteredFactor, type Factor, type TwoParts } from "../../../core/statistics/index.ts";
import type { SampledSequence } from "../../../core/summaries/index.ts";

/** A part must hold this many tokens before it is compared with others. */
export const ENOUGH_TOKENS = 50;

/** Tokens and Σ|Δ|. */
export interface Sums {
  readonly tokens: number;
  readonly deltaAbs: number;
}

export function addTurns({ turns }: SampledSequence): Sums {
  let tokens = 0;
  let deltaAbs = 0;
  for (let at = 0; at < turns.length; at += 2) {
    tokens += turns[at] as number;
    deltaAbs += turns[at + 1] as number;
  }
  return { tokens, deltaAbs };
}

/** One value that changes places with others: a prompt, a response, or a part of a response. */
export interface Unit extends Sums {
  readonly cluster: number;
  /** Units change places within their block only. */
  readonly block: number;
  readonly label: number;
}

export function byCluster(units: readonly Unit[]): Map<number, Unit[]> {
  const clusters = new Map<number, Unit[]>();
  for (const unit of units) {
    const known = clusters.get(unit.cluster);
    if (known === undefined) clusters.set(unit.cluster, [unit]);
    else known.push(unit);
  }
  return clusters;
}

export function wholeClusters(sequences: readonly Unit[]): Unit[] {
  return [...byCluster(sequences)].map(([cluster, members]) => {
    if (members.length === 1) return { ...members[0]!, block: 0 };
    const sum = addUp(members);
    // Where a prompt lies in several parts after all, it counts for the one with most of its tokens.
    const tokens = new Map<number, number>();
    for (const { label, tokens: n } of members) tokens.set(label, (tokens.get(label) ?? 0) + n);
    const [label] = [...tokens].reduce((a, b) => (b[1] > a[1] ? b : a));
    return { ...sum, cluster, block: 0, label };
  });
}

/** Sums of units `[from, to)`. */
export function addUp(units: readonly Sums[], from = 0, to = units.length): Sums {
  let tokens = 0;
  let deltaAbs = 0;
  for (let i = from; i < to; i++) {
    const unit = units[i]!;
    tokens += unit.tokens;
    deltaAbs += unit.deltaAbs;
  }
  return { tokens, deltaAbs };
}

/** e = Σ|Δ| − R·n, R being that of the block: what is left when the tokens that a unit has are accounted for. */
export function groupedUnits(units: readonly Unit[], groupCount: number, within: boolean): GroupedUnits {
  const blocks = [0];
  for (let i = 1; i < units.length; i++)
    if (within && units[i]?.block !== units[i - 1]?.block) blocks.push(i);
  blocks.push(units.length);
  const values = new Float64Array(units.length);
  const groups = new Int32Array(units.length);
  for (let b = 0; b + 1 < blocks.length; b++) {
    const [from, to] = [blocks[b] as number, blocks[b + 1] as number];
    const { tokens, deltaAbs } = addUp(units, from, to);
    for (let i = from; i < to; i++) {
      const unit = units[i] as Unit;
      values[i] = unit.deltaAbs - (deltaAbs / tokens) * unit.tokens;
      groups[i] = unit.label;
    }
  }
  return { values, groups, groupCount, blocks: Int32Array.from(blocks) };
}

/** Its `largest.cluster` is the place in the list of clusters. */
export function factorOfParts(units: readonly Unit[], isFirst: (unit: Unit) => boolean): Factor {
  const { parts, clusters } = twoParts(units, isFirst);
  const factor = clusteredFactor(parts);
  return { ...factor, largest: { ...factor.largest, cluster: clusters[factor.largest.cluster] ?? -1 } };
}

function twoParts(
  units: readonly Unit[],
  isFirst: (unit: Unit) => boolean,
): { readonly parts: TwoParts; readonly clusters: readonly number[] } {
  const places = new Map<number, number>();
  for (const { cluster } of units) if (!places.has(cluster)) places.set(cluster, places.size);
  const column = (): Float64Array => new Float64Array(places.size);
  const parts = { sums: column(), sizes: column(), otherSums: column(), otherSizes: column() };
  for (const unit of units) {
    const at = places.get(unit.cluster) as number;
    const [sums, sizes] = isFirst(unit) ? [parts.sums, parts.sizes] : [parts.otherSums, parts.otherSizes];
    sums[at] = (sums[at] as number) + unit.deltaAbs;
    sizes[at] = (sizes[at] as number) + unit.tokens;
  }
  return { parts, clusters: [...places.keys()] };
}
