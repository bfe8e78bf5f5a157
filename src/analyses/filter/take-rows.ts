import type { FloatArray } from "../../core/base/index.ts";
import { DIGITS, type RecordBatch, type SourceDetails } from "../../core/schema/index.ts";

type Column = FloatArray | Int32Array | Uint8Array;

/** Some rows of a batch, in the order given. */
export function takeRows(batch: RecordBatch, rows: Uint32Array): RecordBatch {
  const tokens = gatherer(batch.offsets, rows);
  const prompts = batch.promptOffsets && gatherer(batch.promptOffsets, rows);
  const each = <T extends Column>(column: T): T => {
    const taken = new (column.constructor as new (length: number) => T)(rows.length);
    for (const [to, row] of rows.entries()) taken[to] = column[row]!;
    return taken;
  };
  const list = <T>(items: readonly T[]): T[] => Array.from(rows, (row) => items[row]!);
  const named = <T extends Column>(columns: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, tokens.take(column)]));
  const { rolloutLogprobs, trainerLogprobs, responseTokenIds, advantages, positionIds, weightVersions } =
    batch;
  const { promptTokenIds, trainerPromptTokenIds, arrays, keptMass, routeAgreement } = batch;
  const { turnMask, readAsMissing, asWritten } = batch;
  const trainerPrompts = batch.trainerPromptOffsets && gatherer(batch.trainerPromptOffsets, rows);
  return {
    length: rows.length,
    provenance: batch.provenance,
    sampling: batch.sampling,
    ...(batch.sides && { sides: batch.sides }),
    offsets: tokens.offsets,
    responseMask: tokens.take(batch.responseMask),
    ...(turnMask && { turnMask: tokens.take(turnMask) }),
    ...(readAsMissing && { readAsMissing: tokens.take(readAsMissing) }),
    ...(asWritten && { asWritten: named(asWritten) }),
    ...(rolloutLogprobs && { rolloutLogprobs: tokens.take(rolloutLogprobs) }),
    ...(trainerLogprobs && { trainerLogprobs: tokens.take(trainerLogprobs) }),
    ...(responseTokenIds && { responseTokenIds: tokens.take(responseTokenIds) }),
    policyLogprobs: named(batch.policyLogprobs),
    entropies: named(batch.entropies),
    topK: Object.fromEntries(
      Object.entries(batch.topK).map(([name, { k, ids, logprobs }]) => [
        name,
        { k, ids: tokens.take(ids, k), logprobs: tokens.take(logprobs, k) },
      ]),
    ),
    ...(batch.digitLogprobs && { digitLogprobs: tokens.take(batch.digitLogprobs, DIGITS) }),
    ...(advantages && { advantages: tokens.take(advantages) }),
    ...(positionIds && { positionIds: tokens.take(positionIds) }),
    ...(weightVersions && { weightVersions: tokens.take(weightVersions) }),
    ...(keptMass && { keptMass: tokens.take(keptMass) }),
    ...(routeAgreement && { routeAgreement: tokens.take(routeAgreement) }),
    ...(batch.details && { details: takeDetails(batch.details, tokens.take, each) }),
    ...(prompts && { promptOffsets: prompts.offsets }),
    ...(prompts && promptTokenIds && { promptTokenIds: prompts.take(promptTokenIds) }),
    ...(trainerPrompts && { trainerPromptOffsets: trainerPrompts.offsets }),
    ...(trainerPrompts &&
      trainerPromptTokenIds && { trainerPromptTokenIds: trainerPrompts.take(trainerPromptTokenIds) }),
    steps: each(batch.steps),
    ranks: each(batch.ranks),
    rows: each(batch.rows),
    packs: each(batch.packs),
    rewards: each(batch.rewards),
    correctness: each(batch.correctness),
    sourceOffsets: each(batch.sourceOffsets),
    ...(arrays && { arrays: { ...arrays, starts: each(arrays.starts), widths: each(arrays.widths) } }),
    sampleIds: list(batch.sampleIds),
    groupIds: list(batch.groupIds),
    environments: list(batch.environments),
    ...takeOptional(batch, list, each),
    promptTexts: list(batch.promptTexts),
    responseTexts: list(batch.responseTexts),
  };
}

/** Optional columns that most batches lack. */
function takeOptional(
  { finishReasons, engineIds, recorders, cachedTokens, tokenTexts }: RecordBatch,
  list: <T>(items: readonly T[]) => T[],
  each: <T extends Column>(column: T) => T,
): Pick<RecordBatch, "finishReasons" | "engineIds" | "recorders" | "cachedTokens" | "tokenTexts"> {
  return {
    ...(finishReasons && { finishReasons: list(finishReasons) }),
    ...(engineIds && { engineIds: list(engineIds) }),
    ...(recorders && { recorders: list(recorders) }),
    ...(cachedTokens && { cachedTokens: each(cachedTokens) }),
    ...(tokenTexts && { tokenTexts: list(tokenTexts) }),
  };
}

function takeDetails(
  { attention, inputTokenIds, tokenRewards, promptWidths, promptPadding }: SourceDetails,
  take: <T extends Column>(column: T) => T,
  each: <T extends Column>(column: T) => T,
): SourceDetails {
  return {
    ...(attention && { attention: take(attention) }),
    ...(inputTokenIds && { inputTokenIds: take(inputTokenIds) }),
    ...(tokenRewards && { tokenRewards: take(tokenRewards) }),
    promptWidths: each(promptWidths),
    promptPadding: each(promptPadding),
  };
}

/** Copies the entries of some rows from packed columns with these offsets. */
function gatherer(
  offsets: Int32Array,
  rows: Uint32Array,
): {
  readonly offsets: Int32Array;
  /** @param width numbers per token */
  take<T extends Column>(column: T, width?: number): T;
} {
  const own = new Int32Array(rows.length + 1);
  for (const [to, row] of rows.entries()) own[to + 1] = own[to]! + offsets[row + 1]! - offsets[row]!;
  return {
    offsets: own,
    take<T extends Column>(column: T, width = 1): T {
      const taken = new (column.constructor as new (length: number) => T)(own[rows.length]! * width);
      for (const [to, row] of rows.entries())
        taken.set(column.subarray(offsets[row]! * width, offsets[row + 1]! * width), own[to]! * width);
      return taken;
    },
  };
}
