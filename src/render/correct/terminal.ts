import type { CorrectReport } from "../../results/index.ts";
import { parityTable } from "../report/index.ts";
import { clip, drawTable, makeSurface, type Surface, type TerminalOptions, wrap } from "../terminal/index.ts";
import {
  formatCount,
  formatNearOne,
  formatNumber,
  formatShare,
  formatSigned,
  plural,
} from "../text/index.ts";

/** The result of `logratio correct` as lines for a terminal, none longer than `width` columns. */
export function renderCorrectTerminal(report: CorrectReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const lines = [
    ...head(report, surface),
    ...effectLines(report, surface),
    ...bullets("note", report.traps, surface),
    "",
    ...drawTable(parityTable({ ...report, metrics: report.trainer_metrics }, "per_step"), surface).lines,
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function head(report: CorrectReport, surface: Surface): string[] {
  const settings = Object.entries(report.settings)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : String(value)}`);
  return [
    surface.style(surface.text(`${report.run} · ${report.preset}`), "bold"),
    ...wrap(surface.text(settings.join("  ")), surface.width),
    ...bullets("does", report.does, surface),
  ];
}

function effectLines({ effect, metrics, effect_absent: absent }: CorrectReport, surface: Surface): string[] {
  if (!effect || !metrics) return labelled("effect", `not figured out: ${absent ?? "no data"}`, surface);
  const { dropped } = effect;
  const none = dropped.tokens === 0;
  const parts: [string, string][] = [
    [
      "keeps",
      `${formatCount(effect.tokens_kept)} of ${plural(metrics.tokens, "token")} (${formatShare(effect.tokens_kept_share)}), ` +
        `${formatCount(effect.sequences_kept)} of ${plural(metrics.sequences - metrics.sequences_empty, "sequence")}`,
    ],
    [
      "weights",
      `mean ${formatNumber(effect.weight_mean)}, largest ${formatNumber(effect.weight_max)}, ${formatShare(effect.truncated_share)} truncated, ` +
        `${formatShare(effect.mass_lost)} of the weight lost`,
    ],
    [
      "ESS",
      `tokens ${formatNearOne(effect.ess_tokens)} (${formatNearOne(metrics.ess)} uncorrected), sequences ${formatNearOne(effect.ess_sequences)}`,
    ],
  ];
  if (!none) parts.push(["drops", droppedText(dropped, metrics.groups)]);
  return parts.flatMap(([label, text]) => labelled(label, text, surface));
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

const LABEL = 9;

function labelled(label: string, text: string, surface: Surface): string[] {
  return wrap(surface.text(text), surface.width - LABEL).map((line, i) =>
    i === 0 ? surface.style(label.padEnd(LABEL), "dim") + line : " ".repeat(LABEL) + line,
  );
}

function bullets(label: string, texts: readonly string[], surface: Surface): string[] {
  return texts.flatMap((text, i) => labelled(i === 0 ? label : "", text, surface));
}
