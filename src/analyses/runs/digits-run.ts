/**
 * From paths to figures of digits: what `logratio digits` prints, as an object.
 *
 * @module
 */
import {
  EmptyInputError,
  isLogratioError,
  MissingSideError,
  SchemaError,
  splitLines,
  UsageError,
} from "../../core/base/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import type { Run } from "../../ingest/index.ts";
import { openTokenizer } from "../../input/tokens/index.ts";
import { DIGITS_SCHEMA_VERSION, type DigitsReport } from "../../results/digits.ts";
import { DigitRun } from "../digits/digit-run.ts";
import { hasTokenTexts, TextVocabulary } from "../digits/token-texts.ts";
import { type DigitVocabulary, findDigitTokens, takeDigitTokens } from "../digits/vocabulary.ts";
import { openTruth } from "./ground-truth.ts";
import type { RunInput } from "./input-options.ts";
import { countedSources, countSequences } from "./read-batches.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio digits` that affect the result, under the same names. */
export interface DigitsRunOptions extends RunInput, ReadingOptions {
  /** Directory of the model's `tokenizer.json`; needed unless the input has token texts or consists of digits. */
  readonly tokenizer?: string;
  /** The token ids of 0 to 9, separated by commas, instead of a tokenizer. */
  readonly digitIds?: string;
  /** Ground truth: a column of the input, or a file of ids and answers. */
  readonly truth?: string;
  /** How many sequences `per_sequence` lists, from the first: a number, or `all`; default 1000. */
  readonly sequences?: number | "all";
}

/**
 * Reads a run once and says how sure its policies are of digits, and how far off: the same object that `logratio digits
 * PATHS --json` prints. The log-probs of one policy are enough.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { digitsRun } from "logratio/node";
 *
 * const tokenizer = "examples/demo/tokenizer";
 * const { metrics, per_sequence } = await digitsRun("examples/demo/stale", { steps: "10", tokenizer, sequences: 2 });
 * assert(metrics.total_digits > 0);
 * assert(metrics.avg_digit_log_prob !== null && metrics.avg_digit_log_prob < 0); // nats
 * assert.equal(per_sequence?.length, 2);
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns figures of selected digits (log-probs in nats, probabilities and shares as fractions from 0 to 1), the
 * losses of digit distributions if the input has them and, with ground truth, how often answers are right
 * @throws UsageError if options contradict each other or the paths, or nothing says which tokens are digits
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError, SchemaError if no policy has log-probs with token ids
 * @throws EmptyInputError if no token with mask 1 is a digit
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the result
 */
