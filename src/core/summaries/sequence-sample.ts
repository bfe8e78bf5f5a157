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
import { NUMBER } from "../base/codec.ts";
import { contents, counts, layoutOf, part } from "./layout/layout.ts";
import { Sums } from "./layout/sums.ts";
import { CLUSTERS, type SampledCluster, type SampledSequence } from "./sampled-clusters.ts";

/** Number of sequences kept; a run of up to this size is kept completely. */
const SAMPLE_SEQUENCES = 32_768;

export const SAMPLE_DECILES = 10;

export class SequenceSample extends Sums {
  static readonly layout = layoutOf<SequenceSample>({
    added: part(counts(["sequences", "prompts"]), (sample) => sample.#added),
    bound: contents(
      NUMBER,
      (sample) => {
        sample.#trim();
        return sample.#bound;
      },
      (sample, bound) => sample.#dropAbove(bound),
    ),
    clusters: contents(
      CLUSTERS,
      (sample) => sample.list(),
      (sample, clusters) => {
        for (const { cluster, sequences } of clusters)
          for (const sequence of sequences) sample.#keep(cluster, sequence);
      },
      (sample) => [...sample.#clusters].map(([cluster, sequences]) => ({ cluster, sequences })),
    ),
  });
  readonly #limit: number;
  readonly #clusters = new Map<number, SampledSequence[]>();
  #sequences = 0;
  #bound = Number.POSITIVE_INFINITY;
  readonly #added = { sequences: 0, prompts: 0 };
  /** What {@link list} returned last; undefined after an addition. A report asks half a dozen times. */
  #listed: readonly SampledCluster[] | undefined;

  constructor(limit = SAMPLE_SEQUENCES) {
    super();
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
    const { sequences, prompts } = this.#added;
    return sequences > 0 && sequences === prompts ? "prompt" : "sequence";
  }

  /** @param isPrompt whether the cluster is the sequence's prompt and not the sequence itself */
  add(cluster: number, isPrompt: boolean, sequence: SampledSequence): void {
    this.#added.sequences++;
    if (isPrompt) this.#added.prompts++;
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
