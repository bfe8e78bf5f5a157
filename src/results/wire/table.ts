/**
 * The table of sequences: one row per sequence, columns as typed arrays, texts as codes into lists.
 *
 * @module
 */
import { decodeArrays, encodeArrays, type WireArray } from "./arrays.ts";

/** Columns of {@link SequenceTable}. Figures are over tokens with mask 1; NaN where there are none. */
export const SEQUENCE_COLUMNS = {
  step: "training step; NaN where not known",
  rank: "rank; NaN where not known",
  /** Row in its file. */
  row: "row",
  reward: "reward",
  correct: "1 right, 0 wrong, NaN not known",
  turns: "turns",
  prompt_tokens: "prompt tokens",
  response_tokens: "response tokens, tool output included",
  tokens: "tokens with mask 1",
  delta_mean: "mean Δ, nats",
  delta_abs_mean: "mean |Δ|, nats",
  delta_abs_max: "largest |Δ|, nats",
  delta_sum: "ΣΔ: the log of the sequence's importance ratio",
  k3_mean: "mean k3",
  prob_diff_max: "largest |Δp|",
  ess: "(Σρ)² / (n Σρ²) of its tokens",
  rho_sum: "Σρ",
  rho_squares: "Σρ²",
  worst_token: "response token with the largest |Δ|; -1 without one",
  rollout_logprob_mean: "mean log-prob under the rollout policy",
  entropy_mean: "mean entropy of the trainer policy, else of the rollout policy",
  advantage: "its mean advantage",
  impact: "Σ|A|·|ρ − 1|; NaN without advantages",
  cached_tokens: "prompt tokens that the engine took from its prefix cache",
} as const;
export type SequenceColumn = keyof typeof SEQUENCE_COLUMNS;

/** Columns of texts. */
export const SEQUENCE_TEXTS = [
  "sample",
  "group",
  "environment",
  "finish_reason",
  "engine",
  "recorder",
  "file",
] as const;
export type SequenceText = (typeof SEQUENCE_TEXTS)[number];

export interface SequenceTable {
  readonly length: number;
  /** `[length]` each. */
  readonly columns: Readonly<Record<SequenceColumn, Float64Array>>;
  /** `codes[i]` is a place in `values`; -1: not known. */
  readonly texts: Readonly<
    Record<SequenceText, { readonly values: readonly string[]; readonly codes: Int32Array }>
  >;
}

export function encodeTable({ length, columns, texts }: SequenceTable): Uint8Array {
  const values = Object.fromEntries(SEQUENCE_TEXTS.map((name) => [name, texts[name].values]));
  const codes = SEQUENCE_TEXTS.map((name): [string, WireArray] => [`codes:${name}`, texts[name].codes]);
  return encodeArrays({ length, values }, { ...columns, ...Object.fromEntries(codes) });
}

/** A table with only these rows, in their order; lists of texts are not reduced. */
export function takeTableRows(
  { length, columns, texts }: SequenceTable,
  isTaken: (row: number) => boolean,
): SequenceTable {
  const rows = Array.from({ length }, (_, row) => row).filter(isTaken);
  return {
    length: rows.length,
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [name, Float64Array.from(rows, (row) => values[row]!)]),
    ) as SequenceTable["columns"],
    texts: Object.fromEntries(
      Object.entries(texts).map(([name, { values, codes }]) => [
        name,
        { values, codes: Int32Array.from(rows, (row) => codes[row]!) },
      ]),
    ) as SequenceTable["texts"],
  };
}

/** @throws FormatError */
export function decodeTable(bytes: Uint8Array): SequenceTable {
  const { meta, arrays } = decodeArrays<{
    length: number;
    values: Record<SequenceText, readonly string[]>;
  }>(bytes);
  const columns = Object.keys(SEQUENCE_COLUMNS).map((name) => [name, arrays[name]]);
  const texts = SEQUENCE_TEXTS.map((name) => {
    return [name, { values: meta.values[name], codes: arrays[`codes:${name}`] }];
  });
  return {
    length: meta.length,
    columns: Object.fromEntries(columns) as SequenceTable["columns"],
    texts: Object.fromEntries(texts) as SequenceTable["texts"],
  };
}
