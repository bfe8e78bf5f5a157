import type { RecordBatch } from "../../src/core/schema/record.ts";

/** One sequence as a picture: Δ of each token, `|` around tokens with mask 0 (`"0 .1 | 5 5 | -.2"` has two turns). */
export interface SequencePicture {
  readonly deltas: string;
  readonly step?: number;
  readonly rank?: number;
  readonly row?: number;
  readonly environment?: string;
  readonly correct?: number;
  readonly engine?: string;
  readonly finish?: string;
  /** Weight version of each token, including masked ones. */
  readonly versions?: readonly number[];
  readonly rollout?: number;
  readonly tokenIds?: readonly number[];
  readonly pack?: number;
}

/** A record batch made from pictures; every rollout log-prob is -1 unless given. */
export function recordBatch(sequences: readonly SequencePicture[], file = "drawn.npz"): RecordBatch {
  const tokens = sequences.map(({ deltas, rollout = -1 }) => {
    let mask = 1;
    return deltas
      .trim()
      .split(/\s+/)
      .flatMap((word) => {
        if (word !== "|") return [{ rollout, trainer: rollout + Number(word), mask }];
        mask = 1 - mask;
        return [];
      });
  });
  const flat = tokens.flat();
  const offsets = new Int32Array(sequences.length + 1);
  tokens.forEach((row, i) => {
    offsets[i + 1] = (offsets[i] as number) + row.length;
  });
  const column = (of: (sequence: SequencePicture) => number | undefined): Float64Array =>
    Float64Array.from(sequences, (sequence) => of(sequence) ?? Number.NaN);
  const texts = sequences.map(() => undefined);
  return {
    length: sequences.length,
    provenance: { file, format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
    offsets,
    responseMask: Uint8Array.from(flat, (token) => token.mask),
    rolloutLogprobs: Float64Array.from(flat, (token) => token.rollout),
    trainerLogprobs: Float64Array.from(flat, (token) => token.trainer),
    ...(sequences[0]?.tokenIds && {
      responseTokenIds: Int32Array.from(sequences.flatMap((sequence) => [...(sequence.tokenIds ?? [])])),
    }),
    policyLogprobs: {},
    entropies: {},
    topK: {},
    steps: column((sequence) => sequence.step),
    ranks: column((sequence) => sequence.rank),
    rows: Int32Array.from(sequences, (sequence, i) => sequence.row ?? i),
    packs: Int32Array.from(sequences, (sequence) => sequence.pack ?? 0),
    rewards: column(() => undefined),
    correctness: column((sequence) => sequence.correct),
    sourceOffsets: column(() => -1),
    sampleIds: texts,
    groupIds: texts,
    environments: sequences.map((sequence) => sequence.environment),
    ...(sequences.some(({ engine }) => engine !== undefined) && {
      engineIds: sequences.map(({ engine }) => engine),
    }),
    ...(sequences.some(({ finish }) => finish !== undefined) && {
      finishReasons: sequences.map(({ finish }) => finish),
    }),
    ...(sequences.some(({ versions }) => versions !== undefined) && {
      weightVersions: Int32Array.from(
        sequences.flatMap(({ versions }, i) => versions ?? tokens[i]?.map(() => -1) ?? []),
      ),
    }),
    promptTexts: texts,
    responseTexts: texts,
  };
}
