import {
  type Figure,
  formatCount,
  formatFigure,
  formatId,
  formatShare,
  plural,
} from "../../core/text/index.ts";
import type { PolicyFigures, PolicyGroup, PolicyReport } from "../../results/policy.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/table.ts";

/** The figures of the first screen: label, value, meaning. Unavailable ones are left out. */
export function policyFigureTable({ metrics, policies }: PolicyReport): Table {
  const training = policies === "trainer";
  const ppl = training ? metrics.mismatch_training_ppl : metrics.mismatch_rollout_ppl;
  const key = training ? "mismatch_training_ppl" : "mismatch_rollout_ppl";
  const { surprisal_p50, surprisal_p90, surprisal_p99, surprisal_p999, surprisal_max } = metrics;
  const spread = [surprisal_p50, surprisal_p90, surprisal_p99, surprisal_p999, surprisal_max];
  const rows: (readonly [label: string, value: Figure, meaning: string])[] = [
    ["mean log-prob", metrics.log_prob_mean, "of the sampled tokens, nats"],
    ["perplexity", metrics.ppl, "exp(−mean log-prob) over all tokens"],
    [
      "per sequence",
      ppl,
      training
        ? `mean of each sequence's perplexity: xtuner's ${key} with rollout_log_prob=None`
        : `mean of each sequence's perplexity: xtuner's ${key}`,
    ],
    ["mean entropy", metrics.entropy, "of the policy's next-token distribution, nats"],
    [
      "surprisal gap",
      metrics.surprisal_entropy_gap,
      "mean −log p minus mean entropy: about 0 if tokens were sampled from the policy",
    ],
    ["reward", metrics.reward, "mean over the sequences that have one"],
    ["accuracy", metrics.accuracy, "share of correct answers"],
  ];
  const shown = rows.filter(([, value]) => value !== null && value !== undefined);
  const cells = shown.map(([, value]) => formatFigure(value, "number"));
  return makeTable("figures", "Figures", [
    textColumn("figure", [...shown.map(([label]) => label), "surprisal"]),
    textColumn("value", [...cells, formatFigure(metrics.surprisal_p50, "number")], { align: "right" }),
    textColumn(
      "what it is",
      [
        ...shown.map(([, , meaning]) => meaning),
        `−log p: the median; 90 % below ${formatFigure(spread[1], "number")}, 99 % below ${formatFigure(spread[2], "number")}, 99.9 % below ${formatFigure(spread[3], "number")}, at most ${formatFigure(spread[4], "number")}`,
      ],
      { wrap: true },
    ),
  ]);
}

/** All tables after the first screen; one with fewer than two rows would add nothing to the figures above. */
export function policyTables(report: PolicyReport, mostSteps: number): Table[] {
  const tables = [
    stepTable(report, mostSteps),
    groupTable("turns", "By turn", "turn", report.per_turn, (group) => formatId(group.turn)),
    groupTable("environments", "By environment", "environment", report.per_environment, ({ name }) => name),
    groupTable("correctness", "By correctness", "answer", report.per_correctness, ({ name }) => name),
    groupTable("positions", "By position in the response", "tokens", report.per_position, ({ from, to }) =>
      to === null
        ? `from ${formatCount(from)}`
        : to - from === 1
          ? formatCount(from)
          : `${formatCount(from)}–${formatCount(to - 1)}`,
    ),
  ].filter(({ rows }) => rows > 1);
  return [
    ...tables,
    probabilityTable(report),
    unlikelyTokenTable(report),
    unlikelySequenceTable(report),
  ].filter(({ rows }) => rows > 0);
}

function stepTable({ per_step: steps }: PolicyReport, most: number): Table {
  const shown = steps.slice(0, most);
  return groupTable(
    "steps",
    "By step",
    "step",
    shown,
    ({ step }) => (step === null ? "unknown" : formatId(step)),
    shown.length < steps.length
      ? `the first ${plural(shown.length, "step")} of ${formatCount(steps.length)}; --json has all`
      : undefined,
  );
}

type AnyGroup = PolicyFigures & Partial<PolicyGroup>;

/** A column of the tables by step, turn, environment, …; left out if no group has a value for it. */
interface GroupColumn {
  readonly header: string;
  readonly kind: "number" | "share" | "count";
  readonly value: (group: AnyGroup) => Figure;
  readonly look: NonNullable<Parameters<typeof figureColumn>[3]>;
  readonly isAlwaysThere?: boolean;
}

