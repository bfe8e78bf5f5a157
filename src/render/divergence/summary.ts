import { formatCount, formatNumber, formatPlain, plural } from "../../core/text/index.ts";
import type { DivergenceReport, DivergenceStep, FlipType } from "../../results/divergence.ts";
import type { Document } from "../document/document.ts";
import { clip } from "../terminal/columns.ts";
import { drawDocument } from "../terminal/document.ts";
import { makeSurface, type TerminalOptions } from "../terminal/surface.ts";

const FLIPS: readonly FlipType[] = [
  "rollout_confident_actor_rejects",
  "actor_confident_rollout_rejects",
  "large_disagreement",
];

/** The line above the tokens of a step: `Step 12 of main: largest |Δp| 0.944, at or above 0.8`. */
export function renderStepTitle(
  { iteration, prob_diff_max }: DivergenceStep,
  report: Pick<DivergenceReport, "run" | "settings">,
  options: TerminalOptions,
): string {
  const surface = makeSurface(options);
  const run = clip(surface.text(report.run), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const name = iteration === null ? run : `Iteration ${iteration} of ${run}`;
  const words = `: largest |Δp| ${formatNumber(prob_diff_max)}, at or above ${formatPlain(report.settings.threshold)}`;
  return `${surface.style(name, "bold")}${surface.text(words)}\n`;
}

/** A summary of a run's log, with what to do next. */
function buildDivergenceDocument(report: DivergenceReport): Document {
  return {
    kind: "divergence",
    heading: "High-divergence tokens of",
    name: report.run,
    input: resultParts(report),
    lead: [{ kind: "list", items: details(report) }],
    sections: [],
  };
}

export function renderDivergenceSummary(report: DivergenceReport, options: TerminalOptions): string {
  return drawDocument(buildDivergenceDocument(report), options);
}

function resultParts({ metrics, settings }: DivergenceReport): string[] {
  const threshold = formatPlain(settings.threshold);
  const { steps, steps_logged: logged, records } = metrics;
  if (steps === 0) return [`--every ${settings.every} leaves out every step`];
  if (logged === 0) return [`none of ${plural(metrics.tokens, "token")} reaches |Δp| ${threshold}`];
  const share = `${formatCount(logged)} of ${plural(steps, "iteration")}`;
  return [`|Δp| reaches ${threshold} in ${share}`, `${plural(records, "token")} logged`];
}

function details(report: DivergenceReport): string[] {
  const { metrics } = report;
  const worst = worstStep(report.per_step);
  const largest =
    worst === undefined
      ? []
      : [`largest |Δp| ${formatNumber(worst.prob_diff_max)}${at(worst.iteration, " in iteration ")}`];
  if (metrics.records === 0) {
    return worst === undefined
      ? []
      : [...largest, "lower --threshold to see the tokens that are furthest apart"];
  }
  const flips = FLIPS.flatMap((type) => (metrics[type] > 0 ? [`${type} ${formatCount(metrics[type])}`] : []));
  const answers = metrics.records_correct + metrics.records_incorrect;
  return [
    ...largest,
    ...(flips.length > 0 ? [`flip types: ${flips.join(", ")}`] : []),
    ...(answers > 0
      ? [
          `from correct answers ${formatCount(metrics.records_correct)}, from incorrect ones ${formatCount(metrics.records_incorrect)}`,
        ]
      : []),
    ...count(metrics.reencode_mismatches, "whose text alone tokenizes to something else"),
    ...count(metrics.token_mismatches, "that differ between responses and input_ids"),
    ...count(metrics.decode_errors, "not decoded without an error"),
    ...report.outputs.map(
      ({ file, lines, repeated }) =>
        `appended to ${file}: ${plural(lines, "line")}${repeated === 0 ? "" : `, ${repeated} there already`}`,
    ),
  ];
}

function worstStep(steps: readonly DivergenceStep[]): DivergenceStep | undefined {
  const known = steps.filter(({ prob_diff_max }) => prob_diff_max !== null);
  return known.reduce<DivergenceStep | undefined>(
    (worst, step) => (step.prob_diff_max! > (worst?.prob_diff_max ?? -1) ? step : worst),
    undefined,
  );
}

function count(tokens: number, what: string): string[] {
  return tokens > 0 ? [`${plural(tokens, "token")} ${what}`] : [];
}

function at(value: number | null, words: string): string {
  return value === null ? "" : words + value;
}
