/**
 * One row per checkpoint: KL and spikes, the rest of the distances, regions, bounds, RL-Probe's figures, policies.
 *
 * @module
 */
import type { CheckpointFigures, KlReport } from "../../protocol/kl.ts";
import { plural } from "../content/input.ts";
import { makeTable, type Table, textColumn } from "../content/table.ts";
import { formatPlain } from "../format.ts";
import { column, intervalColumn, meanColumn, NONE } from "./values.ts";

const REGIONS = ["early", "mid", "late"] as const;

type Pick = (figures: CheckpointFigures) => number | null;

/** Name and the figures of every checkpoint, in the report's order. */
function checkpointRows({ checkpoints }: KlReport) {
  const names = Object.keys(checkpoints);
  const rows = Object.values(checkpoints);
  return {
    name: textColumn("checkpoint", names),
    rows,
    of: (pick: Pick): (number | null)[] => rows.map(pick),
  };
}

/** The table of the published analysis, with interval and role. */
export function checkpointTable(report: KlReport): Table {
  const { name, rows, of } = checkpointRows(report);
  return makeTable(
    "checkpoints",
    `Checkpoints against ${report.reference}`,
    [
      name,
      column(
        "step",
        "id",
        of(({ step }) => step),
        { priority: 2 },
      ),
      meanColumn(
        "mean KL ± std",
        of(({ mean_kl }) => mean_kl),
        of(({ std_kl }) => std_kl),
        {
          priority: 1,
          worst: "most",
          bars: true,
          meaning: `D(checkpoint‖${report.reference}), nats; over problems`,
        },
      ),
      intervalColumn(
        "95 % interval",
        rows.map(({ mean_kl_interval }) => mean_kl_interval),
        { priority: 3, meaning: "of the mean, bootstrap over problems" },
      ),
      column(
        "spikes/problem",
        "number",
        of(({ spikes_mean }) => spikes_mean),
        { priority: 1 },
      ),
      column(
        "spikes",
        "count",
        of(({ spikes_total }) => spikes_total),
        { priority: 2 },
      ),
      column(
        "entropy",
        "number",
        of(({ mean_entropy }) => mean_entropy),
        { priority: 2, meaning: "nats" },
      ),
      column(
        "mean reverse KL",
        "number",
        of(({ mean_reverse_kl }) => mean_reverse_kl),
        { priority: 4, meaning: `D(${report.reference}‖checkpoint), nats` },
      ),
      column(
        "mean JS",
        "number",
        of(({ mean_js }) => mean_js),
        { priority: 5, meaning: "Jensen-Shannon divergence, nats" },
      ),
      textColumn(
        "role",
        rows.map(({ role }) => role),
        { priority: 5 },
      ),
    ],
    noteOf(report),
  );
}

