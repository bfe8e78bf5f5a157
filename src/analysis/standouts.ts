/**
 * Which part of a run stands out, tested: steps, ranks and environments by permuting prompts, turns and places by
 * permuting them within each response, right and wrong answers within each prompt. Tokens of a response and responses to
 * one prompt resemble each other, so they are no evidence on their own; how much prompts differ is what a part must beat.
 *
 * @module
 */
import { clusteredFactor, type Factor, type TwoParts } from "../statistics/factor.ts";
import { type GroupedUnits, maxStatisticTest } from "../statistics/max-statistic.ts";
import type { SampledCluster, SampledSequence } from "../summaries/sequence-sample.ts";

/** A part of the run that is further off than the rest. */
export interface Standout<K extends string | number> {
  readonly key: K;
  /** Mean |Δ| of its tokens, and of those that it is compared with, nats. */
  readonly mean: number;
  readonly othersMean: number;
  readonly tokens: number;
  /** Against the other parts; clusters are prompts. */
  readonly factor: Factor;
  /** Right for all parts that were looked at together. */
  readonly p: number;
}

export const SIGNIFICANT = 0.05;

/** A part must hold this many tokens before it is compared with others. */
const ENOUGH_TOKENS = 50;

/** Tokens and Σ|Δ|. */
interface Sums {
  readonly tokens: number;
  readonly deltaAbs: number;
}

export function totalOf({ turns }: SampledSequence): Sums {
  let [tokens, deltaAbs] = [0, 0];
  for (let at = 0; at < turns.length; at += 2) {
    tokens += turns[at] as number;
    deltaAbs += turns[at + 1] as number;
  }
  return { tokens, deltaAbs };
}

/** One value that changes places with others: a prompt, a response, or a part of a response. */
interface Unit extends Sums {
  readonly cluster: number;
  /** Units change places within their block only. */
  readonly block: number;
  readonly label: number;
}

/**
 * Of parts that prompts or responses belong to as wholes, the one that stands out most; undefined where none does.
 *
 * Where most prompts lie in one part each (steps, environments), prompts are permuted; where responses to one prompt lie
 * in several (ranks), these responses are, within their prompt.
 *
 * @param keyOf undefined or NaN: not known, left out
 */
export function standoutOf<K extends string | number>(
  clusters: readonly SampledCluster[],
  keyOf: (sequence: SampledSequence) => K | undefined,
): Standout<K> | undefined {
  const keys = new Map<K, number>();
  const crossing = new Set<number>();
  let several = 0;
  const sequences: Unit[] = [];
  for (const [cluster, { sequences: members }] of clusters.entries()) {
    let first: K | undefined;
    let count = 0;
    for (const sequence of members) {
      const key = keyOf(sequence);
      const { tokens, deltaAbs } = totalOf(sequence);
      if (key === undefined || Number.isNaN(key) || tokens === 0) continue;
      const label = keys.get(key) ?? keys.size;
      keys.set(key, label);
      first ??= key;
      if (key !== first) crossing.add(cluster);
      count++;
      sequences.push({ tokens, deltaAbs, cluster, block: cluster, label });
    }
    if (count > 1) several++;
  }
  const within = crossing.size * 2 > several;
  const units = within ? sequences.filter(({ cluster }) => crossing.has(cluster)) : wholeClusters(sequences);
  return strongest([...keys.keys()], units, within);
}

/** Of turns or tenths of a response, the one that stands out from the rest of the responses that have it. */
export function standoutPart(
  clusters: readonly SampledCluster[],
  part: "turns" | "deciles",
): Standout<number> | undefined {
  const units: Unit[] = [];
  let parts = 0;
  let block = 0;
  for (const [cluster, { sequences }] of clusters.entries()) {
    for (const sequence of sequences) {
      const sums = sequence[part];
      for (let at = 0; at < sums.length; at += 2) {
        if (sums[at] === 0) continue;
        const [tokens, deltaAbs] = [sums[at] as number, sums[at + 1] as number];
        units.push({ tokens, deltaAbs, cluster, block, label: at / 2 });
        parts = Math.max(parts, at / 2 + 1);
      }
      block++;
    }
  }
  return strongest(
    Array.from({ length: parts }, (_, index) => index),
    units,
    true,
  );
}

