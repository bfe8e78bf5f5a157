/**
 * What was compared, as the result that `logratio compare --json` prints.
 *
 * @module
 */
import { orNull } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { boundShareOfNone, boundUnseen, FEWEST_BOUND_CLUSTERS } from "../../core/statistics/mean-bound.ts";
import { plural } from "../../core/text/index.ts";
import {
  COMPARE_SCHEMA_VERSION,
  type ColumnComparison,
  type ColumnMetrics,
  type CompareReport,
  type CompareSide,
  type DifferingToken,
  type Pairing,
} from "../../results/compare.ts";
import { pooledMetrics } from "../report/metrics.ts";
import type { Compared, ComparedColumn } from "./comparison.ts";
import {
  boundColumn,
  compareConcern,
  countNeeded,
  judgeColumn,
  judgeCoverage,
  LEAST_TOKEN_SHARE,
  type TestOptions,
} from "./judge.ts";
import { describeColumn, describeFigures } from "./sentences.ts";
import { boundUnseenDifference, compareFigures, judgeFigures } from "./unpaired.ts";

/** Mean |Δ| in nats that counts as agreement by default. */
export const DEFAULT_WITHIN = 0.01;
const WITHIN_REASON =
  "the default: verl calls a mean |Δp| above 0.01 a precision problem (docs/faq), and |Δp| is never more than |Δ|";
const GIVEN_REASON = "as given by --within";
const BITWISE_REASON = "0: only equality of every bit will do";
export const DEFAULT_ALPHA = 0.05;
/** Differing tokens that a certificate names. */
const WORST_NAMED = 10;
/** Decimals of a share in a caveat. */
const PER_CENT = 100;

export interface CompareInputs extends TestOptions {
  readonly compared: Compared;
  readonly a: Omit<CompareSide, "sequences" | "tokens" | "columns">;
  readonly b: Omit<CompareSide, "sequences" | "tokens" | "columns">;
  readonly isDefault: boolean;
  readonly findings: readonly Finding[];
  readonly logratio: string;
  readonly by?: string | undefined;
  readonly date?: string | undefined;
  /** The doctor command for a source that has both policies; undefined if there is none. */
  readonly doctor?: string | undefined;
}

export function buildCompareReport(input: CompareInputs): CompareReport {
  const { compared, within, alpha, isDefault } = input;
  const { counts, names, mode } = compared;
  const side = (which: "a" | "b"): CompareSide => ({
    ...input[which],
    sequences: counts.sequences[which],
    tokens: counts.tokens[which],
    columns: names[which],
  });
  const test = { within, alpha };
  const outcome = mode === "unpaired" ? buildFigures(compared, test) : buildColumns(compared, test);
  return {
    schemaVersion: COMPARE_SCHEMA_VERSION,
    kind: "compare",
    mode,
    certificate: outcome.certificate,
    basis: outcome.basis,
    sentence: outcome.sentence,
    a: side("a"),
    b: side(mode === "columns" ? "a" : "b"),
    test: {
      ...test,
      within_reason: within === 0 ? BITWISE_REASON : isDefault ? WITHIN_REASON : GIVEN_REASON,
      statistic: "delta_abs_mean",
      unit: outcome.unit,
      clusters_least: FEWEST_BOUND_CLUSTERS,
    },
    metrics: outcome.metrics,
    columns: outcome.columns,
    figures: outcome.figures,
    pairing: mode === "paired" ? describePairing(compared) : null,
    caveats: [...listSameFiles(input), ...listCaveats(compared, outcome.columns)],
    next: adviseNext(outcome, input.doctor),
    by: input.by ?? null,
    date: input.date ?? null,
    logratio: input.logratio,
    findings: input.findings,
  };
}

type Outcome = Pick<
  CompareReport,
  "certificate" | "basis" | "sentence" | "metrics" | "columns" | "figures"
> & {
  readonly unit: "prompt" | "sequence";
  /** Number of prompts that would decide; undefined if more prompts would not. */
  readonly needed: number | undefined;
};