/** What makes a row's figures mean something else. */
function noteOf({ checkpoints }: KlReport): string | undefined {
  const entries = Object.entries(checkpoints);
  const bounded = entries.filter(([, { exact }]) => !exact).map(([name]) => name);
  const lacking = entries
    .filter(([, { texts_missing }]) => texts_missing > 0)
    .map(([name, { texts_missing }]) => `${name} lacks ${plural(texts_missing, "text")}`);
  const parts = [
    ...(bounded.length > 0
      ? [`${bounded.join(", ")}: not all logits are known, figures are of the lower bound`]
      : []),
    ...lacking,
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

/** Order statistics and the other distances: the published analysis's detailed statistics. */
export function detailTable(report: KlReport): Table {
  const { name, of } = checkpointRows(report);
  const number = (header: string, pick: Pick, priority: number, meaning?: string) =>
    column(header, "number", of(pick), { priority, ...(meaning === undefined ? {} : { meaning }) });
  return makeTable("details", "KL by checkpoint, in detail", [
    name,
    column(
      "problems",
      "count",
      of(({ problems }) => problems),
      { priority: 3 },
    ),
    column(
      "tokens",
      "count",
      of(({ tokens }) => tokens),
      { priority: 4 },
    ),
    number("median", ({ median_kl }) => median_kl, 1, "over problems"),
    number("min", ({ min_kl }) => min_kl, 2, "over problems"),
    number("max", ({ max_kl }) => max_kl, 1, "over problems"),
    number("mean by token", ({ token_mean_kl }) => token_mean_kl, 3),
    number("most at a token", ({ token_max_kl }) => token_max_kl, 2),
    number("TV", ({ mean_total_variation }) => mean_total_variation, 4, "mean total variation"),
    column(
      "other argmax",
      "share",
      of(({ argmax_changed }) => argmax_changed),
      { priority: 3, meaning: "tokens whose most probable token is another one than the reference's" },
    ),
    column(
      "mean Δ",
      "signed",
      of(({ mean_delta }) => mean_delta),
      { priority: 3, meaning: "log p checkpoint − log p reference of the forced token" },
    ),
    number("spike value", ({ spike_mean_value }) => spike_mean_value, 3, "mean KL of spikes"),
    number("spike z", ({ spike_mean_zscore }) => spike_mean_zscore, 4, "mean z-score of spikes"),
    column(
      "KL in spikes",
      "share",
      of(({ spike_share_of_kl }) => spike_share_of_kl),
      { priority: 3 },
    ),
  ]);
}

/** Thirds of the response: spikes per token of each, and entropy. */
export function regionTable(report: KlReport): Table {
  const { name, rows, of } = checkpointRows(report);
  return makeTable(
    "regions",
    "Spikes and entropy by third of the response",
    [
      name,
      ...REGIONS.map((region) =>
        column(
          `spikes ${region}`,
          "count",
          of(({ spike_regions }) => spike_regions[region].spikes),
          { priority: 2 },
        ),
      ),
      ...REGIONS.map((region) =>
        column(
          `per token ${region}`,
          "number",
          of(({ spike_regions }) => spike_regions[region].density),
          { priority: 3 },
        ),
      ),
      column(
        "spikes/100 tokens",
        "number",
        of(({ spikes_per_100_tokens }) => spikes_per_100_tokens),
        { priority: 4 },
      ),
      ...REGIONS.map((region) =>
        column(
          `entropy ${region}`,
          "number",
          of(({ entropy_by_region }) => entropy_by_region[region]),
          { priority: 2 },
        ),
      ),
      column(
        "reference",
        "number",
        rows.map(({ mean_reference_entropy }) => mean_reference_entropy),
        { priority: 4, meaning: "mean entropy of the reference on the same tokens" },
      ),
      column(
        "over log V",
        "number",
        rows.map(({ mean_entropy_normalized }) => mean_entropy_normalized),
        { priority: 5, meaning: "mean entropy as a share of the largest possible" },
      ),
    ],
    "Entropy in nats, means over problems",
  );
}

/** Only of checkpoints whose KL is not exact. */
export function boundTable({ checkpoints }: KlReport): Table {
  const entries = Object.entries(checkpoints).filter(([, { exact }]) => !exact);
  const rows = entries.map(([, figures]) => figures);
  return makeTable("bounds", "Bounds of KL where not all logits are known", [
    textColumn(
      "checkpoint",
      entries.map(([name]) => name),
    ),
    column(
      "at least",
      "number",
      rows.map(({ mean_kl_lower }) => mean_kl_lower),
      { priority: 1 },
    ),
    column(
      "at most",
      "number",
      rows.map(({ mean_kl_upper }) => mean_kl_upper),
      { priority: 1, meaning: "over the tokens that anything bounds" },
    ),
    column(
      "tokens without upper bound",
      "share",
      rows.map(({ upper_infinite_share }) => upper_infinite_share),
      { priority: 1 },
    ),
  ]);
}

/** RL-Probe's alignment beside ours; no row where it was not asked for. */
export function rlProbeTable({ checkpoints }: KlReport): Table {
  const entries = Object.entries(checkpoints).filter(([, { rl_probe }]) => rl_probe !== null);
  const own = entries.map(([, figures]) => figures);
  const theirs = own.map(({ rl_probe }) => rl_probe);
  const of = <T>(pick: (figures: NonNullable<(typeof theirs)[number]>) => T): (T | null)[] =>
    theirs.map((figures) => (figures === null ? null : pick(figures)));
  return makeTable(
    "rl-probe",
    "The same in RL-Probe's alignment",
    [
      textColumn(
        "checkpoint",
        entries.map(([name]) => name),
      ),
      meanColumn(
        "mean KL ± std",
        of(({ mean_kl }) => mean_kl),
        of(({ std_kl }) => std_kl),
        { priority: 1 },
      ),
      column(
        "our mean",
        "number",
        own.map(({ mean_kl }) => mean_kl),
        { priority: 2 },
      ),
      column(
        "spikes/problem",
        "number",
        of(({ spikes_mean }) => spikes_mean),
        { priority: 1 },
      ),
      column(
        "our spikes",
        "number",
        own.map(({ spikes_mean }) => spikes_mean),
        { priority: 2 },
      ),
      column(
        "spikes",
        "count",
        of(({ spikes_total }) => spikes_total),
        { priority: 2 },
      ),
      column(
        "same spikes",
        "share",
        of(({ same_spikes }) => same_spikes),
        { priority: 1, meaning: "of our spikes, those whose token is a spike there too" },
      ),
    ],
    "RL-Probe takes each token's value from the position after the one that predicts it, and counts tool output",
  );
}

/** Who was scored, how. */
export function policyTable({ policies }: KlReport): Table {
  const entries = Object.entries(policies);
  const rows = entries.map(([, policy]) => policy);
  return makeTable("policies", "Policies", [
    textColumn(
      "policy",
      entries.map(([name]) => name),
    ),
    textColumn(
      "role",
      rows.map(({ role }) => role),
    ),
    column(
      "step",
      "id",
      rows.map(({ step }) => step),
      { priority: 2 },
    ),
    textColumn(
      "stage",
      rows.map(({ stage }) => stage ?? NONE),
      { priority: 4 },
    ),
    textColumn(
      "back end",
      rows.map(({ backend }) => backend),
      { priority: 2 },
    ),
    textColumn(
      "location",
      rows.map(({ location, model }) => (model === null ? location : `${location} (${model})`)),
      { priority: 2 },
    ),
    textColumn(
      "log-probs",
      rows.map(({ logprobs, temperature }) =>
        temperature === 1 ? logprobs : `${logprobs}, temperature ${formatPlain(temperature)}`,
      ),
      { priority: 3 },
    ),
    textColumn(
      "notes",
      rows.map(({ notes }) => (notes.length === 0 ? "" : notes.join("; "))),
      { priority: 3, wrap: true },
    ),
  ]);
}

/** `0.0170 ± 0.0071 nats`. */
export function meanText({ metrics }: KlReport): string {
  const [cell = NONE] = meanColumn("", [metrics.mean_kl], [metrics.std_kl]).cells;
  return cell === NONE ? NONE : `${cell} nats`;
}
