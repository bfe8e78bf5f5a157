/**
 * One row per checkpoint: KL and spikes, the rest of the distances, regions, bounds, RL-Probe's figures, policies.
 *
 * @module
 */

import { formatPlain, plural } from "../../core/text/index.ts";
import { makeTable, type Table, textColumn } from "../../render/document/index.ts";
import type { CheckpointFigures } from "../results/checkpoints.ts";
import type { KlReport } from "../results/report.ts";
import { makeColumns, meanColumn, NONE } from "./values.ts";

const REGIONS = ["early", "mid", "late"] as const;

type Pick = (figures: CheckpointFigures) => number | null;

/** Name and the figures of every checkpoint, in the report's order. */
function checkpointRows({ checkpoints }: KlReport) {
  const names = Object.keys(checkpoints);
  const rows = Object.values(checkpoints);
  return {
    name: textColumn("checkpoint", names),
    by: makeColumns(rows),
  };
}

/** The table of the published analysis, with interval and role. */
export function checkpointTable(report: KlReport): Table {
  const { name, by } = checkpointRows(report);
  return makeTable(
    "checkpoints",
    `Checkpoints against ${report.reference}`,
    [
      name,
      by.figure("step", "id", ({ step }) => step, { priority: 2 }),
      by.mean(
        "mean KL ± std",
        ({ mean_kl }) => mean_kl,
        ({ std_kl }) => std_kl,
        {
          priority: 1,
          worst: "most",
          bars: true,
          meaning: `D(checkpoint‖${report.reference}), nats; over problems`,
        },
      ),
      by.interval("95 % interval", ({ mean_kl_interval }) => mean_kl_interval, {
        priority: 3,
        meaning: "of the mean, over problems",
      }),
      by.figure("spikes/problem", "number", ({ spikes_mean }) => spikes_mean, { priority: 1 }),
      by.figure("shuffled", "number", ({ spikes_shuffled }) => spikes_shuffled, {
        priority: 3,
        meaning: "spikes per problem of the same values in random order",
      }),
      by.figure("spikes", "count", ({ spikes_total }) => spikes_total, { priority: 2 }),
      by.figure("entropy", "number", ({ mean_entropy }) => mean_entropy, { priority: 2, meaning: "nats" }),
      by.figure("mean reverse KL", "number", ({ mean_reverse_kl }) => mean_reverse_kl, {
        priority: 4,
        meaning: `D(${report.reference}‖checkpoint), nats`,
      }),
      by.figure("mean JS", "number", ({ mean_js }) => mean_js, {
        priority: 5,
        meaning: "Jensen-Shannon divergence, nats",
      }),
      by.text("role", ({ role }) => role, { priority: 5 }),
    ],
    writeNote(report),
  );
}

/** A note on rows whose figures mean something else. */
function writeNote({ checkpoints }: KlReport): string | undefined {
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
  const { name, by } = checkpointRows(report);
  const number = (header: string, pick: Pick, priority: number, meaning?: string) =>
    by.figure(header, "number", pick, { priority, ...(meaning === undefined ? {} : { meaning }) });
  return makeTable("details", "KL by checkpoint, in detail", [
    name,
    by.figure("problems", "count", ({ problems }) => problems, { priority: 3 }),
    by.figure("tokens", "count", ({ tokens }) => tokens, { priority: 4 }),
    number("median", ({ median_kl }) => median_kl, 1, "over problems"),
    number("min", ({ min_kl }) => min_kl, 2, "over problems"),
    number("max", ({ max_kl }) => max_kl, 1, "over problems"),
    number("mean by token", ({ token_mean_kl }) => token_mean_kl, 3),
    number("most at a token", ({ token_max_kl }) => token_max_kl, 2),
    number("TV", ({ mean_total_variation }) => mean_total_variation, 4, "mean total variation"),
    by.figure("other argmax", "share", ({ argmax_changed }) => argmax_changed, {
      priority: 3,
      meaning: "tokens whose most probable token differs from the reference's",
    }),
    by.figure("mean Δ", "signed", ({ mean_delta }) => mean_delta, {
      priority: 3,
      meaning: "log p checkpoint − log p reference of the forced token",
    }),
    number("spike value", ({ spike_mean_value }) => spike_mean_value, 3, "mean KL of spikes"),
    number("spike z", ({ spike_mean_zscore }) => spike_mean_zscore, 4, "mean z-score of spikes"),
    by.figure("KL in spikes", "share", ({ spike_share_of_kl }) => spike_share_of_kl, { priority: 3 }),
  ]);
}

