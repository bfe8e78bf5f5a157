import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { ANALYZE_SCHEMA_VERSION, type AnalyzeMetrics, type AnalyzeReport } from "../../results/analyze.ts";
import { type Database, isOutOfMemory, openDatabase } from "./database.ts";
import { FIELDS, refuseRecord } from "./fields.ts";
import { findLogs } from "./find-logs.ts";
import { testHypothesis } from "./hypothesis.ts";
import { type LoadedFile, loadJsonl } from "./load-jsonl.ts";
import { memoryError } from "./query.ts";
import { divergenceBins, positionBins } from "./questions/bins.ts";
import { comparisons } from "./questions/comparisons.ts";
import { digitFigures } from "./questions/digits.ts";
import { selectFigures } from "./questions/groups.ts";
import { flipCounts, iterationFigures } from "./questions/iterations.ts";
import { logShares } from "./questions/shares.ts";
import { commonTokens, mostDivergent, selections, thresholdCounts } from "./questions/tokens.ts";
import { createRecordIdentities } from "./record-identities.ts";
import { withKeys } from "./record-keys.ts";
import { createRowWriter } from "./row-writer.ts";
import { readScenarios } from "./scenarios.ts";
import { makeTokenTable, type TokenTable } from "./token-table.ts";

/** Which records count, and how many tokens are listed. */
export interface AnalyzeOptions {
  /** An SQL expression over the fields of the log; only records for which it is true are counted. */
  readonly where?: string;
  /** Length of every list of tokens; default 10. */
  readonly top?: number;
  /** Share of all responses that are correct, 0 to 1, for logs that do not say. */
  readonly accuracy?: number;
  /** Bytes of memory for the tables; default 1 GiB, beyond which they spill to temporary files. */
  readonly memoryLimit?: number;
  /** Input for the path `-`. */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

const DEFAULT_TOP = 10;

/**
 * Answers every question that the guide asks about high-divergence logs. Keeps only the fields that figures need and
 * those that `where` names; prompts and responses are skipped.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { calculateDebugMetrics } from "logratio/divergence";
 * import { analyzeLog, appendJsonl } from "logratio/node";
 *
 * const directory = await mkdtemp(join(tmpdir(), "log-"));
 * const path = join(directory, "divergence.jsonl");
 * const batch = { rollout_log_probs: [[-0.05]], old_log_probs: [[-3]], responses: [[12]] };
 * calculateDebugMetrics(batch, { divergenceJsonlPath: path, appendLines: appendJsonl, iteration: 5 });
 * const report = await analyzeLog([path]);
 * assert.equal(report.metrics.records, 1);
 * await rm(directory, { recursive: true });
 * ```
 *
 * @param paths JSONL files, plain or compressed; directories with such files; `-` for standard input
 * @returns counts, shares and probabilities as fractions, log-probs in nats, tests with p values
 * @throws UsageError if `where` cannot be used, or `accuracy` is not a share
 * @throws EmptyInputError if no line is a record
 * @throws NotFoundError if a path does not exist
 * @throws LimitError if the memory limit is too small even for spilling
 */
export async function analyzeLog(
  paths: readonly string[],
  options: AnalyzeOptions = {},
): Promise<AnalyzeReport> {
  const { accuracy } = options;
  if (accuracy !== undefined && !(accuracy >= 0 && accuracy <= 1))
    throw new UsageError(`an accuracy is from 0 to 1, not ${accuracy}`, {
      hint: "the share of all responses that are correct, such as 0.62",
    });
  const findings = new FindingLog();
  const files = await findLogs(paths, findings);
  const { where, memoryLimit, stdin } = options;
  const database = await openDatabase({ ordered: false, ...(memoryLimit !== undefined && { memoryLimit }) });
  try {
    const asked = where?.toLowerCase() ?? "";
    const writer = await createRowWriter(database, {
      table: "log",
      keep: (key) => Object.hasOwn(FIELDS, key.toLowerCase()) || asked.includes(key.toLowerCase()),
    });
    const keyed = withKeys(writer);
    const loaded: LoadedFile[] = [];
    const seen = createRecordIdentities();
    for (const file of files)
      loaded.push(await loadJsonl(file, keyed, { refuse: refuseRecord, seen, findings, stdin }));
    await writer.finish();
    refuseEmpty(loaded);
    if (writer.tooMany.size > 0) {
      findings.add({
        code: "note",
        severity: "warning",
        count: writer.tooMany.size,
        at: {},
        describe: (count) => `${count} fields are not read: the table has room for 1000`,
      });
    }
    const table = await makeTokenTable(database, where, writer.leftOut, findings);
    return await answer(database, table, loaded, findings, options);
  } catch (error) {
    throw isOutOfMemory(error) ? memoryError(error) : error;
  } finally {
    await database.close();
  }
}

function refuseEmpty(loaded: readonly LoadedFile[]): void {
  if (loaded.some(({ records }) => records > 0)) return;
  const [failure] = loaded.flatMap((file) => file.failure ?? []);
  if (failure !== undefined) throw failure;
  const [first] = loaded.flatMap(({ skipped }) => skipped);
  const lines = loaded.reduce((sum, { torn, foreign }) => sum + torn + foreign, 0);
  const names = loaded.map(({ file }) => file).join(", ");
  throw new EmptyInputError(
    lines === 0
      ? `no records in ${names}`
      : `none of ${lines} ${lines === 1 ? "line is" : "lines is"} a record of a high-divergence log: ${first!.why}`,
    {
      at: first === undefined ? { file: loaded[0]!.file } : { file: first.file, line: first.line },
      likely:
        lines === 0
          ? "no token has reached the threshold yet, or the log is written elsewhere"
          : "this is another kind of file",
      hint: "such a log is JSONL with prob_divergence in each line; logratio divergence makes one from recorded data",
    },
  );
}

async function answer(
  database: Database,
  table: TokenTable,
  loaded: readonly LoadedFile[],
  findings: FindingLog,
  { where, accuracy, top = DEFAULT_TOP }: AnalyzeOptions,
): Promise<AnalyzeReport> {
  const figures = await askFigures(database, top);
  const { all, correct, incorrect, unknown, digits, compared } = figures;
  const shares = await logShares(database, accuracy, where);
  const source = { correct, digits, shares, comparisons: compared };
  const scenarios = readScenarios(source);
  return {
    schemaVersion: ANALYZE_SCHEMA_VERSION,
    kind: "analyze",
    log: loaded.length === 1 ? loaded[0]!.file : `${loaded.length} logs`,
    where: where ?? null,
    metrics: {
      records_read: table.recordsRead,
      lines_skipped: loaded.reduce((sum, { torn, foreign }) => sum + torn + foreign, 0),
      files: loaded.length,
      ...listMetrics(figures),
    },
    by_correctness: { correct, incorrect, unknown },
    thresholds: figures.thresholds,
    common_tokens: await commonTokens(database, top),
    most_divergent: await mostDivergent(database, "true", top),
    positions: await positionBins(database),
    divergence_bins: await divergenceBins(database),
    per_iteration: figures.perIteration,
    flip_types: await flipCounts(database),
    digits,
    selections: figures.selected,
    comparisons: compared,
    shares,
    scenarios,
    hypothesis: testHypothesis(source, scenarios),
    absent: [
      ...(all.count === 0 ? ["no record passes the filter"] : []),
      ...Object.entries(NEEDED_FOR).flatMap(([field, effect]) =>
        table.missing.has(field)
          ? [`no ${field === "prompt_key" ? "prompt_text" : field} in the log: ${effect}`]
          : [],
      ),
      ...textLines(digits.texts_unknown, all.count, table.missing),
    ],
    skipped_lines: loaded.flatMap(({ skipped }) => skipped),
    findings: findings.list(),
    sources: loaded.map(({ file, bytes, records, torn, foreign }) => ({
      file,
      bytes: bytes ?? null,
      records,
      torn,
      foreign,
    })),
  };
}

/** The queries that the metrics are made of. */
async function askFigures(database: Database, top: number) {
  const all = await selectFigures(database, "true", 0);
  const { known } = await database.row<{ known: number }>("SELECT count(is_correct) AS known FROM tokens");
  return {
    all,
    correct: await selectFigures(database, "is_correct", known),
    incorrect: await selectFigures(database, "NOT is_correct", known),
    unknown: await selectFigures(database, "is_correct IS NULL", all.count),
    digits: await digitFigures(database),
    compared: await comparisons(database),
    perIteration: await iterationFigures(database),
    selected: await selections(database, top),
    thresholds: await thresholdCounts(database),
  };
}

type Asked = Awaited<ReturnType<typeof askFigures>>;
type ReadCounts = Pick<AnalyzeMetrics, "records_read" | "lines_skipped" | "files">;

function listMetrics(asked: Asked): Omit<AnalyzeMetrics, keyof ReadCounts> {
  const { all, correct, incorrect, unknown, digits, compared, perIteration, selected, thresholds } = asked;
  const tested = compared.find(({ id }) => id === "digits")!;
  const findCount = (id: (typeof selected)[number]["id"]): number =>
    selected.find((selection) => selection.id === id)!.count;
  return {
    records: all.count,
    iterations: perIteration.filter(({ iteration }) => iteration !== null).length,
    sequences: all.sequences,
    divergence_mean: all.mean,
    divergence_max: all.max,
    divergence_min: all.min,
    divergence_p50: all.p50,
    above_09: thresholds.find(({ threshold }) => threshold === 0.9)?.count ?? 0,
    correct_count: correct.count,
    incorrect_count: incorrect.count,
    unknown_count: unknown.count,
    correct_share: correct.share,
    correct_mean: correct.mean,
    incorrect_mean: incorrect.mean,
    correct_max: correct.max,
    incorrect_max: incorrect.max,
    digits_count: digits.count,
    digits_correct_count: digits.correct.count,
    digits_incorrect_count: digits.incorrect.count,
    digits_correct_mean: digits.correct.mean,
    digits_incorrect_mean: digits.incorrect.mean,
    digits_ratio: digits.ratio,
    digits_t: tested.t.statistic,
    digits_t_p: tested.t.p_value,
    digits_welch_t: tested.welch.statistic,
    digits_welch_p: tested.welch.p_value,
    digits_mann_whitney_u: tested.mann_whitney.statistic,
    digits_mann_whitney_p: tested.mann_whitney.p_value,
    early_count: findCount("early"),
    confident_correct_count: findCount("confident_correct"),
  };
}

const NEEDED_FOR: Readonly<Record<string, string>> = {
  is_correct: "correct and incorrect answers are not distinguished",
  flip_type: "no flip patterns; older logs lack it",
  iteration: "no figures over iterations, and responses are not identified",
  batch_idx: "responses are not identified",
  prompt_key: "prompts are unknown, so intervals and tests treat responses as independent",
  position: "no positions",
  token_text: "no token texts and no digit tokens",
};

function textLines(unknown: number, records: number, missing: ReadonlySet<string>): string[] {
  if (unknown === 0 || missing.has("token_text")) return [];
  const which = unknown === records ? "every record" : `${unknown} of ${records} records`;
  return [`no text of the token in ${which}: it was logged without a tokenizer, and may be a digit`];
}
