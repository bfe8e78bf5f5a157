/**
 * Reads files that have one policy's log-probs through their adapters: whole, in slices of seven bytes and without a name.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { openDocument } from "../../ingest/index.ts";
import type { Adapter, Match } from "../../input/adapters/adapter.ts";
import { memorySource, type SourceDocument } from "../../input/io/index.ts";
import { ADAPTERS } from "./index.ts";

export interface OnePolicyReading {
  readonly adapter: Adapter;
  readonly match: Match;
  readonly batch: RecordBatch;
  readonly findings: FindingLog;
}

async function* cut(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

export type Manner = "whole" | "in slices of 7 bytes" | "without its name";

async function open(path: string, manner: Manner): Promise<SourceDocument> {
  const bytes = await readFile(path);
  if (manner === "in slices of 7 bytes") return openDocument({ name: path, bytes: cut(bytes) });
  return openDocument(memorySource(manner === "whole" ? path : "data", bytes));
}

/** The adapter with the highest score, as `examine` of ingest picks it. */
async function pick(document: SourceDocument): Promise<{ adapter: Adapter; match: Match }> {
  let best: { adapter: Adapter; match: Match } | undefined;
  for (const adapter of ADAPTERS) {
    const match = await adapter.detect(document);
    if (match !== undefined && match.score > (best?.match.score ?? 0)) best = { adapter, match };
  }
  if (best === undefined) throw new Error(`no adapter takes ${document.file}`);
  return best;
}

export async function detectFile(path: string, manner: Manner = "whole"): Promise<Match & { name: string }> {
  const document = await open(path, manner);
  try {
    const { adapter, match } = await pick(document);
    return { ...match, name: adapter.name };
  } finally {
    await document.close();
  }
}

export async function readOnePolicy(path: string, manner: Manner = "whole"): Promise<OnePolicyReading> {
  const document = await open(path, manner);
  try {
    const { adapter, match } = await pick(document);
    const findings = new FindingLog();
    const { blocks, alignment } = await adapter.read(document, { findings, blockTokens: 1 << 20 });
    const builder = createRecordBuilder({
      provenance: { file: path, format: document.format, trainer: adapter.name, alignment },
      sampling: {},
      batchTokens: 1 << 20,
      onOddMask: () => undefined,
    });
    for await (const block of blocks) for (const draft of block) builder.push(draft);
    return { adapter, match, batch: builder.flush(), findings };
  } finally {
    await document.close();
  }
}