/** Thirds of the response: spikes per token of each, and entropy. */
export function regionTable(report: KlReport): Table {
  const { name, by } = checkpointRows(report);
  return makeTable(
    "regions",
    "Spikes and entropy by third of the response",
    [
      name,
      ...REGIONS.map((region) =>
        by.figure(`spikes ${region}`, "count", ({ spike_regions }) => spike_regions[region].spikes, {
          priority: 2,
        }),
      ),
      ...REGIONS.map((region) =>
        by.figure(`per token ${region}`, "number", ({ spike_regions }) => spike_regions[region].density, {
          priority: 3,
        }),
      ),
      by.figure("spikes/100 tokens", "number", ({ spikes_per_100_tokens }) => spikes_per_100_tokens, {
        priority: 4,
      }),
      ...REGIONS.map((region) =>
        by.figure(`entropy ${region}`, "number", ({ entropy_by_region }) => entropy_by_region[region], {
          priority: 2,
        }),
      ),
      by.figure("reference", "number", ({ mean_reference_entropy }) => mean_reference_entropy, {
        priority: 4,
        meaning: "mean entropy of the reference on the same tokens",
      }),
      by.figure("over log V", "number", ({ mean_entropy_normalized }) => mean_entropy_normalized, {
        priority: 5,
        meaning: "mean entropy as a share of the largest possible",
      }),
    ],
    "Entropy in nats, means over problems",
  );
}

/** Only for checkpoints whose KL is not exact. */
export function boundTable({ checkpoints }: KlReport): Table {
  const entries = Object.entries(checkpoints).filter(([, { exact }]) => !exact);
  const rows = entries.map(([, figures]) => figures);
  const by = makeColumns(rows);
  return makeTable("bounds", "Bounds of KL where not all logits are known", [
    textColumn(
      "checkpoint",
      entries.map(([name]) => name),
    ),
    by.figure("at least", "number", ({ mean_kl_lower }) => mean_kl_lower, { priority: 1 }),
    by.figure("at most", "number", ({ mean_kl_upper }) => mean_kl_upper, {
      priority: 1,
      meaning: "over the tokens with a bound",
    }),
    by.figure("tokens without upper bound", "share", ({ upper_infinite_share }) => upper_infinite_share, {
      priority: 1,
    }),
  ]);
}

/** RL-Probe's alignment next to ours; no rows if it was not requested. */
export function rlProbeTable({ checkpoints }: KlReport): Table {
  const entries = Object.entries(checkpoints).filter(([, { rl_probe }]) => rl_probe !== null);
  const own = entries.map(([, figures]) => figures);
  const by = makeColumns(own);
  return makeTable(
    "rl-probe",
    "The same in RL-Probe's alignment",
    [
      textColumn(
        "checkpoint",
        entries.map(([name]) => name),
      ),
      by.mean(
        "mean KL ± std",
        ({ rl_probe }) => rl_probe?.mean_kl,
        ({ rl_probe }) => rl_probe?.std_kl,
        { priority: 1 },
      ),
      by.figure("our mean", "number", ({ mean_kl }) => mean_kl, { priority: 2 }),
      by.figure("spikes/problem", "number", ({ rl_probe }) => rl_probe?.spikes_mean, { priority: 1 }),
      by.figure("our spikes", "number", ({ spikes_mean }) => spikes_mean, { priority: 2 }),
      by.figure("spikes", "count", ({ rl_probe }) => rl_probe?.spikes_total, { priority: 2 }),
      by.figure("same spikes", "share", ({ rl_probe }) => rl_probe?.same_spikes, {
        priority: 1,
        meaning: "share of our spikes whose token is also a spike there",
      }),
    ],
    "RL-Probe takes each token's value from the position after the one that predicts it, and counts tool output",
  );
}

/** The scored policies, and how they were scored. */
export function policyTable({ policies }: KlReport): Table {
  const entries = Object.entries(policies);
  const rows = entries.map(([, policy]) => policy);
  const by = makeColumns(rows);
  return makeTable("policies", "Policies", [
    textColumn(
      "policy",
      entries.map(([name]) => name),
    ),
    by.text("role", ({ role }) => role),
    by.figure("step", "id", ({ step }) => step, { priority: 2 }),
    by.text("stage", ({ stage }) => stage ?? NONE, { priority: 4 }),
    by.text("back end", ({ backend }) => backend, { priority: 2 }),
    by.text("location", ({ location, model }) => (model === null ? location : `${location} (${model})`), {
      priority: 2,
    }),
    by.text(
      "log-probs",
      ({ logprobs, temperature }) =>
        temperature === 1 ? logprobs : `${logprobs}, temperature ${formatPlain(temperature)}`,
      { priority: 3 },
    ),
    by.text("notes", ({ notes }) => (notes.length === 0 ? "" : notes.join("; ")), {
      priority: 3,
      wrap: true,
    }),
  ]);
}

/** `0.0170 ± 0.0071 nats`. */
export function meanText({ metrics }: KlReport): string {
  const [cell = NONE] = meanColumn("", [metrics.mean_kl], [metrics.std_kl]).cells;
  return cell === NONE ? NONE : `${cell} nats`;
}
