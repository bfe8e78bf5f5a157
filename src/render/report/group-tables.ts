import { formatCount, formatId, formatNumber, plural } from "../../core/text/index.ts";
import { type PartMetricKey, RUN_METRICS, runMetric } from "../../results/metrics/run-metrics.ts";
import type {
  MismatchMetrics,
  MismatchReport,
  PooledPartMetrics,
  StepMetrics,
} from "../../results/report.ts";
import {
  type ColumnOptions,
  figureColumn,
  makeTable,
  type Table,
  type TableColumn,
  textColumn,
} from "../document/table.ts";
import { foldSteps, type StepRange } from "./fold-steps.ts";

/** Maximum rows of a table of parts: a run may have a hundred thousand turns. */
const MOST_PARTS = 200;

/** Steps as rows: each step if there are at most `most`, otherwise ranges that keep the worst. */
export function stepTable(report: MismatchReport, most: number): Table {
  const steps = report.per_step;
  if (steps.length <= most)
    return groupTable(
      "steps",
      "By step",
      "step",
      steps,
      steps.map((group) => stepLabel(group.step)),
    );
  return foldedStepTable(steps, foldSteps(steps, most));
}

export function turnTable(report: MismatchReport): Table {
  const turns = report.per_turn;
  return groupTable(
    "turns",
    "By turn",
    "turn",
    turns,
    turns.map((group) => formatId(group.turn)),
  );
}

export function rankTable(report: MismatchReport): Table {
  const ranks = report.per_rank;
  return groupTable(
    "ranks",
    "By rank",
    "rank",
    ranks,
    ranks.map((group) => formatId(group.rank)),
  );
}

/** Environments, the largest mean |Δ| first. */
export function environmentTable(report: MismatchReport): Table {
  const groups = [...report.per_environment].sort((a, b) => b.delta_abs_mean - a.delta_abs_mean);
  return groupTable(
    "environments",
    "By environment",
    "environment",
    groups,
    groups.map((group) => group.name),
  );
}

export function correctnessTable(report: MismatchReport): Table {
  const groups = report.per_correctness;
  return groupTable(
    "correctness",
    "By correctness",
    "answer",
    groups,
    groups.map((group) => group.name),
  );
}

/** Engines, the largest mean |Δ| first. */
export function engineTable(report: MismatchReport): Table {
  const groups = [...report.per_engine].sort((a, b) => b.delta_abs_mean - a.delta_abs_mean);
  const names = groups.map((group) => group.name);
  return groupTable("engines", "By engine", "engine", groups, names, pooledPart(report, "engine"));
}

export function finishReasonTable(report: MismatchReport): Table {
  const groups = report.per_finish_reason;
  const names = groups.map((group) => group.name);
  const pooled = pooledPart(report, "finish_reason");
  return groupTable("finish-reasons", "By finish reason", "finish reason", groups, names, pooled);
}

/** The freshest first: with new weights, only the engine's own noise is left, so what comes on top is age. */
export function stalenessTable(report: MismatchReport): Table {
  const groups = [...report.per_staleness].sort((a, b) => a.staleness - b.staleness);
  const names = groups.map((group) => String(group.staleness));
  const floor = groups[0]?.delta_abs_mean ?? 0;
  const overFloor = (group: MismatchMetrics): number | null =>
    floor === 0 ? null : group.delta_abs_mean / floor;
  return groupTable(
    "staleness",
    "By staleness (step − weight version)",
    "staleness",
    groups,
    names,
    pooledPart(report, "staleness"),
    groups.length < 2
      ? undefined
      : {
          header: "× freshest",
          of: overFloor,
          meaning: "mean |Δ| as a multiple of that at the freshest weights, which is the engine's own noise",
        },
  );
}

function pooledPart(report: MismatchReport, kind: PooledPartMetrics["kind"]): PooledPartMetrics | undefined {
  return report.pooled_parts.find((pooled) => pooled.kind === kind);
}

/** `1,024 of 3,000 engines`: which rows are missing, and which sequences are in no row. */
function describeMissing(
  unit: string,
  shown: number,
  apart: number,
  pooled: PooledPartMetrics | undefined,
): string | undefined {
  const more = pooled?.is_more ? "more than " : "";
  const all = `${more}${formatCount(apart + (pooled?.parts ?? 0))} ${PLURALS[unit] ?? `${unit}s`}`;
  const worst =
    shown < apart
      ? [
          pooled === undefined
            ? `the ${shown} of ${all} with the largest mean |Δ|; --json has all`
            : `the ${shown} with the largest mean |Δ| of ${formatCount(apart)}; --json has these`,
        ]
      : [];
  if (pooled === undefined) return worst[0];
  const { parts, tokens, delta_abs_mean } = pooled;
  const rest =
    `${all} are too many to list separately: ${more}${formatCount(parts)} of them have no row, with ` +
    `${plural(tokens, "token")} and mean |Δ| ${formatNumber(delta_abs_mean)} together`;
  return [...worst, rest].join(". ");
}