function buildFigures({ runs }: Compared, test: TestOptions): Outcome {
  const figures = compareFigures(runs.a.total, runs.b.total, test.alpha);
  const unseen = boundUnseenDifference(runs.a.total, runs.b.total, test.alpha);
  const judgment = judgeFigures(figures, unseen, test);
  const [a, b] = [runs.a.total.clusters!, runs.b.total.clusters!];
  const clusters = Math.min(a.count, b.count);
  const metrics = figures.flatMap(({ name, ...values }) =>
    Object.entries(values).map(([which, value]) => [`${name}_${which}`, value] as const),
  );
  return {
    ...judgment,
    sentence: describeFigures(judgment, test, { figure: figures[0]!, unseen, clusters }),
    metrics: {
      ...Object.fromEntries(metrics),
      delta_abs_mean_unseen_low: unseen?.low ?? null,
      delta_abs_mean_unseen_high: unseen?.high ?? null,
      clusters_a: a.count,
      clusters_b: b.count,
    },
    columns: [],
    figures,
    unit: a.unit === "prompt" && b.unit === "prompt" ? "prompt" : "sequence",
    needed: judgment.basis === "too_few" ? FEWEST_BOUND_CLUSTERS : undefined,
  };
}

function buildColumns(compared: Compared, test: TestOptions): Outcome {
  const columns = compared.columns.map((column) => buildColumn(column, compared, test));
  columns.sort(compareConcern);
  const [worst] = columns as [ColumnComparison];
  const { certificate, basis, metrics } = worst;
  const unit = compared.columns[0]!.sums.summary.total.clusters!.unit;
  const name = columns.length === 1 ? "" : `${worst.a_column}: `;
  return {
    certificate,
    basis,
    sentence: name + worst.sentence,
    metrics: { ...metrics },
    columns,
    figures: [],
    unit,
    needed: metrics.clusters_needed ?? undefined,
  };
}

function buildColumn(
  { pair, sums }: ComparedColumn,
  compared: Compared,
  test: TestOptions,
): ColumnComparison {
  const { total } = sums.summary;
  const bounds = boundColumn(total, "deltaAbs", test.alpha);
  const shares = measureShares(compared);
  const judged = judgeColumn(sums.counts, bounds, test);
  const judgment = compared.mode === "paired" ? judgeCoverage(judged, shares) : judged;
  const needed = judgment.certificate === "undecidable" && judgment.basis !== "coverage";
  const metrics = measureColumn(sums, test, needed);
  const { unit } = total.clusters!;
  return {
    a_column: pair[0],
    b_column: pair[1],
    ...judgment,
    sentence: describeColumn(judgment, test, { facts: metrics, bounds, first: sums.first, unit, shares }),
    metrics,
    stored: sums.ulps.stored,
    ulps: sums.ulps.list(),
    first: sums.first,
    starts: sums.profile.listStarts(),
    worst: listWorst(sums),
    per_step: sums.profile.listSteps(),
    per_turn: sums.profile.listTurns(),
  };
}

function measureColumn(sums: ComparedColumn["sums"], test: TestOptions, needed: boolean): ColumnMetrics {
  const { counts, summary } = sums;
  const pooled = pooledMetrics(summary.total);
  const [size, bias] = (["deltaAbs", "delta"] as const).map((column) =>
    boundColumn(summary.total, column, test.alpha),
  ) as [ReturnType<typeof boundColumn>, ReturnType<typeof boundColumn>];
  const clusters = summary.total.clusters!.count;
  const isEqual = counts.unequal === 0;
  return {
    tokens: counts.tokens,
    sequences: counts.sequences,
    clusters,
    unequal: counts.unequal,
    unequal_sequences: counts.unequalSequences,
    unequal_share: orNull(counts.unequal / counts.tokens),
    unequal_share_upper: isEqual ? boundShareOfNone(counts.tokens, test.alpha) : null,
    unequal_clusters_share_upper: isEqual ? boundShareOfNone(clusters, test.alpha) : null,
    signed_zeros: counts.signedZeros,
    one_sided: counts.oneSided,
    missing_both: counts.missingBoth,
    delta_mean: orNull(pooled.delta_mean),
    delta_mean_low: bias.low ?? null,
    delta_mean_high: bias.high ?? null,
    delta_abs_mean: orNull(pooled.delta_abs_mean),
    delta_abs_mean_low: size.low ?? null,
    delta_abs_mean_high: size.high ?? null,
    unseen_clusters_share_upper: boundShareOfNone(size.clusters, test.alpha),
    delta_abs_mean_unseen: boundUnseen(size, test.alpha) ?? null,
    delta_abs_max: orNull(pooled.delta_abs_max),
    delta_abs_p50: orNull(pooled.delta_abs_p50),
    delta_abs_p99: orNull(pooled.delta_abs_p99),
    delta_abs_p999: orNull(pooled.delta_abs_p999),
    prob_diff_mean: orNull(pooled.prob_diff_mean),
    prob_diff_max: orNull(pooled.prob_diff_max),
    k3: orNull(pooled.k3),
    clusters_needed: needed ? (countNeeded(size, test) ?? null) : null,
  };
}

