/**
 * A scored study as the record: one row per text, with log-probs, entropies and alternatives per policy. Other verbs
 * and the viewer read it.
 *
 * @module
 */
import { dictionary } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { createRecordBuilder } from "../../core/schema/index.ts";
import { writeRecord } from "../../ingest/writing/index.ts";
import { hasScores, indexedScores } from "./read-scored.ts";
import { computeKey } from "./score-study.ts";
import { paths } from "./store/manifest.ts";
import type { ScoreRow } from "./store/scores-file.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

/**
 * Writes `record.parquet` into the study's directory.
 *
 * @returns the file and its number of texts; undefined if nothing is scored
 */
export async function writeStudyRecord(
  dir: string,
  texts: readonly PreparedText[],
  policies: readonly string[],
): Promise<string | undefined> {
  const scored: string[] = [];
  for (const policy of policies) if (await hasScores(dir, policy)) scored.push(policy);
  if (scored.length === 0) return undefined;
  const [file] = await writeRecord(paths.record(dir), batches(dir, texts, scored), { writer: "score" });
  return file;
}

async function* batches(
  dir: string,
  texts: readonly PreparedText[],
  policies: readonly string[],
): AsyncGenerator<RecordBatch> {
  const builder = createRecordBuilder({
    provenance: { file: paths.texts(dir), format: "parquet", trainer: "score", alignment: "token" },
    sampling: { temperature: 1, logprobsMode: "raw_logprobs" },
  });
  const places = new Map(texts.map((text, index) => [computeKey(text), index]));
  const columns = policies.map((policy): Lookahead => {
    return { policy, rows: indexedScores(dir, policy, places), next: undefined };
  });
  try {
    for (const [index, text] of texts.entries()) {
      const logprobs = dictionary<Float32Array>();
      const entropies = dictionary<Float32Array>();
      const topK = dictionary<ScoreRow["topK"]>();
      for (const column of columns) {
        const row = await rowAt(index, column);
        if (row === undefined) continue;
        const { policy } = column;
        logprobs[policy] = row.logprobs;
        topK[policy] = row.topK;
        if (row.entropies !== undefined) entropies[policy] = row.entropies;
      }
      builder.push({
        length: text.tokenIds.length,
        responseMask: text.mask,
        responseTokenIds: text.tokenIds,
        promptTokenIds: text.promptIds,
        policyLogprobs: logprobs,
        entropies,
        topK,
        row: index,
        sampleId: text.id,
        groupId: text.problem,
        environment: text.subject,
        promptText: text.promptText,
        ...(text.correct !== undefined && { correctness: text.correct ? 1 : 0 }),
      });
      if (builder.full) yield builder.flush();
    }
    if (builder.length > 0) yield builder.flush();
  } finally {
    for (const { rows } of columns) await rows.return(undefined);
  }
}

/** A policy's rows, with one row of lookahead. */
interface Lookahead {
  readonly policy: string;
  readonly rows: AsyncGenerator<readonly [number, ScoreRow]>;
  next: readonly [number, ScoreRow] | undefined;
}

/** The policy's row of text `index`. Scoring leaves its files in the study's order. */
async function rowAt(index: number, column: Lookahead): Promise<ScoreRow | undefined> {
  while (column.next === undefined || column.next[0] < index) {
    const { done, value } = await column.rows.next();
    if (done) return undefined;
    column.next = value;
  }
  return column.next[0] === index ? column.next[1] : undefined;
}
