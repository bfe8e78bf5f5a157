/**
 * A sample of sequences with their sums by turn and position, for tests that compare parts of a run: which step, rank,
 * turn or outcome stands out from the variation between prompts (and between turns of one response).
 *
 * Whole clusters are kept, those with the smallest hashes, so that a sample of shards merged in any order or tree is
 * the sample of the whole ("bottom-k": Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007). A
 * dropped cluster can never return: the hash up to which clusters are kept only falls as more arrive.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";

/** Number of sequences kept; a run of up to this size is kept completely. */
const SAMPLE_SEQUENCES = 32_768;

export const SAMPLE_DECILES = 10;

export interface SampledSequence {
  /** Its handle in reports: `s12.r3.q41`. */
  readonly handle: string;
  /** NaN where unknown. */
  readonly step: number;
  readonly rank: number;
  /** 1 right, 0 wrong, NaN unknown. */
  readonly correct: number;
  readonly environment: string | null;
  readonly engine: string | null;
  readonly finish: string | null;
  /** Step minus version of the weights that sampled it; NaN when unknown or several. */
  readonly staleness: number;
  /** `[turns × 2]`: tokens and Σ|Δ| of each turn. */
  readonly turns: readonly number[];
  /** Σ(ρ − 1) of each turn. */
  readonly excess: readonly number[];
  /** `[10 × 2]`: tokens and Σ|Δ| of each tenth of the response. */
  readonly deciles: readonly number[];
  /** Tokens with |Δp| > ½. */
  readonly jumps: number;
  /** NaN where unknown. */
  readonly reward: number;
  /** Of the response, those with mask 0 too. */
  readonly tokens: number;
}

/** A prompt's sequences at one step. */
export interface SampledCluster {
  /** Its hash. */
  readonly cluster: number;
  readonly sequences: readonly SampledSequence[];
}

export class SequenceSample {
  readonly #limit: number;
  readonly #clusters = new Map<number, SampledSequence[]>();
  #sequences = 0;
  #bound = Number.POSITIVE_INFINITY;
  #added: [sequences: number, prompts: number] = [0, 0];
  /** What {@link list} returned last; undefined after an addition. A report asks half a dozen times. */
  #listed: readonly SampledCluster[] | undefined;

  constructor(limit = SAMPLE_SEQUENCES) {
    this.#limit = limit;
  }

  /** Whether a cluster's sequences may still enter the sample; if not, callers can skip summing them. */
  wants(cluster: number): boolean {
    return cluster <= this.#bound;
  }

  /** Whether no sequence was dropped, so that the sample is the whole run. */
  get isWhole(): boolean {
    return this.#bound === Number.POSITIVE_INFINITY && this.#sequences <= this.#limit;
  }

  /** The kind of cluster: prompts, if every sequence's is known. */
  get unit(): "prompt" | "sequence" {
    return this.#added[0] > 0 && this.#added[0] === this.#added[1] ? "prompt" : "sequence";
  }

  /** @param isPrompt whether the cluster is the sequence's prompt and not the sequence itself */
  add(cluster: number, isPrompt: boolean, sequence: SampledSequence): void {
    this.#added[0]++;
    if (isPrompt) this.#added[1]++;
    this.#keep(cluster, sequence);
  }

  #keep(cluster: number, sequence: SampledSequence): void {
    if (!this.wants(cluster)) return;
    const known = this.#clusters.get(cluster);
    if (known === undefined) this.#clusters.set(cluster, [sequence]);
    else known.push(sequence);
    this.#listed = undefined;
    this.#sequences++;
    // Sorting for every sequence would cost more than temporarily keeping a quarter more.
    if (this.#sequences > 1.25 * this.#limit) this.#trim();
  }

