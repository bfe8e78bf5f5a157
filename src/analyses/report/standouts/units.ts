/**
 * Units that tests permute, and their sums.
 *
 * @module
 */

import { clusteredFactor, type Factor, type TwoParts } from "../../../core/statistics/factor.ts";
import type { GroupedUnits } from "../../../core/statistics/permutations.ts";
import type { SampledSequence } from "../../../core/summaries/index.ts";

/** Minimum tokens in a part before it is compared with others. */
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
    tokens += turns[at]!;
    deltaAbs += turns[at + 1]!;
  }
  return { tokens, deltaAbs };
}

const FIRST_ROOM = 256;

/**
 * Values that tests permute: prompts, responses, or parts of responses. Stored as columns, because a large run has half
 * a million parts of responses; what a column contains from `length` on has no meaning.
 */
export class Units {
  length = 0;
  tokens = new Float64Array(FIRST_ROOM);
  /** Σ|Δ|, nats. */
  deltaAbs = new Float64Array(FIRST_ROOM);
  /** Ascending. */
  cluster = new Int32Array(FIRST_ROOM);
  /** Units are permuted only within their block. */
  block = new Int32Array(FIRST_ROOM);
  label = new Int32Array(FIRST_ROOM);

  add(tokens: number, deltaAbs: number, cluster: number, block: number, label: number): void {
    const at = this.length++;
    if (at === this.tokens.length) this.#grow();
    this.tokens[at] = tokens;
    this.deltaAbs[at] = deltaAbs;
    this.cluster[at] = cluster;
    this.block[at] = block;
    this.label[at] = label;
  }

  #grow(): void {
    const room = 2 * this.tokens.length;
    this.tokens = copyOnto(new Float64Array(room), this.tokens);
    this.deltaAbs = copyOnto(new Float64Array(room), this.deltaAbs);
    this.cluster = copyOnto(new Int32Array(room), this.cluster);
    this.block = copyOnto(new Int32Array(room), this.block);
    this.label = copyOnto(new Int32Array(room), this.label);
  }

  /** The units whose index satisfies `isIn`. */
  filter(isIn: (unit: number) => boolean): Units {
    const kept = new Units();
    for (let i = 0; i < this.length; i++) {
      if (isIn(i))
        kept.add(this.tokens[i]!, this.deltaAbs[i]!, this.cluster[i]!, this.block[i]!, this.label[i]!);
    }
    return kept;
  }

  /** The sums of units `[from, to)`. */
  sum(from = 0, to = this.length): Sums {
    const { tokens, deltaAbs } = this;
    const sums = { tokens: 0, deltaAbs: 0 };
    for (let i = from; i < to; i++) {
      sums.tokens += tokens[i]!;
      sums.deltaAbs += deltaAbs[i]!;
    }
    return sums;
  }

  /** The sums over those of the units `[from, to)` with a label. */
  sumOf(label: number, from = 0, to = this.length): Sums {
    const { tokens, deltaAbs, label: labels } = this;
    const sums = { tokens: 0, deltaAbs: 0 };
    for (let i = from; i < to; i++) {
      if (labels[i] !== label) continue;
      sums.tokens += tokens[i]!;
      sums.deltaAbs += deltaAbs[i]!;
    }
    return sums;
  }

  /** The units of each cluster, `[from, to)`: they are adjacent. */
  *clusters(): Generator<readonly [from: number, to: number]> {
    for (let from = 0; from < this.length; ) {
      let to = from + 1;
      while (to < this.length && this.cluster[to] === this.cluster[from]) to++;
      yield [from, to];
      from = to;
    }
  }
}

function copyOnto<A extends Float64Array | Int32Array>(onto: A, from: A): A {
  onto.set(from);
  return onto;
}

export function addUp(all: readonly Sums[]): Sums {
  let tokens = 0;
  let deltaAbs = 0;
  for (const sums of all) {
    tokens += sums.tokens;
    deltaAbs += sums.deltaAbs;
  }
  return { tokens, deltaAbs };
}

/** One unit per cluster, all in one block. */
export function wholeClusters(units: Units): Units {
  const whole = new Units();
  for (const [from, to] of units.clusters()) {
    const { tokens, deltaAbs } = units.sum(from, to);
    whole.add(tokens, deltaAbs, units.cluster[from]!, 0, mainLabel(units, from, to));
  }
  return whole;
}

/** A prompt that is in several parts after all counts for the one with most of its tokens. */
function mainLabel({ tokens, label }: Units, from: number, to: number): number {
  if (to === from + 1) return label[from]!;
  const byLabel = new Map<number, number>();
  for (let i = from; i < to; i++) byLabel.set(label[i]!, (byLabel.get(label[i]!) ?? 0) + tokens[i]!);
  const [main] = [...byLabel].reduce((a, b) => (b[1] > a[1] ? b : a));
  return main;
}

/** e = Σ|Δ| − R·n, with R of the block: what remains once the unit's number of tokens is accounted for. */
export function groupedUnits(units: Units, groupCount: number, within: boolean): GroupedUnits {
  const { length, tokens, deltaAbs, block } = units;
  const blocks = [0];
  for (let i = 1; i < length; i++) if (within && block[i] !== block[i - 1]) blocks.push(i);
  blocks.push(length);
  const values = new Float64Array(length);
  for (let b = 0; b + 1 < blocks.length; b++) {
    const [from, to] = [blocks[b]!, blocks[b + 1]!];
    const sums = units.sum(from, to);
    const mean = sums.deltaAbs / sums.tokens;
    for (let i = from; i < to; i++) values[i] = deltaAbs[i]! - mean * tokens[i]!;
  }
  return { values, groups: units.label.slice(0, length), groupCount, blocks: Int32Array.from(blocks) };
}

/** The units labeled `first` against the others. `largest.cluster` is an index into the list of clusters. */
export function factorOfParts(units: Units, first: number): Factor {
  const { parts, clusters } = twoParts(units, first);
  const factor = clusteredFactor(parts);
  return { ...factor, largest: { ...factor.largest, cluster: clusters[factor.largest.cluster] ?? -1 } };
}

function twoParts(
  units: Units,
  first: number,
): { readonly parts: TwoParts; readonly clusters: readonly number[] } {
  const all = [...units.clusters()];
  const column = (): Float64Array => new Float64Array(all.length);
  const parts = { sums: column(), sizes: column(), otherSums: column(), otherSizes: column() };
  for (const [at, [from, to]] of all.entries()) {
    for (let i = from; i < to; i++) {
      const isFirst = units.label[i] === first;
      const [sums, sizes] = isFirst ? [parts.sums, parts.sizes] : [parts.otherSums, parts.otherSizes];
      sums[at] = sums[at]! + units.deltaAbs[i]!;
      sizes[at] = sizes[at]! + units.tokens[i]!;
    }
  }
  return { parts, clusters: all.map(([from]) => units.cluster[from]!) };
}