function listWorst({ summary }: ComparedColumn["sums"]): DifferingToken[] {
  return summary.worstTokens
    .list()
    .slice(0, WORST_NAMED)
    .map(({ handle, file, token_id, turn, rollout_logprob, trainer_logprob, delta }) => ({
      handle,
      file,
      token_id,
      turn,
      a: orNull(rollout_logprob),
      b: orNull(trainer_logprob),
      delta,
    }));
}

function measureShares({ counts }: Pick<Compared, "counts">): { a: number; b: number } {
  return { a: counts.compared / counts.tokens.a, b: counts.compared / counts.tokens.b };
}

function describePairing(compared: Compared): Pairing {
  const { counts } = compared;
  const matched = [...counts.by.values()].reduce((sum, count) => sum + count, 0);
  return {
    by: Object.fromEntries(counts.by),
    sequences: counts.pairs,
    tokens: counts.compared,
    unpaired_sequences: { a: counts.sequences.a - matched, b: counts.sequences.b - matched },
    token_share: measureShares(compared),
    parted_sequences: counts.parted,
    parted_tokens: counts.partedTokens,
    other_prompts: counts.otherPrompts,
    mask_differs: counts.maskDiffers,
    unchecked_sequences: counts.unchecked,
  };
}

/** Copies of the same file agree whatever they contain. */
function listSameFiles({ a, b, compared }: CompareInputs): string[] {
  if (compared.mode === "columns") return [];
  const digests = [a, b].map(({ inputs }) => inputs.map(({ sha256 }) => sha256).sort());
  const areKnown = digests[0]!.length > 0 && digests.flat().every((digest) => digest !== null);
  return areKnown && digests[0]!.join() === digests[1]!.join()
    ? ["A and B are the same files, so they agree whatever they contain."]
    : [];
}

function listCaveats({ mode, counts }: Compared, columns: readonly ColumnComparison[]): string[] {
  const caveats: string[] = [];
  if (mode === "unpaired")
    caveats.push(
      "The texts differ, so runs are compared by their own mismatch; equality cannot be certified.",
    );
  if (mode === "columns")
    caveats.push(`A is the column ${columns[0]!.a_column}, B the column ${columns[0]!.b_column}.`);
  if (mode === "paired" && columns.length > 1)
    caveats.push(`Both sides have ${columns.length} columns; each was compared, and the worst decides.`);
  const named = columns.filter(({ a_column, b_column }) => a_column !== b_column);
  if (mode === "paired" && named.length > 0)
    caveats.push(`A's column ${named[0]!.a_column} was compared with B's ${named[0]!.b_column}.`);
  for (const { a_column: column, stored } of columns)
    if (stored.a !== stored.b)
      caveats.push(
        `${column}: A is stored in ${stored.a} and B in ${stored.b}; values that one type lacks cannot be equal.`,
      );
  if (counts.unchecked > 0)
    caveats.push(
      `${plural(counts.unchecked, "sequence")} without token ids on both sides: that both scored the same tokens was not checked.`,
    );
  if (mode === "paired" && Math.min(...Object.values(measureShares({ counts }))) < 1 - 1 / PER_CENT)
    caveats.push("A certificate covers only the tokens that were compared.");
  return caveats;
}

function adviseNext(outcome: Outcome, doctor: string | undefined): CompareReport["next"] {
  const { certificate, basis, unit, needed } = outcome;
  if (certificate === "equal" || certificate === "equivalent") return null;
  if (basis === "coverage")
    return {
      command: null,
      why: `Give two sources that scored the same tokens: at least ${LEAST_TOKEN_SHARE * PER_CENT} % of either side must be in both.`,
    };
  if (needed !== undefined)
    return {
      command: null,
      why: `About ${plural(needed, unit)} would decide${basis === "too_few" ? "" : ", if they vary as much as these"}.`,
    };
  if (certificate === "undecidable")
    return {
      command: null,
      why: `More ${unit}s would narrow the interval; --within sets a different tolerance.`,
    };
  return doctor === undefined
    ? null
    : { command: doctor, why: "the cause, or the experiment that would show it" };
}