const PLURALS: Readonly<Record<string, string>> = { staleness: "values of staleness" };

/** A column of one table alone, beside mean |Δ|. */
interface MoreFigures {
  readonly header: string;
  readonly of: (group: MismatchMetrics) => number | null;
  readonly meaning: string;
}

function groupTable(
  id: string,
  title: string,
  unit: string,
  allGroups: readonly MismatchMetrics[],
  allLabels: readonly string[],
  pooled?: PooledPartMetrics,
  besideMean?: MoreFigures,
): Table {
  const kept = unit === "step" ? allGroups.map((_, i) => i) : worstParts(allGroups);
  const groups = kept.map((i) => allGroups[i]!);
  const labels = kept.map((i) => allLabels[i]!);
  const metric = (key: PartMetricKey, options: ColumnOptions = {}): TableColumn =>
    figureColumn(
      RUN_METRICS[key].label,
      RUN_METRICS[key].kind,
      groups.map((group) => group[key]),
      { ...describeColumn(key), ...options },
    );
  return makeTable(
    id,
    title,
    [
      textColumn(unit, labels, {
        align: labels.every((label) => /^[-−]?\d+$/.test(label)) ? "right" : "left",
      }),
      figureColumn(
        "seqs",
        "count",
        groups.map((group) => group.sequences),
        { priority: 6, meaning: "sequences" },
      ),
      figureColumn(
        "tokens",
        "count",
        groups.map((group) => group.tokens),
        { priority: 3, meaning: "masked tokens" },
      ),
      metric("delta_abs_mean", { priority: 1, bars: true }),
      ...(besideMean === undefined
        ? []
        : [
            figureColumn(besideMean.header, "number", groups.map(besideMean.of), {
              priority: 2,
              meaning: besideMean.meaning,
            }),
          ]),
      metric("delta_abs_p99", { priority: 3 }),
      metric("delta_abs_p999", { priority: 5 }),
      metric("delta_abs_max", { priority: 2 }),
      metric("delta_mean", { priority: 4 }),
      metric("k3", { priority: 2 }),
      metric("prob_diff_max", { priority: 4 }),
      metric("pearson", { priority: 7 }),
      metric("ess", { priority: 5 }),
    ],
    describeMissing(unit, groups.length, allGroups.length, pooled),
  );
}

function describeColumn(key: PartMetricKey): ColumnOptions {
  const { meaning, worse } = runMetric(key);
  return { meaning, ...(worse !== undefined && { worst: worse === "more" ? "most" : "least" }) };
}

/** Indices of the parts with the largest mean |Δ|, in their own order. */
function worstParts(groups: readonly MismatchMetrics[]): number[] {
  const all = groups.map((_, i) => i);
  if (all.length <= MOST_PARTS) return all;
  const size = (i: number): number => groups[i]?.delta_abs_mean ?? 0;
  return all
    .sort((a, b) => size(b) - size(a))
    .slice(0, MOST_PARTS)
    .sort((a, b) => a - b);
}

function foldedStepTable(steps: readonly StepMetrics[], ranges: readonly StepRange[]): Table {
  const column = (
    key: "delta_abs_mean" | "k3" | "delta_abs_max" | "prob_diff_max",
    options: ColumnOptions,
  ): TableColumn =>
    figureColumn(
      RUN_METRICS[key].label,
      "number",
      ranges.map((range) => range[key]),
      { ...describeColumn(key), ...options },
    );
  const note =
    `${formatCount(steps.length)} steps in ${ranges.length} rows: means are over all tokens of a row, maxima over ` +
    "its steps; “worst step” is the one with the largest mean |Δ| of its row, and that mean";
  return makeTable(
    "steps",
    "By step",
    [
      textColumn(
        "steps",
        ranges.map((range) =>
          range.steps === 1 ? stepLabel(range.first) : `${stepLabel(range.first)}–${stepLabel(range.last)}`,
        ),
      ),
      figureColumn(
        "seqs",
        "count",
        ranges.map((range) => range.sequences),
        { priority: 6, meaning: "sequences" },
      ),
      figureColumn(
        "tokens",
        "count",
        ranges.map((range) => range.tokens),
        { priority: 3, meaning: "masked tokens" },
      ),
      column("delta_abs_mean", { priority: 1, bars: true }),
      textColumn(
        "worst step",
        ranges.map((range) => stepLabel(range.worst.step)),
        { priority: 2, align: "right" },
      ),
      figureColumn(
        "its mean",
        "number",
        ranges.map((range) => range.worst.delta_abs_mean),
        {
          priority: 2,
          worst: "most",
          meaning: "mean |Δ| of the worst step",
        },
      ),
      column("delta_abs_max", { priority: 1 }),
      column("k3", { priority: 2 }),
      column("prob_diff_max", { priority: 4 }),
    ],
    note,
  );
}

function stepLabel(step: number | null): string {
  return step === null ? "no step" : formatId(step);
}
