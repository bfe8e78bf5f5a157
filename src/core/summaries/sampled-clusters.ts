/**
 * Sampled sequences as bytes: column by column, so that similar values are together.
 *
 * @module
 */
import type { ByteReader } from "../base/byte-reader.ts";
import { type Codec, NAME, NUMBER, TEXT, WHOLE, writtenAs } from "../base/codec.ts";

export interface SampledSequence {
  /** Its handle in reports: `s12.r3.q41`. */
  readonly handle: string;
  /** NaN when unknown. */
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
  /** NaN when unknown. */
  readonly reward: number;
  /** Tokens of the response, including those with mask 0. */
  readonly tokens: number;
}

/** A prompt's sequences at one step. */
export interface SampledCluster {
  /** Its hash. */
  readonly cluster: number;
  readonly sequences: readonly SampledSequence[];
}

const NAME_OR_NULL = writtenAs<string | null, string>(
  NAME,
  (name) => (name === null ? "" : `=${name}`),
  (written) => (written === "" ? null : written.slice(1)),
);

const COLUMNS = {
  handle: TEXT,
  environment: NAME_OR_NULL,
  engine: NAME_OR_NULL,
  finish: NAME_OR_NULL,
  step: NUMBER,
  rank: NUMBER,
  correct: NUMBER,
  staleness: NUMBER,
  reward: NUMBER,
  jumps: WHOLE,
  tokens: WHOLE,
} as const satisfies { readonly [Name in keyof SampledSequence]?: Codec<SampledSequence[Name]> };

const COLUMN_LIST = Object.entries(COLUMNS) as unknown as readonly [keyof SampledSequence, Codec<unknown>][];

/** Clusters by rising hash. */
export const CLUSTERS: Codec<readonly SampledCluster[]> = {
  text: `clusters of {${COLUMN_LIST.map(([name, { text }]) => `${name}: ${text}`)}, lists}`,
  write(clusters, to) {
    to.ascending(clusters.map(({ cluster }) => cluster));
    for (const { sequences } of clusters) to.whole(sequences.length);
    const all = clusters.flatMap(({ sequences }) => sequences);
    for (const [name, codec] of COLUMN_LIST) for (const one of all) codec.write(one[name], to);
    for (const { turns, excess, deciles } of all)
      for (const values of [turns, excess, deciles]) to.whole(values.length);
    // Counts and sums alternate in these lists; the counts, written separately, are short and similar.
    for (const { turns, deciles } of all)
      for (const pairs of [turns, deciles]) for (let i = 0; i < pairs.length; i += 2) to.whole(pairs[i]!);
    for (const { turns, deciles, excess } of all) {
      for (const pairs of [turns, deciles])
        for (let i = 0; i < pairs.length; i += 2) if (pairs[i]! > 0) to.float(pairs[i + 1]!);
      to.floats(excess);
    }
  },
  read(from) {
    const clusters = from.ascending();
    const sizes = from.wholes(clusters.length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (!(total <= from.rest)) from.fail(`${total} sequences are declared`);
    const all = Array.from({ length: total }, () => ({}) as Record<keyof SampledSequence, unknown>);
    for (const [name, codec] of COLUMN_LIST) for (const one of all) one[name] = codec.read(from);
    // A pair without tokens takes one byte.
    const countPairs = (): number => from.count(0.5);
    const lengths = all.map(() => [countPairs(), from.count(), countPairs()] as const);
    const counted = lengths.map(([turns, , deciles]) => [readCounts(from, turns), readCounts(from, deciles)]);
    for (const [i, one] of all.entries()) {
      for (const pairs of counted[i]!)
        for (let k = 0; k < pairs.length; k += 2) if (pairs[k]! > 0) pairs[k + 1] = from.float();
      [one.turns, one.deciles] = counted[i]!;
      one.excess = [...from.floats(lengths[i]![1])];
    }
    let end = 0;
    return Array.from(clusters, (cluster, i) => {
      end += sizes[i]!;
      return { cluster, sequences: all.slice(end - sizes[i]!, end) as unknown as SampledSequence[] };
    });
  },
};

/** Pairs whose sums are still to be read. */
function readCounts(from: ByteReader, length: number): number[] {
  if (length % 2 === 1) from.fail("counts and sums are not in pairs");
  const values = new Array<number>(length).fill(0);
  for (let i = 0; i < length; i += 2) values[i] = from.whole();
  return values;
}
