/**
 * miles' `dashboard_columns/rollout_{id}.parquet`: a copy of the rollout dump's arrays, one row per sample, for its
 * dashboard (`save_dashboard_columns`, `miles/ray/rollout/debug_data.py` commit 31f1ca96).
 *
 * @module
 */
import { MissingSideError } from "../../../core/base/index.ts";
import type { SequenceDraft } from "../../../core/schema/index.ts";
import type { AdapterContext, Match } from "../../../input/adapters/adapter.ts";
import { reportBadRow } from "../../../input/adapters/shared/row-objects.ts";
import { describeRowValue, toNumber, toNumbers } from "../../../input/adapters/shared/row-values.ts";
import type { RowDocument } from "../../../input/io/index.ts";
import type { DumpPart } from "./parts.ts";

const COLUMNS = [
  "sample_index",
  "response_length",
  "total_length",
  "tokens",
  "loss_mask",
  "rollout_log_probs",
];

export function matchMirror({ sample, file }: RowDocument): Match | undefined {
  const [row] = sample;
  if (row === undefined || !COLUMNS.every((name) => name in row)) return undefined;
  const part: DumpPart = {
    kind: "mirror",
    step: undefined,
    rank: 0,
    cpRank: 0,
    cpSize: 1,
    indices: [],
    bothSides: false,
  };
  const error = new MissingSideError(
    "this is miles' dashboard mirror of a rollout dump: it does not hold the trainer's log-probs",
    {
      at: { file },
      likely: "it is dashboard_columns/ of --dump-details",
      hint: "give the parent folder, whose train_data/ has both policies",
    },
  );
  return {
    score: 0.95,
    found: COLUMNS.map((name) => `${name}, ${describeRowValue(row[name])}`),
    guessed: [],
    missing: ["trainer log-probs", "reward", "group"],
    onePolicy: { has: "rollout", error },
    part,
  };
}

export async function* readMirror(
  document: RowDocument,
  { findings }: AdapterContext,
): AsyncGenerator<readonly SequenceDraft[]> {
  const { file } = document;
  for await (const chunk of document.chunks({
    columns: COLUMNS,
    onBadRow: (bad) => reportBadRow(findings, file, bad),
  })) {
    const drafts: SequenceDraft[] = [];
    for (let i = 0; i < chunk.length; i++) {
      const length = toNumber(chunk.get(i, "response_length")) ?? 0;
      const tokens = toNumbers(chunk.get(i, "tokens"));
      const split = tokens === undefined ? 0 : Math.max(0, tokens.length - length);
      const index = toNumber(chunk.get(i, "sample_index"));
      drafts.push({
        length,
        responseMask: toNumbers(chunk.get(i, "loss_mask")) ?? new Uint8Array(length).fill(1),
        rolloutLogprobs: toNumbers(chunk.get(i, "rollout_log_probs")),
        responseTokenIds: tokens?.subarray(split),
        promptTokenIds: tokens?.subarray(0, split),
        row: chunk.firstRow + i,
        sampleId: index === undefined ? undefined : String(index),
      });
    }
    yield drafts;
  }
}