export async function digitsRun(
  paths: string | readonly string[],
  options: DigitsRunOptions = {},
): Promise<DigitsReport> {
  const { tokenizer, sequences = LISTED, rollout, trainer } = options;
  const given = await openVocabulary(options);
  const truth = options.truth === undefined ? undefined : await openTruth(options.truth);
  const { run, batches } = await startReading(listPaths(paths), options, {
    oneSide: true,
    onePolicy: true,
  }).catch(withAdvice);
  // Files of digits alone have no token ids, so there is nothing to look up.
  const vocabulary = new TextVocabulary(
    given ?? (isNtl(run) ? takeDigitTokens([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) : undefined),
  );
  const summary = new DigitRun(vocabulary, {
    oneSided: rollout !== undefined && rollout === trainer,
    ...(run.onePolicy && { policy: run.onePolicy.has }),
    ...(truth && { truthSource: truth.source }),
    sequences: sequences === "all" ? Number.POSITIVE_INFINITY : sequences,
  });
  const byFile = new Map<string, number>();
  for await (const batch of countSequences(batches, byFile)) {
    if (given === undefined && !isNtl(run) && !hasTokenTexts(batch))
      throw new UsageError("finding the digits needs the model's tokenizer", {
        at: { file: batch.provenance.file },
        hint: "--tokenizer DIR (a directory with tokenizer.json), or the ids of 0 to 9: --digit-ids 15,16,17,18,19,20,21,22,23,24",
      });
    summary.add(vocabulary.nameTokens(batch), await truth?.of(batch));
  }
  const figures = summary.result();
  if (options.sequences === undefined) noteUnlisted(run, figures);
  const result: DigitsReport = {
    schemaVersion: DIGITS_SCHEMA_VERSION,
    kind: "digits",
    run: run.name,
    vocabulary: describeVocabulary(vocabulary, tokenizer),
    ...figures,
    findings: run.findings.list(),
    sources: countedSources(run, byFile),
  };
  if (result.metrics.total_digits + result.metrics.multi_digit_tokens === 0) refuseEmpty(result);
  return result;
}

function describeVocabulary(
  vocabulary: TextVocabulary,
  tokenizer: string | undefined,
): DigitsReport["vocabulary"] {
  return {
    tokenizer: tokenizer ?? null,
    token_texts: vocabulary.isUsed,
    bare: vocabulary.bare,
    spaced: vocabulary.spaced,
    multi_digit_entries: vocabulary.multiDigitEntries,
    longest_entry: vocabulary.longestEntry,
  };
}

/** Default number of sequences listed: a few megabytes. */
const LISTED = 1000;

function noteUnlisted(run: Run, { metrics }: Pick<DigitsReport, "metrics">): void {
  if (metrics.sequences <= LISTED) return;
  run.findings.add({
    code: "note",
    severity: "info",
    subject: "sequences not listed",
    count: metrics.sequences - LISTED,
    at: {},
    hint: "--sequences all lists every one",
    describe: (count) =>
      `per_sequence lists the first ${formatCount(LISTED)} sequences: ${plural(count, "sequence")} more are in the figures only`,
  });
}

async function openVocabulary({
  tokenizer,
  digitIds,
}: DigitsRunOptions): Promise<DigitVocabulary | undefined> {
  if (tokenizer !== undefined && digitIds !== undefined)
    throw new UsageError("--tokenizer and --digit-ids cannot be combined", { hint: "choose one" });
  if (tokenizer !== undefined) return findDigitTokens(await openTokenizer(tokenizer));
  if (digitIds === undefined) return undefined;
  const ids = digitIds.split(",").map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
  try {
    return takeDigitTokens(ids);
  } catch (error) {
    throw isLogratioError(error) ? new UsageError(`--digit-ids: ${error.message}`) : error;
  }
}

function isNtl({ sources }: Run): boolean {
  return sources.every(({ trainer }) => trainer === "ntl");
}

/** Figures of digits need one policy only, which what is said of a comparison leaves out. */
function withAdvice(error: unknown): never {
  if (!(error instanceof MissingSideError) && !(error instanceof SchemaError)) throw error;
  const advice = "the log-probs of one policy are enough: --rollout COLUMN --tokens COLUMN";
  const detail = {
    at: error.at,
    cause: error,
    hint: error.hint === undefined ? advice : [...splitLines(error.hint), advice],
    ...(error.likely !== undefined && { likely: error.likely }),
  };
  const message = splitLines(error.message);
  throw error instanceof MissingSideError
    ? new MissingSideError(message, detail)
    : new SchemaError(message, detail);
}

function refuseEmpty({ metrics, vocabulary }: DigitsReport): never {
  const whose =
    vocabulary.tokenizer !== null
      ? `the digits of ${vocabulary.tokenizer}`
      : vocabulary.token_texts
        ? "the texts 0 to 9"
        : "the ids given";
  throw new EmptyInputError(
    `no digits: none of ${formatCount(metrics.tokens)} tokens with mask 1 is one of ${whose}` +
      (metrics.digits_without_log_prob > 0
        ? ` and has a log-prob (${formatCount(metrics.digits_without_log_prob)} digits have none)`
        : ""),
    {
      likely: vocabulary.token_texts
        ? "the run contains no numbers"
        : "the tokenizer belongs to another model, or the run contains no numbers",
      ...(!vocabulary.token_texts && { hint: "use the tokenizer of the trained model" }),
    },
  );
}
