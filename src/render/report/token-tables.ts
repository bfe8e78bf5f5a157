import {
  type Figure,
  formatCount,
  formatId,
  formatPlain,
  formatProbability,
  formatShare,
} from "../../core/text/index.ts";
import type { GroupMetrics, MismatchReport, ProbabilityBucket } from "../../results/report.ts";
import {
  figureColumn,
  makeTable,
  metricColumn,
  type Table,
  type TableColumn,
  textColumn,
} from "../document/table.ts";
import { showCommand } from "./repeat-command.ts";

export function positionTable(report: MismatchReport): Table {
  const groups = report.per_position_decile;
  const labels = groups.map((group) => `${group.decile * 10}–${group.decile * 10 + 10} %`);
  return shareTable("positions", "By position in the response", "of the response", groups, labels);
}

export function probabilityTable(report: MismatchReport): Table {
  const groups = report.per_rollout_probability;
  return shareTable("probabilities", "By rollout probability", "p rollout", groups, groups.map(bucketLabel));
}

export function tokenIdTable(report: MismatchReport): Table {
  const groups = report.per_token_id;
  const labels = groups.map((group) => formatId(group.token_id));
  const note = "the token ids with the largest share of Σ k3";
  return shareTable("token-ids", "By token id", "token id", groups, labels, note);
}

function shareTable(
  id: string,
  title: string,
  unit: string,
  groups: readonly GroupMetrics[],
  labels: readonly string[],
  note?: string,
): Table {
  const take = (key: keyof GroupMetrics): Figure[] => groups.map((group) => group[key]);
  return makeTable(
    id,
    title,
    [
      textColumn(unit, labels, { align: "right" }),
      metricColumn("tokens", take, { priority: 4 }),
      figureColumn("of tokens", "share", take("token_share"), {
        priority: 2,
        meaning: "share of all masked tokens",
      }),
      figureColumn("of Σ k3", "share", take("k3_share"), {
        priority: 1,
        bars: true,
        worst: "most",
        meaning: "share of the sum of k3 over all masked tokens",
      }),
      figureColumn("of Σ |Δ|", "share", take("delta_abs_share"), { priority: 3, worst: "most" }),
      metricColumn("delta_abs_mean", take, { priority: 2, worst: "most" }),
      metricColumn("delta_abs_max", take, { priority: 3, worst: "most" }),
      metricColumn("delta_mean", take, { priority: 5 }),
      metricColumn("k3", take, { priority: 4, worst: "most" }),
    ],
    note,
  );
}

export function bucketLabel(bucket: ProbabilityBucket): string {
  const edge = (value: number): string => (value >= 1 ? "1" : formatPlain(value));
  return `${edge(bucket.from)}–${edge(bucket.to)}`;
}

/** The extreme-token curve P(|Δ| > τ), for each tail. */
export function tailTable(report: MismatchReport): Table {
  const points = report.tail_curve;
  const counts = (key: "tokens" | "positive" | "negative"): string[] =>
    points.map((point) => (point.approximate && point[key] > 0 ? "≈" : "") + formatCount(point[key]));
  return makeTable(
    "tail",
    "Extreme tokens",
    [
      textColumn(
        "|Δ| above",
        points.map((point) => formatPlain(point.threshold)),
        { align: "right" },
      ),
      textColumn("tokens", counts("tokens"), { priority: 1, align: "right" }),
      textColumn(
        "of tokens",
        points.map((point) => formatShare(point.share)),
        { priority: 1, align: "right" },
      ),
      textColumn(
        "one in",
        points.map((point) => (point.share > 0 ? formatCount(1 / point.share) : "")),
        { priority: 4, align: "right" },
      ),
      textColumn("trainer higher", counts("positive"), {
        align: "right",
        priority: 2,
        meaning: "Δ > τ: the token is more likely under the trainer policy",
      }),
      textColumn("rollout higher", counts("negative"), {
        align: "right",
        priority: 2,
        meaning: "Δ < −τ: the token is more likely under the rollout policy",
      }),
    ],
    "tokens with |Δ| above a threshold, in nats, before any truncation; ≈: interpolated from a sketch",
  );
}

export function tailSideTable(report: MismatchReport): Table {
  const { positive, negative } = report.tails;
  const sides = [positive, negative];
  const take = (key: keyof typeof positive): Figure[] => sides.map((side) => side[key]);
  return makeTable("tails", "Both tails", [
    textColumn("tail", ["Δ > 0, trainer higher", "Δ < 0, rollout higher"]),
    metricColumn("tokens", take, { priority: 2 }),
    figureColumn("of tokens", "share", take("share"), { priority: 1 }),
    metricColumn("delta_mean", take, { priority: 1 }),
    figureColumn("p50", "signed", take("p50"), { priority: 3 }),
    figureColumn("p99", "signed", take("p99"), {
      priority: 3,
      meaning: "one in 100 of the tail exceeds this",
    }),
    figureColumn("extreme", "signed", take("delta_extreme"), { priority: 1 }),
  ]);
}

export function worstTokenTable(report: MismatchReport): Table {
  const tokens = report.worst_tokens;
  const columns = [
    textColumn(
      "handle",
      tokens.map((token) => token.handle),
    ),
    figureColumn(
      "turn",
      "id",
      tokens.map((token) => token.turn),
      { priority: 4 },
    ),
    figureColumn(
      "token id",
      "id",
      tokens.map((token) => token.token_id),
      { priority: 2 },
    ),
    figureColumn(
      "Δ",
      "signed",
      tokens.map((token) => token.delta),
      { priority: 1 },
    ),
    probabilityColumn(
      "p rollout",
      tokens.map((token) => token.rollout_logprob),
    ),
    probabilityColumn(
      "p trainer",
      tokens.map((token) => token.trainer_logprob),
    ),
    figureColumn(
      "log p rollout",
      "number",
      tokens.map((token) => token.rollout_logprob),
      { priority: 5 },
    ),
    figureColumn(
      "log p trainer",
      "number",
      tokens.map((token) => token.trainer_logprob),
      { priority: 5 },
    ),
    textColumn(
      "file",
      tokens.map((token) => token.file),
      { priority: 3 },
    ),
  ];
  return makeTable(
    "worst-tokens",
    "Worst tokens",
    columns,
    tokens[0] && `${showCommand(report, tokens[0].handle)} prints the first in its context`,
  );
}

function probabilityColumn(header: string, logprobs: readonly Figure[]): TableColumn {
  const cells = logprobs.map((value) =>
    formatProbability(typeof value === "number" ? Math.exp(value) : value),
  );
  return textColumn(header, cells, { priority: 1, align: "right" });
}