  merge(other: SequenceSample): void {
    this.#added[0] += other.#added[0];
    this.#added[1] += other.#added[1];
    this.#dropAbove(other.#bound);
    for (const [cluster, sequences] of other.#clusters)
      for (const sequence of sequences) this.#keep(cluster, sequence);
  }

  /** Clusters by rising hash, each with its sequences in an order that does not depend on that of the input. */
  list(): readonly SampledCluster[] {
    this.#trim();
    this.#listed ??= [...this.#clusters]
      .sort(([a], [b]) => a - b)
      .map(([cluster, sequences]) => ({ cluster, sequences: sequences.sort(compareSequences) }));
    return this.#listed;
  }

  #trim(): void {
    if (this.#sequences <= this.#limit) return;
    let kept = 0;
    let bound = -1;
    for (const cluster of [...this.#clusters.keys()].sort((a, b) => a - b)) {
      kept += (this.#clusters.get(cluster) as SampledSequence[]).length;
      if (kept > this.#limit) break;
      bound = cluster;
    }
    this.#dropAbove(bound);
  }

  #dropAbove(bound: number): void {
    if (!(bound < this.#bound)) return;
    this.#bound = bound;
    this.#listed = undefined;
    for (const [cluster, sequences] of this.#clusters) {
      if (cluster <= this.#bound) continue;
      this.#clusters.delete(cluster);
      this.#sequences -= sequences.length;
    }
  }

  encode(to: ByteWriter): void {
    const clusters = this.list();
    to.whole(this.#added[0]);
    to.whole(this.#added[1]);
    to.float(this.#bound);
    to.ascending(clusters.map(({ cluster }) => cluster));
    for (const { sequences } of clusters) to.whole(sequences.length);
    const all = clusters.flatMap(({ sequences }) => sequences);
    for (const { handle } of all) to.text(handle);
    for (const { environment } of all) to.name(environment === null ? "" : `=${environment}`);
    for (const field of ["engine", "finish"] as const)
      for (const one of all) to.name(one[field] === null ? "" : `=${one[field]}`);
    for (const field of ["step", "rank", "correct", "staleness"] as const)
      to.floats(all.map((one) => one[field]));
    to.floats(all.map(({ reward }) => reward));
    for (const field of ["jumps", "tokens"] as const) for (const one of all) to.whole(one[field]);
    // These interleave counts and sums: separated, they are short and similar.
    for (const { turns, excess, deciles } of all)
      for (const values of [turns, excess, deciles]) to.whole(values.length);
    for (const { turns, deciles } of all)
      for (const pairs of [turns, deciles]) for (let i = 0; i < pairs.length; i += 2) to.whole(pairs[i]!);
    for (const { turns, deciles, excess } of all) {
      for (const pairs of [turns, deciles])
        for (let i = 0; i < pairs.length; i += 2) if (pairs[i]! > 0) to.float(pairs[i + 1]!);
      to.floats(excess);
    }
  }

  static decode(from: ByteReader, limit = SAMPLE_SEQUENCES): SequenceSample {
    const sample = new SequenceSample(limit);
    sample.mergeFrom(from);
    return sample;
  }

  /** Adds the output of `encode`. */
  mergeFrom(from: ByteReader): void {
    this.#added[0] += from.whole();
    this.#added[1] += from.whole();
    this.#dropAbove(from.float());
    const clusters = from.ascending();
    const sizes = Array.from(clusters, () => from.whole());
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (!(total <= from.rest)) from.fail(`${total} sequences are declared`);
    const each = <T>(read: (i: number) => T): T[] => Array.from({ length: total }, (_, i) => read(i));
    const handles = each(() => from.text());
    const readName = (): string | null => {
      const name = from.name();
      return name === "" ? null : name.slice(1);
    };
    const [environments, engines, finishes] = [each(readName), each(readName), each(readName)];
    const [steps, ranks, correct, staleness] = [
      from.floats(total),
      from.floats(total),
      from.floats(total),
      from.floats(total),
    ];
    const rewards = from.floats(total);
    const [jumps, tokens] = [each(() => from.whole()), each(() => from.whole())];
    // A pair without tokens takes one byte.
    const countPairs = (): number => from.count(0.5);
    const lengths = each(() => [countPairs(), from.count(), countPairs()] as const);
    const counts = each((i) => [readCounts(from, lengths[i]![0]), readCounts(from, lengths[i]![2])] as const);
    let next = 0;
    for (const [at, cluster] of clusters.entries()) {
      for (let left = sizes[at]!; left > 0; left--) {
        const i = next++;
        const [turns, deciles] = counts[i]!;
        for (const pairs of [turns, deciles])
          for (let k = 0; k < pairs.length; k += 2) if (pairs[k]! > 0) pairs[k + 1] = from.float();
        const excess = from.floats(lengths[i]![1]);
        if (!this.wants(cluster)) continue;
        this.#keep(cluster, {
          handle: handles[i]!,
          step: steps[i]!,
          rank: ranks[i]!,
          correct: correct[i]!,
          environment: environments[i]!,
          engine: engines[i]!,
          finish: finishes[i]!,
          staleness: staleness[i]!,
          turns,
          excess: [...excess],
          deciles,
          jumps: jumps[i]!,
          reward: rewards[i]!,
          tokens: tokens[i]!,
        });
      }
    }
  }
}

/** Pairs whose sums are still to be read. */
function readCounts(from: ByteReader, length: number): number[] {
  if (length % 2 === 1) from.fail("counts and sums are not in pairs");
  const values = new Array<number>(length).fill(0);
  for (let i = 0; i < length; i += 2) values[i] = from.whole();
  return values;
}

/** By handle, which is unique in a file; by sums if files share handles. */
function compareSequences(a: SampledSequence, b: SampledSequence): number {
  if (a.handle !== b.handle) return a.handle < b.handle ? -1 : 1;
  const [ours, theirs] = [listSums(a), listSums(b)];
  const at = ours.findIndex((value, i) => value !== theirs[i]);
  return at < 0 ? ours.length - theirs.length : ours[at]! - (theirs[at] ?? Number.NEGATIVE_INFINITY);
}

function listSums({ turns, deciles, excess, jumps, tokens, reward }: SampledSequence): number[] {
  // Unlike NaN, infinity is equal to itself.
  const known = Number.isNaN(reward) ? Number.POSITIVE_INFINITY : reward;
  return [tokens, known, ...turns, ...deciles, ...excess, jumps];
}
