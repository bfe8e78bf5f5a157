/**
 * Sequences with their sums by turn and place, kept for tests that compare parts of a run: which step, rank, turn or
 * outcome stands out, judged by how much prompts (and turns of one response) differ among themselves.
 *
 * Whole clusters are kept, those with the smallest hashes, so that a sample of shards merged in any order or tree is
 * the sample of the whole ("bottom-k": Cohen and Kaplan, "Summarizing data using bottom-k sketches", PODC 2007). A
 * cluster that was let go can never come back: the hash up to which clusters are kept only falls as more arrive.
 *
 * @module
 */

/** Sequences kept; a run of up to as many is kept whole. */
export const SAMPLE_SEQUENCES = 32_768;

export const SAMPLE_DECILES = 10;

export interface SampledSequence {
  /** What it is called in reports: `s12.r3.q41`. */
  readonly handle: string;
  /** NaN where unknown. */
  readonly step: number;
  readonly rank: number;
  /** 1 right, 0 wrong, NaN unknown. */
  readonly correct: number;
  readonly environment: string | null;
  /** `[turns × 2]`: tokens and Σ|Δ| of each turn. */
  readonly turns: readonly number[];
  /** Σ(ρ − 1) of each turn. */
  readonly excess: readonly number[];
  /** `[10 × 2]`: tokens and Σ|Δ| of each tenth of the response. */
  readonly deciles: readonly number[];
  /** Tokens with |Δp| > ½. */
  readonly jumps: number;
}

export interface SequenceSampleJson {
  readonly version: 2;
  /** Of the sequences added, how many there were and how many came under their prompt. */
  readonly added: readonly [sequences: number, prompts: number];
  /** Clusters with larger hashes are not kept; null while all are. */
  readonly bound: number | null;
  readonly clusters: readonly (readonly [cluster: number, sequences: readonly SampledSequenceJson[]])[];
}

type SampledSequenceJson = readonly [
  handle: string,
  step: number | null,
  rank: number | null,
  correct: number | null,
  environment: string | null,
  turns: readonly number[],
  excess: readonly (number | string)[],
  deciles: readonly number[],
  jumps: number,
];

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

  constructor(limit = SAMPLE_SEQUENCES) {
    this.#limit = limit;
  }

  /** Whether a cluster's sequences may still be part of the sample: what need not be summed need not be given. */
  wants(cluster: number): boolean {
    return cluster <= this.#bound;
  }

  /** Whether no sequence was let go, so that the sample is the run. */
  get isWhole(): boolean {
    return this.#bound === Number.POSITIVE_INFINITY && this.#sequences <= this.#limit;
  }

  /** What a cluster is: a prompt, where that of every sequence is known. */
  get unit(): "prompt" | "sequence" {
    return this.#added[0] > 0 && this.#added[0] === this.#added[1] ? "prompt" : "sequence";
  }

  /** @param isPrompt whether the cluster is the sequence's prompt, rather than the sequence itself */
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
    this.#sequences++;
    // Sorting for every sequence would cost more than keeping twice as many for a while.
    if (this.#sequences > 2 * this.#limit) this.#trim();
  }

  merge(other: SequenceSample): void {
    this.#added[0] += other.#added[0];
    this.#added[1] += other.#added[1];
    this.#bound = Math.min(this.#bound, other.#bound);
    for (const [cluster, sequences] of other.#clusters)
      for (const sequence of sequences) this.#keep(cluster, sequence);
    this.#dropAbove(this.#bound);
  }

  /** Clusters by rising hash, each with its sequences in an order that does not depend on that of the input. */
  list(): SampledCluster[] {
    this.#trim();
    return [...this.#clusters]
      .sort(([a], [b]) => a - b)
      .map(([cluster, sequences]) => ({ cluster, sequences: sequences.sort(compareSequences) }));
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
    this.#bound = Math.min(this.#bound, bound);
    for (const [cluster, sequences] of this.#clusters) {
      if (cluster <= this.#bound) continue;
      this.#clusters.delete(cluster);
      this.#sequences -= sequences.length;
    }
  }

  toJSON(): SequenceSampleJson {
    const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return {
      version: 2,
      added: this.#added,
      clusters: this.list().map(({ cluster, sequences }) => [
        cluster,
        sequences.map(({ handle, step, rank, correct, environment, turns, excess, deciles, jumps }) => [
          handle,
          orNull(step),
          orNull(rank),
          orNull(correct),
          environment,
          turns,
          // ρ may be infinite.
          excess.map((value) => (Number.isFinite(value) ? value : String(value))),
          deciles,
          jumps,
        ]),
      ]),
      bound: Number.isFinite(this.#bound) ? this.#bound : null,
    };
  }

  static fromJSON(json: SequenceSampleJson, limit = SAMPLE_SEQUENCES): SequenceSample {
    const sample = new SequenceSample(limit);
    sample.#bound = json.bound ?? Number.POSITIVE_INFINITY;
    sample.#added = [...json.added];
    for (const [cluster, sequences] of json.clusters) {
      for (const [handle, step, rank, correct, environment, turns, excess, deciles, jumps] of sequences) {
        sample.#keep(cluster, {
          handle,
          step: step ?? Number.NaN,
          rank: rank ?? Number.NaN,
          correct: correct ?? Number.NaN,
          environment,
          turns,
          excess: excess.map(Number),
          deciles,
          jumps,
        });
      }
    }
    return sample;
  }
}

/** By handle, which no two sequences of a file share; by their sums where files have the same handles. */
function compareSequences(a: SampledSequence, b: SampledSequence): number {
  if (a.handle !== b.handle) return a.handle < b.handle ? -1 : 1;
  const [ours, theirs] = [listSums(a), listSums(b)];
  const at = ours.findIndex((value, i) => value !== theirs[i]);
  return at < 0
    ? ours.length - theirs.length
    : (ours[at] as number) - (theirs[at] ?? Number.NEGATIVE_INFINITY);
}

function listSums({ turns, deciles }: SampledSequence): number[] {
  return [...turns, ...deciles];
}
