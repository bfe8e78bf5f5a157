/**
 * The results of `logratio correct` and of its lint, as text.
 * What a correction does is computed in `src/analyses/correct` and `src/trainers`.
 *
 * @module
 */
import { quoteForShell } from "../../core/base/index.ts";
import {
  formatCount,
  formatNearOne,
  formatNumber,
  formatShare,
  formatSigned,
  plural,
} from "../../core/text/index.ts";
import type { CorrectReport } from "../../results/correct.ts";
import type { Block, Document } from "../document/document.ts";
import { parityTable } from "../report/parity-tables.ts";
import { drawDocument } from "../terminal/document.ts";
import type { TerminalOptions } from "../terminal/surface.ts";

type Rows = [label: string, text: string][];

/** What the correction does, what it keeps and drops, its traps, and what the trainer logs. */
function buildCorrectDocument(report: CorrectReport): Document {
  const settings = Object.entries(report.settings)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`);
  const rows: Rows = [
    ["set", settings.join(", ")],
    ["flag", `--correction ${quoteForShell(report.correction_text)}`],
    ...labelFirst("does", report.does),
    ...effectRows(report),
    ...gradientRows(report),
    ...labelFirst("trap", report.traps),
  ];
  return {
    kind: "correct",
    heading: "Correction of",
    name: report.run,
    input: report.preset === null ? [] : [report.preset],
    lead: [{ kind: "facts", rows: rows.filter(([, text]) => text !== "") }],
    sections: [{ id: "logged", title: "", blocks: loggedBlocks(report) }],
  };
}

/** What the trainer logs; a correction without a trainer logs nothing. */
function loggedBlocks(report: CorrectReport): Block[] {
  const { trainer, source, trainer_metrics: metrics } = report;
  if (trainer === null || source === null) return [];
  return [{ kind: "table", table: parityTable({ ...report, trainer, source, metrics }, "per_step") }];
}

function labelFirst(label: string, texts: readonly string[]): Rows {
  return texts.map((text, at) => [at === 0 ? label : "", text]);
}

function effectRows({ effect, metrics, effect_absent: absent }: CorrectReport): Rows {
  if (!effect || !metrics) return [["effect", `not figured out: ${absent ?? "no data"}`]];
  const { dropped } = effect;
  const rows: Rows = [
    [
      "keeps",
      `${formatCount(effect.tokens_kept)} of ${plural(metrics.tokens, "token")} (${formatShare(effect.tokens_kept_share)}), ` +
        `${formatCount(effect.sequences_kept)} of ${plural(metrics.sequences - metrics.sequences_empty, "sequence")}`,
    ],
    [
      "weights",
      `${meanWeight(effect.weight_mean)}; largest ${formatNumber(effect.weight_max)}, ${formatShare(effect.truncated_share)} truncated; ` +
        `bounds and rejection take ${formatShare(effect.mass_lost)} of the weight`,
    ],
    [
      "ESS",
      `tokens ${formatNearOne(effect.ess_tokens)} (${formatNearOne(metrics.ess)} uncorrected), sequences ${formatNearOne(effect.ess_sequences)}`,
    ],
  ];
  if (dropped.tokens > 0) rows.push(["drops", droppedText(dropped, metrics.groups)]);
  return rows;
}

/** The loss is multiplied by the weights, so the gradient scales with their mean, whatever truncation removes. */
function meanWeight(mean: number): string {
  return mean === 1 ? "mean 1" : `mean ${formatNearOne(mean)}, by which the gradient is scaled`;
}

/** Rows for runs with advantages. */
function gradientRows({ gradient }: CorrectReport): Rows {
  if (gradient === null) return [];
  const { surrogate, surrogate_uncorrected: before, surrogate_unbiased: unbiased } = gradient;
  return [
    [
      "gradient",
      `weights ${formatShare(gradient.weight_gap)} of Σ|A| from unbiased (${formatShare(gradient.weight_gap_uncorrected)} uncorrected); ` +
        `${formatShare(gradient.advantage_kept_share)} of Σ|A| kept`,
    ],
    [
      "",
      `Σ A·w / Σ|A| ${formatSigned(surrogate)} (${formatSigned(before)} uncorrected, ${formatSigned(unbiased)} unbiased)`,
    ],
  ];
}

function droppedText(
  dropped: NonNullable<CorrectReport["effect"]>["dropped"],
  groups: number | null,
): string {
  const parts: string[] = [];
  if (dropped.reward_dropped !== null) {
    parts.push(
      `mean reward ${formatSigned(dropped.reward_dropped)}, of what is kept ${formatSigned(dropped.reward_kept)}`,
    );
  }
  if (dropped.accuracy_dropped !== null) {
    parts.push(
      `${formatShare(dropped.accuracy_dropped)} of it correct, of what is kept ${formatShare(dropped.accuracy_kept)}`,
    );
  }
  const longest = dropped.by_length.at(-1);
  if (longest) parts.push(`${formatShare(longest.dropped_share)} of the tokens in the longest quarter`);
  if (dropped.groups_lost !== null) {
    parts.push(
      `${formatCount(dropped.groups_lost)} of ${plural(groups ?? 0, "group")} left without survivors`,
    );
  }
  return parts.join("; ") || `${formatShare(dropped.tokens_share)} of the tokens`;
}

export function renderCorrectTerminal(report: CorrectReport, options: TerminalOptions): string {
  return drawDocument(buildCorrectDocument(report), options);
}
