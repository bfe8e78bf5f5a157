/**
 * Tests which part of a run stands out: steps, ranks and environments by permuting prompts, turns and places by
 * permuting them within each response, right and wrong answers within each prompt. Tokens of a response and responses
 * to one prompt resemble each other, so they are not independent evidence; a part must differ by more than prompts do.
 *
 * @module
 */
import type { Factor } from "../../../core/statistics/factor.ts";
import { maxStatisticTest } from "../../../core/statistics/max-statistic.ts";
import type { GroupedUnits } from "../../../core/statistics/permutations.ts";
import type { SampledCluster, SampledSequence } from "../../../core/summaries/index.ts";
import { addTurns, ENOUGH_TOKENS, factorOfParts, groupedUnits, Units, wholeClusters } from "./units.ts";

/** A part of the run that is further off than the rest. */
export interface Standout<K extends string | number> {
  readonly key: K;
  /** Mean |Δ| of its tokens, and of those it is compared with, nats. */
  readonly mean: number;
  readonly othersMean: number;
  readonly tokens: number;
  /** Factor against the other parts; clusters are prompts. */
  readonly factor: Factor;
  /** Adjusted for all parts tested together. */
  readonly p: number;
}

export const SIGNIFICANT = 0.05;

/**
 * The parts that stand out, by descending factor; for parts that contain whole prompts or responses.
 *
 * If most prompts are in one part each (steps, environments), prompts are permuted; if responses to one prompt are in
 * several parts (ranks), these responses are permuted within their prompt.
 *
 * @param keyOf undefined or NaN if not known; such responses are left out
 */
export function findStandouts<K extends string | number>(
  clusters: readonly SampledCluster[],
  keyOf: (sequence: SampledSequence) => K | undefined,
): Standout<K>[] {
  // Most kinds of parts have at most one value in a run: checked before any work on the sequences.
  if (!hasTwoKeys(clusters, keyOf)) return [];
  const keys = new Map<K, number>();
  const crossing = new Set<number>();
  let several = 0;
  const sequences = new Units();
  for (const [cluster, { sequences: members }] of clusters.entries()) {
    let first: K | undefined;
    let count = 0;
    for (const sequence of members) {
      const key = keyOf(sequence);
      const { tokens, deltaAbs } = addTurns(sequence);
      if (key === undefined || Number.isNaN(key) || tokens === 0) continue;
      const label = keys.get(key) ?? keys.size;
      keys.set(key, label);
      first ??= key;
      if (key !== first) crossing.add(cluster);
      count++;
      sequences.add(tokens, deltaAbs, cluster, cluster, label);
    }
    if (count > 1) several++;
  }
  const within = crossing.size * 2 > several;
  const units = within
    ? sequences.filter((i) => crossing.has(sequences.cluster[i]!))
    : wholeClusters(sequences);
  const candidates = { keys: [...keys.keys()], units, within };
  return significant(candidates, maxStatisticTest(unitsToTest(candidates)).p);
}

function hasTwoKeys<K extends string | number>(
  clusters: readonly SampledCluster[],
  keyOf: (sequence: SampledSequence) => K | undefined,
): boolean {
  let first: K | undefined;
  for (const { sequences } of clusters) {
    for (const sequence of sequences) {
      const key = keyOf(sequence);
      if (key === undefined || Number.isNaN(key)) continue;
      first ??= key;
      if (key !== first) return true;
    }
  }
  return false;
}

/** The two kinds of places within a response. */
export type Place = "turns" | "deciles";

/** Parts that may stand out, before they are tested. */
export interface Candidates<K extends string | number> {
  /** By label. */
  readonly keys: readonly K[];
  readonly units: Units;
  /** Whether units are permuted only within their block. */
  readonly within: boolean;
}

/** Turns or tenths of a response, compared with the rest of the responses that contain them. */
export function gatherPlaces(clusters: readonly SampledCluster[], place: Place): Candidates<number> {
  const units = new Units();
  let parts = 0;
  let block = 0;
  for (const [cluster, { sequences }] of clusters.entries()) {
    for (const sequence of sequences) {
      const sums = sequence[place];
      for (let at = 0; at < sums.length; at += 2) {
        if (sums[at] === 0) continue;
        units.add(sums[at]!, sums[at + 1]!, cluster, block, at / 2);
        parts = Math.max(parts, at / 2 + 1);
      }
      block++;
    }
  }
  return { keys: Array.from({ length: parts }, (_, index) => index), units, within: true };
}

/** What is permuted to test the candidates; nothing if there are fewer than two. */
export function unitsToTest({ keys, units, within }: Candidates<string | number>): GroupedUnits {
  return keys.length < 2 ? groupedUnits(new Units(), 0, within) : groupedUnits(units, keys.length, within);
}

/** Candidates that stand out, by descending factor. @param p of each, all tested together */
export function significant<K extends string | number>(
  { keys, units, within }: Candidates<K>,
  p: Float64Array,
): Standout<K>[] {
  return keys
    .flatMap((key, label) => {
      const own = p[label] ?? 1;
      return own <= SIGNIFICANT ? [describe(key, label, units, within, own)] : [];
    })
    .filter(({ tokens, factor }) => tokens >= ENOUGH_TOKENS && factor.factor > 1)
    .sort((a, b) => b.factor.factor - a.factor.factor);
}

function describe<K extends string | number>(
  key: K,
  label: number,
  units: Units,
  within: boolean,
  p: number,
): Standout<K> {
  const compared = within ? blocksWith(units, label) : units;
  const mine = compared.sumOf(label);
  const others = compared.filter((i) => compared.label[i] !== label).sum();
  return {
    key,
    mean: mine.deltaAbs / mine.tokens,
    othersMean: others.deltaAbs / others.tokens,
    tokens: mine.tokens,
    factor: factorOfParts(compared, label),
    p,
  };
}

/** Units in the blocks that contain one with this label. */
function blocksWith(units: Units, label: number): Units {
  const blocks = new Set<number>();
  for (let i = 0; i < units.length; i++) if (units.label[i] === label) blocks.add(units.block[i]!);
  return units.filter((i) => blocks.has(units.block[i]!));
}
