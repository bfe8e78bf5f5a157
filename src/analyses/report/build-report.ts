import { orNull } from "../../core/base/index.ts";
import { absProbDiffStd, deltaStd, effectiveSampleSize, sumsLayout as F } from "../../core/kernels/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { isEnough } from "../../core/statistics/enough.ts";
import type { GroupRow, MismatchSummary } from "../../core/summaries/index.ts";
import {
  emptyOutcomeSums,
  type OutcomeMeans,
  outcomeMeans,
  TWOFOLD_DELTA,
} from "../../core/summaries/index.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";
import {
  type GroupMetrics,
  type MismatchMetrics,
  type MismatchReport,
  type NamedMetrics,
  type ParityBlock,
  type PooledPartMetrics,
  REPORT_SCHEMA_VERSION,
  type SequenceMetrics,
  type SourceSummary,
  type StepMetrics,
  type TurnMetrics,
} from "../../results/report.ts";
import type { WatchReport } from "../../results/watch.ts";
import type { ParityTrainer } from "../../trainers/shared/index.ts";
import { assess } from "../assessment/assess.ts";
import { correctionNeed, type RatioReadings } from "../assessment/correction-need.ts";
import { tellFinite } from "../assessment/finite.ts";
import { listLeftOut } from "../assessment/left-out.ts";
import { judgeRun } from "../assessment/verdict.ts";
import { type Segmentation, StepLevels } from "../assessment/when.ts";
import { findDumpBeside } from "../health/beside-dump.ts";
import { RunWatch } from "../watch/step-watch.ts";
import type { BoundedSlices } from "./bounded-slices.ts";
import { eventsOf } from "./events.ts";
import { type FactSource, findFacts } from "./facts/index.ts";
import { assessColumns, measureBefore } from "./finite-columns.ts";
import { readGradient } from "./gradient/read-gradient.ts";
import { correctnessSpreads, magnitudeHistogram, signedHistogram } from "./histograms.ts";
import { reportIdentity, type StepTests } from "./identity/report-identity.ts";
import { measureTests } from "./identity/tests.ts";
import { cautionEss, reportTrust } from "./identity/trust.ts";
import { computeIntervals, computeRanges, jumpInterval } from "./intervals.ts";
import {
  computeMetrics,
  computeTailCurve,
  countCatastrophic,
  describeDistribution,
  describeTail,
  pooledMetrics,
} from "./metrics.ts";
import { correctCommand, nextCommand } from "./next-command.ts";
import type { RunSummary } from "./run-summary.ts";
import { JUMP } from "./sample-rows.ts";
import { selectionBy } from "./selection.ts";
import type { Slices } from "./slices.ts";
import {
  type Comparisons,
  compareParts,
  comparePlaces,
  compareWholes,
  type GatheredPlaces,
  gatherAllPlaces,
  type PlaceChances,
  testPlaces,
} from "./standouts/index.ts";
import { PROBABILITY_EDGES } from "./token-groups.ts";