function byCluster(units: readonly Unit[]): Map<number, Unit[]> {
  const clusters = new Map<number, Unit[]>();
  for (const unit of units) {
    const known = clusters.get(unit.cluster);
    if (known === undefined) clusters.set(unit.cluster, [unit]);
    else known.push(unit);
  }
  return clusters;
}

function wholeClusters(sequences: readonly Unit[]): Unit[] {
  return [...byCluster(sequences)].map(([cluster, members]) => {
    const sum = addUp(members);
    // Where a prompt lies in several parts after all, it counts for the one with most of its tokens.
    const tokens = new Map<number, number>();
    for (const { label, tokens: n } of members) tokens.set(label, (tokens.get(label) ?? 0) + n);
    const [label] = [...tokens].reduce((a, b) => (b[1] > a[1] ? b : a));
    return { ...sum, cluster, block: 0, label };
  });
}

function addUp(units: readonly Sums[]): Sums {
  let [tokens, deltaAbs] = [0, 0];
  for (const unit of units) {
    tokens += unit.tokens;
    deltaAbs += unit.deltaAbs;
  }
  return { tokens, deltaAbs };
}

function strongest<K extends string | number>(
  keys: readonly K[],
  units: readonly Unit[],
  within: boolean,
): Standout<K> | undefined {
  if (keys.length < 2 || units.length === 0) return undefined;
  const { p } = maxStatisticTest(groupedUnits(units, keys.length, within));
  let found: Standout<K> | undefined;
  for (const [label, key] of keys.entries()) {
    if (!((p[label] as number) <= SIGNIFICANT)) continue;
    const standout = describe(key, label, units, within, p[label] as number);
    if (standout.tokens < ENOUGH_TOKENS || !(standout.factor.factor > 1)) continue;
    if (found === undefined || standout.factor.factor > found.factor.factor) found = standout;
  }
  return found;
}

/** e = Σ|Δ| − R·n, R being that of the block: what is left when the tokens that a unit has are accounted for. */
function groupedUnits(units: readonly Unit[], groupCount: number, within: boolean): GroupedUnits {
  const blocks = [0];
  for (let i = 1; i < units.length; i++)
    if (within && units[i]?.block !== units[i - 1]?.block) blocks.push(i);
  blocks.push(units.length);
  const values = new Float64Array(units.length);
  for (let b = 0; b + 1 < blocks.length; b++) {
    const [from, to] = [blocks[b] as number, blocks[b + 1] as number];
    const { tokens, deltaAbs } = addUp(units.slice(from, to));
    for (let i = from; i < to; i++) {
      const unit = units[i] as Unit;
      values[i] = unit.deltaAbs - (deltaAbs / tokens) * unit.tokens;
    }
  }
  return {
    values,
    groups: Int32Array.from(units, ({ label }) => label),
    groupCount,
    blocks: Int32Array.from(blocks),
  };
}

function describe<K extends string | number>(
  key: K,
  label: number,
  units: readonly Unit[],
  within: boolean,
  p: number,
): Standout<K> {
  const blocks = new Set(units.flatMap((unit) => (unit.label === label ? [unit.block] : [])));
  const compared = within ? units.filter(({ block }) => blocks.has(block)) : units;
  const mine = addUp(compared.filter((unit) => unit.label === label));
  const others = addUp(compared.filter((unit) => unit.label !== label));
  return {
    key,
    mean: mine.deltaAbs / mine.tokens,
    othersMean: others.deltaAbs / others.tokens,
    tokens: mine.tokens,
    factor: clusteredFactor(twoParts(compared, (unit) => unit.label === label)),
    p,
  };
}

function twoParts(units: readonly Unit[], isFirst: (unit: Unit) => boolean): TwoParts {
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
  return parts;
}

