import {
  DigitRun,
  type DigitVocabulary,
  findDigitTokens,
  hasTokenTexts,
  TextVocabulary,
  takeDigitTokens,
} from "../../../analyses/digits/index.ts";
import {
  EmptyInputError,
  isLogratioError,
  MissingSideError,
  SchemaError,
  splitLines,
  UsageError,
} from "../../../core/base/index.ts";
import { formatCount, plural } from "../../../core/text/index.ts";
import { openRun, type Run } from "../../../input/ingest/index.ts";
import { openTokenizer } from "../../../input/tokens/index.ts";
import { renderDigitsMarkdown, renderDigitsTerminal } from "../../../render/digits/index.ts";
import { DIGITS_SCHEMA_VERSION, type DigitsReport } from "../../../results/index.ts";
import type { ExitStatus } from "../exit-status.ts";
import { screenOptions } from "../first-screen.ts";
import { openTruth } from "../ground-truth.ts";
import type { InputOptions } from "../input-options.ts";
import { refuseTwoForms, toJson } from "../json.ts";
import { tellFindings } from "../messages.ts";
import { createProgress } from "../progress.ts";
import { toReadOptions } from "../read-options.ts";
import { commandLine, conclude, readHere, sourceSummaries } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface DigitsOptions extends InputOptions {
  readonly tokenizer?: string;
  readonly digitIds?: string;
  readonly truth?: string;
  readonly sequences?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly full?: boolean;
}

/** Reads a run once and prints how sure its policies are about digits, and how far off. */
export async function digits(
  paths: readonly string[],
  options: DigitsOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  refuseTwoForms(options);
  const listed = readListed(options);
  const given = await openVocabulary(options);
  const truth = options.truth === undefined ? undefined : await openTruth(options.truth);
  const oneSided = options.rollout !== undefined && options.rollout === options.trainer;
  const progress = createProgress(terminal);
  const run = await openRun(paths, {
    ...toReadOptions(options),
    oneSide: true,
    onePolicy: true,
    onProgress: progress.update,
  }).catch(withAdvice);
  const vocabulary = new TextVocabulary(given ?? standForThemselves(run));
  const summary = new DigitRun(vocabulary, {
    oneSided,
    ...(run.onePolicy && { policy: run.onePolicy.has }),
    ...(truth && { truthSource: truth.source }),
    ...(options.json && { sequences: listed }),
  });
  const sequences = new Map<string, number>();
  const reading = readHere(run);
  try {
    for await (const batch of reading.batches) {
      const { file } = batch.provenance;
      sequences.set(file, (sequences.get(file) ?? 0) + batch.length);
      if (given === undefined && !isNtl(run) && !hasTokenTexts(batch)) throw needsTokenizer(file);
      summary.add(vocabulary.nameTokens(batch), await truth?.of(batch));
    }
  } finally {
    reading.onRead();
  }
  progress.end();

  const figures = summary.result();
  if (options.json && options.sequences === undefined) noteUnlisted(run, figures);
  const result: DigitsReport = {
    schemaVersion: DIGITS_SCHEMA_VERSION,
    kind: "digits",
    run: run.name,
    vocabulary: describeVocabulary(vocabulary, options.tokenizer),
    ...figures,
    findings: run.findings.list(),
    sources: sourceSummaries(run).map((source) => ({
      ...source,
      sequences: sequences.get(source.file) ?? 0,
    })),
  };
  if (result.metrics.total_digits + result.metrics.multi_digit_tokens === 0) refuseEmpty(result);
  terminal.out(render(result, paths, options, terminal));
  tellFindings(result.findings, terminal);
  return conclude(run.findings.list(), reading.interrupted, result.metrics.sequences, terminal);
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

/** Sequences that `--json` lists unless it is told otherwise: as many as are a few megabytes. */
const LISTED = 1000;

function readListed({ sequences, json }: DigitsOptions): number {
  if (sequences === undefined) return LISTED;
  if (!json)
    throw new UsageError("--sequences needs --json: it lists sequences in the JSON result", {
      hint: "add --json",
    });
  if (sequences === "all") return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(sequences))
    throw new UsageError(`--sequences must be a whole number or all, not "${sequences}"`);
  return Number(sequences);
}

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

async function openVocabulary({ tokenizer, digitIds }: DigitsOptions): Promise<DigitVocabulary | undefined> {
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

/** Files of digits alone have no token ids, so there is nothing to look up. */
function standForThemselves(run: Run): DigitVocabulary | undefined {
  return isNtl(run) ? takeDigitTokens([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) : undefined;
}

function isNtl({ sources }: Run): boolean {
  return sources.every(({ trainer }) => trainer === "ntl");
}

function needsTokenizer(file: string): UsageError {
  return new UsageError("finding the digits needs the model's tokenizer", {
    at: { file },
    hint: "--tokenizer DIR (a directory with tokenizer.json), or the ids of 0 to 9: --digit-ids 15,16,17,18,19,20,21,22,23,24",
  });
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

function render(
  result: DigitsReport,
  paths: readonly string[],
  options: DigitsOptions,
  terminal: Terminal,
): string {
  if (options.json) return toJson(result);
  const command = commandLine("digits", paths, options, ["json", "markdown", "full"]);
  if (options.markdown) return renderDigitsMarkdown(result, { command });
  return renderDigitsTerminal(result, screenOptions(options, terminal, command));
}
