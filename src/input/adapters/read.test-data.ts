/**
 * Reads fixtures through the whole path, and pictures what came out so that a test can compare it.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isLogratioError, type LogratioError } from "../../core/base/errors.ts";
import type { Finding } from "../../core/schema/findings.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { openRun, type Run } from "../../ingest/open-run.ts";
import type { ReadOptions } from "../../ingest/options.ts";

export const FIXTURES = fileURLToPath(new URL("../../../test/fixtures/adapters/", import.meta.url));

export interface Outcome {
  readonly run: Run;
  readonly batches: readonly RecordBatch[];
  readonly findings: readonly Finding[];
}

export async function readAll(
  paths: string | readonly string[],
  options: ReadOptions = {},
): Promise<Outcome> {
  const run = await openRun([paths].flat().map(String), options);
  const batches: RecordBatch[] = [];
  for await (const batch of run.batches()) batches.push(batch);
  return { run, batches, findings: run.findings.list() };
}

/** Findings but for those about sequences that occur twice, which small made-up files have. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return findings.filter(
    ({ code, omits }) => code !== "identical-rows" && (code !== "duplicate" || omits !== undefined),
  );
}

/** The error of a reading that must fail. */
export async function readError(
  paths: string | readonly string[],
  options: ReadOptions = {},
): Promise<LogratioError> {
  try {
    await readAll(paths, options);
  } catch (error) {
    if (isLogratioError(error)) return error;
    throw error;
  }
  throw new Error(`${[paths].flat().join(", ")} was read without an error`);
}

/** One element per sequence, of a packed column. */
export function splitRows(
  batch: RecordBatch,
  values: ArrayLike<number> | undefined,
  k = 1,
): number[][] | undefined {
  if (values === undefined) return undefined;
  const flat = Array.from(values);
  return Array.from({ length: batch.length }, (_, i) =>
    flat.slice(k * batch.offsets[i]!, k * batch.offsets[i + 1]!),
  );
}

export function splitPrompts(batch: RecordBatch): number[][] | undefined {
  const { promptOffsets: at, promptTokenIds: ids } = batch;
  if (at === undefined || ids === undefined) return undefined;
  return Array.from({ length: batch.length }, (_, i) => [...ids.subarray(at[i], at[i + 1])]);
}

/** The sequences of scripts/fixtures/adapter_batch.py. */
export interface ExpectedBatch {
  readonly prompts: number[][];
  readonly responses: number[][];
  readonly masks: number[][];
  readonly rollout: number[][];
  readonly trainer: number[][];
  readonly reference: number[][];
  readonly entropy: number[][];
  readonly topIds: number[][];
  readonly topLogprobs: number[][];
  readonly advantages: number[][];
  readonly rewards: number[];
  readonly groups: string[];
  readonly environments: string[];
}

export const EXPECTED = JSON.parse(readFileSync(`${FIXTURES}expected.json`, "utf8")) as ExpectedBatch;

/** The columns of a batch that the fixtures' sequences have, in the form of {@link EXPECTED}; absent ones undefined. */
export function picture(batch: RecordBatch): { [K in keyof ExpectedBatch]: ExpectedBatch[K] | undefined } {
  const { rollout: top } = batch.topK;
  const known = (ids: readonly (string | undefined)[]): string[] | undefined =>
    ids.every((id) => id !== undefined) ? (ids as string[]) : undefined;
  return {
    prompts: splitPrompts(batch),
    responses: splitRows(batch, batch.responseTokenIds),
    masks: splitRows(batch, batch.responseMask)!,
    rollout: splitRows(batch, batch.rolloutLogprobs),
    trainer: splitRows(batch, batch.trainerLogprobs),
    reference: splitRows(batch, batch.policyLogprobs.reference),
    entropy: splitRows(batch, batch.entropies.trainer),
    topIds: splitRows(batch, top?.ids, top?.k),
    topLogprobs: splitRows(batch, top?.logprobs, top?.k),
    advantages: splitRows(batch, batch.advantages),
    rewards: batch.rewards.every((reward) => !Number.isNaN(reward)) ? [...batch.rewards] : undefined,
    groups: known(batch.groupIds),
    environments: known(batch.environments),
  };
}

/** {@link EXPECTED} without the columns that a format cannot hold. */
export function expectedWithout(...absent: (keyof ExpectedBatch)[]): ReturnType<typeof picture> {
  return { ...EXPECTED, ...Object.fromEntries(absent.map((name) => [name, undefined])) };
}
