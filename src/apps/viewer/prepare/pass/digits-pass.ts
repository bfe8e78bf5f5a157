/**
 * The digits of a run, computed in its one pass.
 *
 * @module
 */

import { DigitRun, type DigitVocabulary, findDigitTokens } from "../../../../analyses/digits/index.ts";
import { isLogratioError } from "../../../../core/base/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { TokenDecoder } from "../../../../input/tokens/index.ts";
import { DIGITS_SCHEMA_VERSION, type DigitsReport } from "../../../../results/digits.ts";
import type { RunRead } from "./run-read.ts";

/** A page shows more examples than a report. */
const EXAMPLES = 50;

export interface DigitsPass {
  /** A batch without token ids or rollout log-probs is skipped: it has no digits. */
  add(batch: RecordBatch, truths?: readonly (string | undefined)[]): void;
  /** The report of `logratio digits` with longer lists of examples; undefined when there was no digit. */
  finish(read: RunRead): DigitsReport | undefined;
}

export interface DigitsOptions {
  readonly tokenizer: string | undefined;
  /** The trainer's log-probs are the rollout's again. */
  readonly oneSided: boolean;
  /** Where ground truth comes from; undefined without one. */
  readonly truthSource: string | undefined;
}

/** Undefined when the vocabulary has no digits. */
export function startDigits(
  decoder: TokenDecoder,
  { tokenizer, oneSided, truthSource }: DigitsOptions,
): DigitsPass | undefined {
  const vocabulary = findVocabulary(decoder);
  if (vocabulary === undefined) return undefined;
  const digits = new DigitRun(vocabulary, {
    oneSided,
    examples: EXAMPLES,
    ...(truthSource !== undefined && { truthSource }),
  });
  const sequences = new Map<string, number>();
  return {
    add(batch, truths) {
      const { file } = batch.provenance;
      sequences.set(file, (sequences.get(file) ?? 0) + batch.length);
      if (batch.responseTokenIds && batch.rolloutLogprobs) digits.add(batch, truths);
    },
    finish({ name, findings, sources }) {
      const result = digits.result();
      if (result.metrics.total_digits + result.metrics.multi_digit_tokens === 0) return undefined;
      return {
        schemaVersion: DIGITS_SCHEMA_VERSION,
        kind: "digits",
        run: name,
        vocabulary: {
          tokenizer: tokenizer ?? null,
          bare: vocabulary.bare,
          spaced: vocabulary.spaced,
          multi_digit_entries: vocabulary.multiDigitEntries,
          longest_entry: vocabulary.longestEntry,
          token_texts: false,
        },
        ...result,
        findings,
        sources: sources.map((source) => ({
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