export interface OutcomeContrast {
  readonly correctMean: number;
  readonly incorrectMean: number;
  /** Incorrect against correct. */
  readonly factor: Factor;
  /** Geometric mean of a prompt's incorrect against its correct responses, over prompts that have both. */
  readonly withinPrompt: { readonly factor: number; readonly prompts: number } | undefined;
  /** The step without which the factor changes most, and the factor then. */
  readonly withoutStep: { readonly step: number; readonly factor: number } | undefined;
  readonly p: number;
}

/** Prompts with right and wrong answers from which the test is made within them. */
const ENOUGH_MIXED = 5;

/** Right answers against wrong ones; undefined where one of them is missing. */
export function outcomeContrast(clusters: readonly SampledCluster[]): OutcomeContrast | undefined {
  const units = outcomeUnits(clusters);
  const [wrong, right] = [0, 1].map((label) => addUp(units.filter((unit) => unit.label === label))) as [
    Sums,
    Sums,
  ];
  if (Math.min(wrong.tokens, right.tokens) < ENOUGH_TOKENS) return undefined;
  const mixed = new Set(
    clusters.flatMap(({ sequences }, cluster) =>
      new Set(sequences.flatMap(({ correct }) => (Number.isNaN(correct) ? [] : [correct > 0]))).size > 1
        ? [cluster]
        : [],
    ),
  );
  const within = mixed.size >= ENOUGH_MIXED;
  const permuted = within ? units.filter(({ cluster }) => mixed.has(cluster)) : wholeClusters(units);
  const { p } = maxStatisticTest(groupedUnits(permuted, 2, within));
  return {
    correctMean: right.deltaAbs / right.tokens,
    incorrectMean: wrong.deltaAbs / wrong.tokens,
    factor: clusteredFactor(twoParts(units, ({ label }) => label === 0)),
    withinPrompt: withinPrompts(units, mixed),
    withoutStep: withoutStep(clusters),
    // The sums of the two outcomes mirror each other, so the larger z is the two-sided test.
    p: Math.min(...p),
  };
}

function outcomeUnits(clusters: readonly SampledCluster[]): Unit[] {
  return clusters.flatMap(({ sequences }, cluster) =>
    sequences.flatMap((sequence) => {
      const sums = totalOf(sequence);
      if (Number.isNaN(sequence.correct) || sums.tokens === 0) return [];
      return [{ ...sums, cluster, block: cluster, label: sequence.correct > 0 ? 1 : 0 }];
    }),
  );
}

function factorOf(units: readonly Unit[]): number {
  const [wrong, right] = [0, 1].map((label) => addUp(units.filter((unit) => unit.label === label))) as [
    Sums,
    Sums,
  ];
  return wrong.deltaAbs / wrong.tokens / (right.deltaAbs / right.tokens);
}

function withinPrompts(units: readonly Unit[], mixed: ReadonlySet<number>): OutcomeContrast["withinPrompt"] {
  const logs = [...byCluster(units).entries()].flatMap(([cluster, members]) => {
    const log = mixed.has(cluster) ? Math.log(factorOf(members)) : Number.NaN;
    return Number.isFinite(log) ? [log] : [];
  });
  if (logs.length < ENOUGH_MIXED) return undefined;
  return { factor: Math.exp(logs.reduce((a, b) => a + b) / logs.length), prompts: logs.length };
}

function withoutStep(clusters: readonly SampledCluster[]): OutcomeContrast["withoutStep"] {
  const steps = new Set(clusters.flatMap(({ sequences }) => sequences.map(({ step }) => step)));
  steps.delete(Number.NaN);
  if (steps.size < 3) return undefined;
  const all = Math.log(factorOf(outcomeUnits(clusters)));
  let most: { step: number; factor: number } | undefined;
  for (const step of steps) {
    const rest = clusters.filter(({ sequences }) => sequences[0]?.step !== step);
    const factor = factorOf(outcomeUnits(rest));
    const moved = Math.abs(Math.log(factor) - all);
    if (Number.isFinite(moved) && (most === undefined || moved > Math.abs(Math.log(most.factor) - all)))
      most = { step, factor };
  }
  return most;
}
