/** Pairs of sides whose truth is known, and how they are compared in memory. */
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import type { CompareReport, CompareSide } from "../../results/compare.ts";
import { buildCompareReport } from "./build-compare-report.ts";
import { Comparison, type ComparisonOptions } from "./comparison.ts";

export type Row = Partial<SequenceDraft> & { readonly ids: readonly number[] };

export function pack(rows: readonly Row[], file = "a.npz"): RecordBatch {
  const provenance = { file, format: "npz", trainer: "verl", alignment: "token" } as const;
  const builder = createRecordBuilder({ provenance });
  for (const [row, { ids, ...rest }] of rows.entries())
    builder.push({
      length: ids.length,
      responseMask: new Uint8Array(ids.length).fill(1),
      responseTokenIds: Int32Array.from(ids),
      row,
      ...rest,
    });
  return builder.flush();
}

export interface Asked extends ComparisonOptions {
  readonly within?: number;
  readonly alpha?: number;
}

const side = { facts: [] };

export function compareBatches(
  a: readonly RecordBatch[],
  b: readonly RecordBatch[] | undefined,
  { within = 0.01, alpha = 0.05, ...options }: Asked = {},
  inputs: readonly [CompareSide["inputs"], CompareSide["inputs"]] = [[], []],
  signed: { readonly by?: string; readonly date?: string } = {},
): CompareReport {
  const comparison = new Comparison(options);
  for (const batch of b ?? []) comparison.hold(batch);
  for (const batch of a) {
    if (b === undefined) comparison.addBoth(batch);
    else comparison.add(batch);
  }
  return buildCompareReport({
    compared: comparison.finish(),
    a: { ...side, name: "A", inputs: inputs[0] },
    b: { ...side, name: "B", inputs: inputs[1] },
    within,
    alpha,
    isDefault: false,
    findings: [],
    logratio: "0",
    doctor: "logratio doctor B",
    ...signed,
  });
}

export function drawNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Sequences of several prompts with log-probs in float32, two to a prompt. */
export function drawRows(sequences: number, length: number, seed = 1): Row[] {
  const random = seededRandom(seed);
  return Array.from({ length: sequences }, (_, i): Row => {
    const logprobs = Float32Array.from({ length }, () => Math.log(1 - random()));
    const ids = Array.from({ length }, () => Math.floor(1000 * random()));
    return {
      ids,
      rolloutLogprobs: logprobs,
      step: 1 + ((i >> 1) % 3),
      groupId: `g${i >> 1}`,
      sampleId: `s${i}`,
    };
  });
}

/** The same tokens with other log-probs. */
export function change(
  rows: readonly Row[],
  edit: (value: number, row: number, token: number) => number,
): Row[] {
  return rows.map((row, i) => ({
    ...row,
    rolloutLogprobs: Float64Array.from(row.rolloutLogprobs!, (value, t) => edit(value, i, t)),
  }));
}
