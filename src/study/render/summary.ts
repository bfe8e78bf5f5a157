/**
 * The sentences about a study of checkpoints, before any table.
 *
 * @module
 */

import { formatCount, formatPlain, plural } from "../../core/text/index.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { FEWEST_INTERVAL_PROBLEMS, type KlAnswer, type KlReport } from "../results/report.ts";
import { meanText } from "./checkpoint-tables.ts";
import { figure } from "./values.ts";

/** `6 checkpoints against dpo · 120 problems · 180 texts · 23,456 tokens`, in parts. */
export function inputParts({ metrics, reference }: KlReport): string[] {
  const { masked_out_tokens: masked, vocabulary_size: vocabulary } = metrics;
  return [
    `${plural(metrics.checkpoints, "checkpoint")} against ${reference}`,
    plural(metrics.problems, "problem"),
    plural(metrics.texts, "text"),
    plural(metrics.tokens, "token") + (masked > 0 ? `, ${formatCount(masked)} more masked out` : ""),
    ...(vocabulary === null ? [] : [`vocabulary of ${formatCount(vocabulary)}`]),
  ];
}

/** Label and value of the published analysis's key findings, at the last checkpoint. */
export function keyFigures(report: KlReport): (readonly [label: string, value: string])[] {
  const { metrics, reference } = report;
  return [
    [
      "Mean KL divergence",
      `${meanText(report)} of D(${metrics.last_checkpoint}‖${reference}), over problems`,
    ],
    ["Reverse KL, JS", `${figure(metrics.mean_reverse_kl)} and ${figure(metrics.mean_js)} nats`],
    ["Spikes", `${formatCount(metrics.spikes_total)}, ${figure(metrics.spikes_mean)} per problem`],
    ["Mean entropy", `${figure(metrics.mean_entropy)} nats`],
  ];
}

/** The same in one line. */
export function keyLine(report: KlReport): string {
  const { metrics } = report;
  return (
    `${metrics.last_checkpoint}: mean KL ${meanText(report)}, ${figure(metrics.spikes_mean)} spikes per problem, ` +
    `entropy ${figure(metrics.mean_entropy)}`
  );
}

/** How well the data support an answer: word and color. */
interface Support {
  readonly word: string;
  readonly level: VerdictLevel;
}

export const SUPPORT: Readonly<Record<KlAnswer["support"], Support>> = {
  yes: { word: "supported", level: "normal" },
  no: { word: "not supported", level: "elevated" },
  "not enough data": { word: "not enough data", level: "none" },
  descriptive: { word: "descriptive", level: "none" },
};

/** How the figures were computed: label and sentence. */
export function methodLines(report: KlReport): (readonly [label: string, text: string])[] {
  const { settings, reference } = report;
  const { spikes } = settings;
  const threshold = formatPlain(spikes.threshold);
  const rule = {
    zscore: `more than ${threshold} standard deviations above the mean of its text`,
    percentile: `above percentile ${formatPlain(spikes.percentile)} of its text`,
    adaptive: `more than ${threshold} local standard deviations above the mean of its window`,
  }[spikes.method];
  return [
    [
      "KL",
      `every text is forced through every checkpoint and through ${reference}; KL is D(checkpoint‖${reference}) of the distributions that predict a token, in nats`,
    ],
    [
      "Means",
      "over problems, of the means over each problem's tokens; ± is the standard deviation over problems",
    ],
    [
      "Spikes",
      `a token whose KL is ${rule}, at least ${plural(spikes.min_distance, "token")} from the next (${spikes.method})`,
    ],
    [
      "Alignment",
      settings.alignment === "rl-probe"
        ? "RL-Probe's: a value is listed with the token before its own"
        : "a value is listed with its own token",
    ],
    ["Categories", settings.categories.length === 0 ? "none" : settings.categories.join(", ")],
    ["Intervals", intervalMethod(report)],
    ["Significance", `level ${formatPlain(settings.alpha)} after correction for the number of tests`],
  ];
}

/** How the intervals over problems were computed. */
export function intervalMethod({
  settings,
  checkpoints,
}: Pick<KlReport, "settings" | "checkpoints">): string {
  const problems = Math.max(0, ...Object.values(checkpoints).map((checkpoint) => checkpoint.problems));
  if (problems < FEWEST_INTERVAL_PROBLEMS)
    return `none: ${plural(problems, "problem")}, and fewer than ${FEWEST_INTERVAL_PROBLEMS} say almost nothing about others`;
  const drawn = `${plural(settings.bootstrap_replicates, "bootstrap sample")} of problems, seed ${String(settings.seed)}`;
  return `95 %, the wider of Student's t and the studentized bootstrap (${drawn}); none over fewer than ${FEWEST_INTERVAL_PROBLEMS}`;
}