/** Input of a report. */
export interface ReportInput {
  /** Name of the run, as shown in the report. */
  readonly run: string;
  /** The paths as given by the user, for the next command. */
  readonly paths: readonly string[];
  /** The flags that chose what was read, verbatim, for the same purpose. */
  readonly flags?: readonly string[];
  /** Sums over the run. */
  readonly summary: RunSummary;
  /** The doctor's diagnosis of the same batches; without it, the answer has no causes. */
  readonly diagnosis?: Diagnosis | undefined;
  /** Sums over prompts that both sides scored; not part of `summary`. */
  readonly prompts?: MismatchSummary | undefined;
  /** Trainers whose logged figures are shown alongside; none if empty. */
  readonly parity: readonly ParityTrainer[];
  /** Findings from reading. */
  readonly findings: readonly Finding[];
  /** Files that were read; the summary counts their sequences. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

const TOKEN_IDS_SHOWN = 20;

/**
 * Turns a filled run summary into the report: figures, verdict, facts. Pure; the same summary gives the same report.
 * `reportRun` of `logratio/node` does everything from paths.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { buildReport, createRecordBuilder, RunSummary } from "logratio";
 *
 * const provenance = { file: "memory", format: "json", trainer: "own", alignment: "token" } as const;
 * const builder = createRecordBuilder({ provenance });
 * builder.push({
 *   length: 3,
 *   responseMask: Uint8Array.of(1, 1, 0),
 *   rolloutLogprobs: Float32Array.of(-0.105, -1.609, -0.357), // nats
 *   trainerLogprobs: Float32Array.of(-0.105, -1.204, -0.357),
 *   step: 10,
 * });
 * const summary = new RunSummary();
 * summary.add(builder.flush());
 * const report = buildReport({ run: "mine", paths: [], summary, parity: [], findings: [], sources: [] });
 * assert.equal(report.metrics.tokens, 2);
 * assert(report.metrics.k3 > 0 && report.metrics.k3 < 0.1); // nats
 * assert.equal(report.worst_tokens[0]?.handle, "s10.q0.t1");
 * ```
 *
 * @param input the summary, and where it came from
 * @returns logs and KLs in nats, shares and probabilities as fractions, names as `--json` prints them
 */
export function buildReport(input: ReportInput): MismatchReport {
  return completeReport(input, describe(input), compareParts(input.summary.sample.list()));
}

/** Work done elsewhere while a report is built. */
export interface Beside {
  /** `testPlaces` in another thread; undefined, or returns undefined, if it is not worthwhile. */
  readonly testApart?: (places: GatheredPlaces) => Promise<PlaceChances> | undefined;
  /** Replaces the input's diagnosis if another thread makes it. */
  readonly diagnosis?: Promise<Diagnosis>;
}

/** Like {@link buildReport}; other threads test turns and tenths of responses, or diagnose, in the meantime. */
export async function buildReportBeside(
  input: ReportInput,
  { testApart, diagnosis }: Beside,
): Promise<MismatchReport> {
  const clusters = input.summary.sample.list();
  const places = gatherAllPlaces(clusters);
  const testing = testApart?.(places);
  // Prevents unhandled rejections of the other threads if the code below throws.
  for (const other of [testing, diagnosis]) other?.catch(() => {});
  const described = describe(input);
  const wholes = compareWholes(clusters);
  const chances = (await testing) ?? testPlaces(places.toTest);
  const found = (await diagnosis) ?? input.diagnosis;
  return completeReport({ ...input, diagnosis: found }, described, {
    ...wholes,
    ...comparePlaces(places, chances),
  });
}

function completeReport(
  input: ReportInput,
  { source, segmentation: found }: Described,
  comparisons: Comparisons,
): MismatchReport {
  const { summary } = input;
  const fault = findFault(input.findings, source.metrics.tokens);
  // If columns cannot be compared, steps say nothing.
  const segmentation = fault === undefined ? found : new StepLevels().find();
  const facts = findFacts(source, summary.sample, comparisons);
  const leftOut = listLeftOut(input.findings, source.excluded);
  const need = source.metrics.tokens === 0 ? undefined : correctionNeed(readRatios(summary.total));
  const judged = judgeRun({
    metrics: source.metrics,
    ranges: computeRanges(source.intervals),
    segmentation,
    leftOut,
    files: input.sources.length,
    need,
    fault,
  });
  const finite = assessColumns(summary, source.per_step, input.sources);
  const before = measureBefore(summary, finite);
  const { assessment, verdict } = assess({
    source,
    verdict: tellFinite(judged, finite, { metrics: source.metrics, before, fault }),
    finite,
    segmentation,
    events: eventsOf(summary),
    beside: isEnough(source.metrics) ? findDumpBeside({ ...source, sample: summary.sample.list() }) : [],
    need,
    fault,
    diagnosis: input.diagnosis,
  });
  return {
    ...source,
    left_out: leftOut,
    assessment,
    verdict: { ...verdict, readings: cautionEss(verdict.readings, source.trust, source.metrics) },
    facts,
    correct: correctCommand(assessment, { paths: input.paths, flags: input.flags ?? [] }),
    next: nextCommand(source, facts, input.findings, {
      paths: input.paths,
      flags: input.flags ?? [],
      compared: input.parity.map(({ name }) => name),
      isOff: WORSE_THAN_NORMAL.has(verdict.level),
      isTooFew: verdict.level === "too_few",
    }),
    parity: input.parity.map((trainer) => parityBlock(trainer, summary)),
    findings: input.findings,
    sources: input.sources.map((of) => ({ ...of, sequences: summary.sequencesByFile.get(of.file) ?? 0 })),
  };
}

/** What the report says about single steps. */
interface StepFigures {
  readonly perStep: StepMetrics[];
  readonly tests: StepTests[];
  readonly watch: WatchReport;
  readonly segmentation: Segmentation;
}

/** In a single pass: most steps are kept as bytes and decoded on each access. */
function describeSteps(summary: RunSummary): StepFigures {
  const [perStep, tests] = [[] as StepMetrics[], [] as StepTests[]];
  const [watch, levels] = [new RunWatch(), new StepLevels()];
  for (const [step, slice] of summary.steps.sorted()) {
    perStep.push({
      step: orNull(step),
      ...pooledMetrics(slice),
      ...averageOutcomes(summary.outcomesAt(step)),
    });
    tests.push({ step, tests: measureTests(slice) });
    watch.add({ step, deltas: slice.deltas, clusters: slice.clusters });
    levels.add({ step, clusters: slice.clusters });
  }
  return { perStep, tests, watch: watch.report(), segmentation: levels.find() };
}

/** The figures behind facts, verdict and the next command. */
interface Described {
  readonly source: FactSource;
  readonly segmentation: Segmentation;
}

function describe(input: ReportInput): Described {
  const steps = describeSteps(input.summary);
  return { source: describeRun(input, steps), segmentation: steps.segmentation };
}

/** All figures. */
function describeRun(input: ReportInput, steps: StepFigures): FactSource {
  const { summary } = input;
  const { total } = summary;
  const pooled = pooledMetrics(total);
  const tails = summary.tails.indices();
  return {
    schemaVersion: REPORT_SCHEMA_VERSION,
    kind: "report",
    run: input.run,
    trainers: [...new Set(input.sources.map(({ trainer }) => trainer))],
    metrics: {
      ...pooled,
      steps: summary.steps.size,
      turns_max: total.turns.length,
      ranks: summary.ranks.byKey.size,
      sequences_empty: total.sequences.empty,
      prob_diff_above_half: probDiffs(total).countAbove(JUMP) / pooled.tokens,
      ...countCatastrophic(total.deltas),
    },
    identity: reportIdentity({
      summary,
      steps: steps.tests,
      tails,
      pooled,
      notJudged: selectionBy(input.flags ?? []),
    }),
    trust: reportTrust(summary, tails),
    watch: steps.watch,
    intervals: { ...computeIntervals(total), ...jumpInterval(summary.sample) },
    ...describeValues(summary, pooled),
    sequence_metrics: sequenceMetrics(total),
    per_step: steps.perStep,
    ...describeSlices(summary),
    ...(input.prompts && { prompts: pooledMetrics(input.prompts) }),
    ...describeGroups(summary, pooled),
    worst_tokens: summary.worstTokens.list(),
    worst_sequences: summary.worstSequences.list(),
    gradient: readGradient(summary.gradient, { ...pooled, worst: summary.worstTokens.list() }),
    excluded: {
      delta_negative_infinite: total.sums[F.NEGATIVE_INFINITE_COUNT]!,
      delta_positive_infinite: total.sums[F.POSITIVE_INFINITE_COUNT]!,
      missing: total.sums[F.UNDEFINED_COUNT]!,
    },
  };
}

/** How Δ, |Δp| and ρ are distributed. */
function describeValues(
  summary: RunSummary,
  pooled: MismatchMetrics,
): Pick<MismatchReport, "distributions" | "histograms" | "tail_curve" | "tails"> {
  const { total } = summary;
  return {
    distributions: {
      delta: describeDistribution(total.deltas, pooled.delta_mean, deltaStd(total.sums)),
      delta_abs: describeDistribution(
        total.deltas.absolute(),
        pooled.delta_abs_mean,
        Math.sqrt(Math.max(2 * pooled.k2 - pooled.delta_abs_mean ** 2, 0)),
      ),
      prob_diff_abs: describeDistribution(
        probDiffs(total),
        total.sums[F.ABS_PROB_DIFF_MEAN]!,
        absProbDiffStd(total.sums),
      ),
      ratio: describeDistribution(total.deltas, pooled.ratio_mean, pooled.ratio_std, Math.exp),
    },
    histograms: {
      delta: signedHistogram(total.deltas),
      prob_diff_abs: magnitudeHistogram(probDiffs(total)),
      by_correctness: correctnessSpreads(summary),
    },
    tail_curve: computeTailCurve(total.deltas),
    tails: {
      positive: describeTail(
        total.deltas,
        "positive",
        total.sums[F.POSITIVE_COUNT]!,
        total.sums[F.POSITIVE_SUM]!,
      ),
      negative: describeTail(
        total.deltas,
        "negative",
        total.sums[F.NEGATIVE_COUNT]!,
        total.sums[F.NEGATIVE_SUM]!,
      ),
    },
  };
}

/** Groups of sequences (other than steps), and turns. */
function describeSlices(
  summary: RunSummary,
): Pick<
  MismatchReport,
  | "per_turn"
  | "per_rank"
  | "per_environment"
  | "per_correctness"
  | "per_engine"
  | "per_finish_reason"
  | "per_staleness"
  | "pooled_parts"
> {
  return {
    per_turn: summary.total.turns.flatMap(({ sums, sequences }, turn): TurnMetrics[] =>
      // A filter may leave a turn without tokens.
      sequences === 0 ? [] : [{ turn, ...computeMetrics(sums, sequences, summary.turnDeltas[turn]) }],
    ),
    per_rank: summary.ranks.sorted().map(([rank, slice]) => ({ rank, ...pooledMetrics(slice) })),
    per_environment: namedSlices(summary.environments),
    per_correctness: namedSlices(summary.correctness),
    per_engine: namedSlices(summary.engines),
    per_finish_reason: namedSlices(summary.finishReasons),
    per_staleness: summary.staleness
      .sorted()
      .map(([staleness, slice]) => ({ staleness, ...pooledMetrics(slice) })),
    pooled_parts: [
      ...pooledParts("engine", summary.engines),
      ...pooledParts("finish_reason", summary.finishReasons),
      ...pooledParts("staleness", summary.staleness),
    ],
  };
}

/** Groups of tokens. */
function describeGroups(
  { groups }: RunSummary,
  pooled: MismatchMetrics,
): Pick<MismatchReport, "per_position_decile" | "per_rollout_probability" | "per_token_id"> {
  return {
    per_position_decile: [...groups.deciles.rows()].map((row) => ({
      decile: row.group,
      ...groupMetrics(row, pooled),
    })),
    per_rollout_probability: [...groups.buckets.rows()].map((row) => ({
      from: PROBABILITY_EDGES[row.group] as number,
      to: PROBABILITY_EDGES[row.group + 1] as number,
      ...groupMetrics(row, pooled),
    })),
    per_token_id: groups.tokenIds.largest(TOKEN_IDS_SHOWN).map((row) => ({
      token_id: row.group,
      ...groupMetrics(row, pooled),
    })),
  };
}

const WORSE_THAN_NORMAL: ReadonlySet<MismatchReport["verdict"]["level"]> = new Set([
  "fault",
  "not_comparable",
  "elevated",
  "high",
  "broken",
]);

/** How even the ratios are. */
function readRatios({ sums, deltas }: MismatchSummary): RatioReadings {
  const outside = deltas.countAbove(TWOFOLD_DELTA) + deltas.countBelow(-TWOFOLD_DELTA);
  return { ess: effectiveSampleSize(sums), ratio_outside: outside / deltas.count };
}

/** Why the figures do not compare the two policies, if so: then nothing else can be said about them. */
function findFault(findings: readonly Finding[], tokens: number): string | undefined {
  const find = (...codes: Finding["code"][]): Finding | undefined =>
    findings.find(({ code }) => codes.includes(code));
  const constant = findings.find(({ code, count }) => code === "constant-logprobs" && count >= tokens);
  if (constant !== undefined) return constant.message;
  const moved = find("shifted-columns", "padding-side");
  if (moved !== undefined) return `not comparable until the columns are aligned: ${moved.message}`;
  const zeros = find("zero-logprobs");
  return zeros && `not comparable until the mask is right: ${zeros.message}`;
}

function averageOutcomes(sums = emptyOutcomeSums()): Pick<StepMetrics, keyof OutcomeMeans> {
  const { entropy, response_tokens, reward, accuracy } = outcomeMeans(sums);
  return {
    entropy: orNull(entropy),
    response_tokens: orNull(response_tokens),
    reward: orNull(reward),
    accuracy: orNull(accuracy),
  };
}

function probDiffs(total: MismatchSummary) {
  if (!total.probDiffs) throw new RangeError("cannot describe |Δp|: the summary was made without its sketch");
  return total.probDiffs.absolute();
}

function namedSlices(slices: Slices<string> | BoundedSlices<string>): NamedMetrics[] {
  return slices.sorted().map(([name, slice]) => ({ name, ...pooledMetrics(slice) }));
}

function pooledParts(
  kind: PooledPartMetrics["kind"],
  slices: BoundedSlices<string> | BoundedSlices<number>,
): PooledPartMetrics[] {
  const pooled = slices.pooled();
  if (pooled === undefined) return [];
  const { summary, count, isMore } = pooled;
  return [{ kind, parts: count, is_more: isMore, ...pooledMetrics(summary) }];
}

function groupMetrics(
  row: GroupRow,
  pooled: { tokens: number; k3: number; delta_abs_mean: number },
): GroupMetrics {
  return {
    tokens: row.count,
    token_share: row.count / pooled.tokens,
    delta_mean: row.delta / row.count,
    delta_abs_mean: row.deltaAbs / row.count,
    delta_abs_max: row.deltaAbsMax,
    k3: row.k3 / row.count,
    k3_share: pooled.k3 > 0 ? row.k3 / (pooled.k3 * pooled.tokens) : 0,
    delta_abs_share: pooled.delta_abs_mean > 0 ? row.deltaAbs / (pooled.delta_abs_mean * pooled.tokens) : 0,
  };
}

function sequenceMetrics({ sequences, sums }: MismatchSummary): SequenceMetrics {
  const per = (sum: number): number => sum / sequences.count;
  const some = (value: number): number => (sequences.count > 0 ? value : Number.NaN);
  const ratio = 1 + sequences.ratioExcessMean;
  return {
    sequences: sequences.count,
    log_ppl_diff_mean: some(sequences.diffMean),
    log_ppl_diff_std: Math.sqrt(per(sequences.diffM2)),
    log_ppl_diff_abs_mean: per(sequences.diffAbs),
    log_ppl_diff_max: some(sequences.diffMax),
    log_ppl_diff_min: some(sequences.diffMin),
    rollout_ppl_mean: per(sequences.rolloutPpl),
    trainer_ppl_mean: per(sequences.trainerPpl),
    ppl_ratio_mean: 1 + per(sequences.pplRatioExcess),
    chi2_seq: per(sequences.chi2),
    ess_seq: some(1 / (1 + per(sequences.ratioExcessM2) / (ratio * ratio))),
    length_mean: per(sums[F.COUNT]!),
    length_max: some(sequences.lengthMax),
  };
}

function parityBlock(trainer: ParityTrainer, summary: RunSummary): ParityBlock {
  const batch = {
    summary: summary.total,
    packs: [...summary.packs.values()].flatMap((packs) => [...packs.values()]),
  };
  const metrics = trainer.metrics(batch);
  return {
    trainer: trainer.name,
    source: trainer.source,
    metrics,
    discrepancies: trainer.discrepancies(batch, metrics),
    per_step: Array.from(summary.steps.sorted(), ([step, slice]) => ({
      step: orNull(step),
      metrics: trainer.metrics({ summary: slice, packs: [...(summary.packsAt(step)?.values() ?? [])] }),
    })),
  };
}