const GROUP_COLUMNS: readonly GroupColumn[] = [
  {
    header: "seqs",
    kind: "count",
    value: ({ sequences }) => sequences,
    look: { priority: 5, meaning: "sequences" },
  },
  {
    header: "tokens",
    kind: "count",
    value: ({ tokens }) => tokens,
    look: { priority: 3, meaning: "masked tokens" },
    isAlwaysThere: true,
  },
  {
    header: "mean log p",
    kind: "number",
    value: (group) => group.log_prob_mean,
    look: { priority: 1, worst: "least", meaning: "mean log-prob, nats" },
    isAlwaysThere: true,
  },
  {
    header: "ppl",
    kind: "number",
    value: ({ ppl }) => ppl,
    look: { priority: 2, bars: true, worst: "most", meaning: "exp(−mean log p)" },
    isAlwaysThere: true,
  },
  {
    header: "entropy",
    kind: "number",
    value: ({ entropy }) => entropy,
    look: { priority: 2, meaning: "mean entropy, nats" },
  },
  {
    header: "exact 0",
    kind: "share",
    value: (group) => group.zero_share,
    look: { priority: 4, meaning: "share of log-probs that are exactly 0" },
    isAlwaysThere: true,
  },
  {
    header: "length",
    kind: "number",
    value: (group) => group.response_tokens,
    look: { priority: 4, meaning: "mean response tokens" },
  },
  {
    header: "reward",
    kind: "number",
    value: ({ reward }) => reward,
    look: { priority: 3, meaning: "mean reward" },
  },
  {
    header: "right",
    kind: "share",
    value: ({ accuracy }) => accuracy,
    look: { priority: 5, meaning: "share of correct answers" },
  },
];

function groupTable<G extends AnyGroup>(
  id: string,
  title: string,
  unit: string,
  groups: readonly G[],
  label: (group: G) => string,
  note?: string,
): Table {
  const labels = groups.map(label);
  const align = labels.every((text) => /^[\d,]+$/.test(text)) ? "right" : "left";
  const figures = GROUP_COLUMNS.flatMap(({ header, kind, value, look, isAlwaysThere = false }) => {
    const values = groups.map(value);
    const isKnown = values.some((one) => one !== null && one !== undefined);
    return isKnown || isAlwaysThere ? [figureColumn(header, kind, values, look)] : [];
  });
  return makeTable(id, title, [textColumn(unit, labels, { align }), ...figures], note);
}

function probabilityTable({ per_probability: buckets }: PolicyReport): Table {
  return makeTable("probabilities", "How sure of the sampled tokens", [
    textColumn(
      "p",
      buckets.map(({ from, to }) => `${from} – ${to}`),
    ),
    figureColumn(
      "tokens",
      "count",
      buckets.map(({ tokens }) => tokens),
    ),
    figureColumn(
      "share",
      "share",
      buckets.map((bucket) => bucket.token_share),
      { bars: true },
    ),
  ]);
}

function unlikelyTokenTable({ unlikely_tokens: tokens }: PolicyReport): Table {
  const entropies = tokens.map(({ entropy }) => entropy);
  return makeTable("unlikely-tokens", "Least likely tokens", [
    textColumn(
      "token",
      tokens.map(({ handle }) => handle),
    ),
    figureColumn(
      "id",
      "id",
      tokens.map((token) => token.token_id),
      { priority: 2 },
    ),
    figureColumn(
      "log p",
      "number",
      tokens.map((token) => token.log_prob),
      { priority: 1 },
    ),
    ...(entropies.every((entropy) => entropy === null)
      ? []
      : [figureColumn("entropy", "number", entropies, { priority: 3 })]),
  ]);
}

function unlikelySequenceTable({ unlikely_sequences: sequences }: PolicyReport): Table {
  const rewards = sequences.map(({ reward }) => reward);
  return makeTable("unlikely-sequences", "Least likely sequences", [
    textColumn(
      "sequence",
      sequences.map(({ handle }) => handle),
    ),
    figureColumn(
      "tokens",
      "count",
      sequences.map(({ tokens }) => tokens),
      { priority: 2 },
    ),
    figureColumn(
      "mean log p",
      "number",
      sequences.map((sequence) => sequence.log_prob_mean),
      { priority: 1 },
    ),
    figureColumn(
      "ppl",
      "number",
      sequences.map(({ ppl }) => ppl),
      { priority: 2, bars: true },
    ),
    ...(rewards.every((reward) => reward === null)
      ? []
      : [figureColumn("reward", "number", rewards, { priority: 3 })]),
  ]);
}

/** `12 % of them`: of the log-probs that are exactly 0. */
export function zeroShare({ metrics }: PolicyReport): string {
  return formatShare(metrics.zero_share);
}
