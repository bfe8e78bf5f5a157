/**
 * The digits of a run, computed in its one pass.
 *
 * @module
 */

import { DigitRun, type DigitVocabulary, findDigitTokens } from "../../../../analyses/digits/index.ts";
import { sourceSummaries } from "../../../../analyses/runs/index.ts";
import { isLogratioError } from "../../../../core/base/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import type { Run } from "../../../../input/ingest/index.ts";
import type { TokenDecoder } from "../../../../input/tokens/index.ts";
import { DIGITS_SCHEMA_VERSION, type DigitsReport } from "../../../../results/index.ts";
import type { PrepareOptions } from "../cache/options.ts";

/** A page shows more examples than a report. */
const EXAMPLES = 50;

export interface DigitsPass {
  /** A batch without token ids or rollout log-probs is skipped: it has no digits. */
  add(batch: RecordBatch): Promise<void>;
  /** The report of `logratio digits` with longer lists of examples; undefined when there was no digit. */
  finish(run: Pick<Run, "name" | "sources">, findings: readonly Finding[]): DigitsReport | undefined;
}

/**
 * Undefined when the vocabulary has no digits.
 *
 * @throws what opening the ground truth throws
 */
export async function startDigits(
  decoder: TokenDecoder,
  { tokenizer, truth, read }: PrepareOptions,
): Promise<DigitsPass | undefined> {
  const vocabulary = findVocabulary(decoder);
  if (vocabulary === undefined) return undefined;
  const truths = await truth?.open();
  const { rollout, trainer } = read?.mapping ?? {};
  const digits = new DigitRun(vocabulary, {
    oneSided: rollout !== undefined && rollout === trainer,
    examples: EXAMPLES,
    ...(truths && { truthSource: truths.source }),
  });
  const sequences = new Map<string, number>();
  return {
    async add(batch) {
      const { file } = batch.provenance;
      sequences.set(file, (sequences.get(file) ?? 0) + batch.length);
      if (batch.responseTokenIds && batch.rolloutLogprobs) digits.add(batch, await truths?.of(batch));
    },
    finish(run, findings) {
      const result = digits.result();
      if (result.metrics.total_digits + result.metrics.multi_digit_tokens === 0) return undefined;
      return {
        schemaVersion: DIGITS_SCHEMA_VERSION,
        kind: "digits",
        run: run.name,
        vocabulary: {
          tokenizer: tokenizer ?? null,
          bare: vocabulary.bare,
          spaced: vocabulary.spaced,
          multi_digit_entries: vocabulary.multiDigitEntries,
          longest_entry: vocabulary.longestEntry,
        },
        ...result,
        findings,
        sources: sourceSummaries(run).map((source) => ({
          ...source,
          sequences: sequences.get(source.file) ?? 0,
        })),
      };
    },
  };
}

function findVocabulary(decoder: TokenDecoder): DigitVocabulary | undefined {
  try {
    return findDigitTokens(decoder);
  } catch (error) {
    if (isLogratioError(error, "SchemaError")) return undefined;
    throw error;
  }
}
