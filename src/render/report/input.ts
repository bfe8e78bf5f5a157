/**
 * What was read and what is in no figure, for every medium: a verdict on half of the files is a different verdict.
 *
 * @module
 */

import { formatBytes, formatCount, formatId, formatNumber, isFigure, plural } from "../../core/text/index.ts";
import type { MismatchReport, SourceSummary } from "../../results/report.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/table.ts";
import { printable } from "../text/printable.ts";

/** The input of reports on two policies and on one. */
export interface ReadInput {
  readonly metrics: Pick<
    MismatchReport["metrics"],
    "steps" | "sequences" | "sequences_empty" | "tokens" | "turns_max" | "ranks"
  >;
  readonly per_step: readonly { readonly step: number | null }[];
  readonly sources: readonly SourceSummary[];
}

/** `12 files (verl npz) · 12 steps (10–150) · 768 sequences · 54,994 tokens · up to 4 turns · 4 ranks`, in parts. */
export function inputParts(report: ReadInput): string[] {
  const { metrics, sources } = report;
  const kinds = [...new Set(sources.map((source) => `${source.trainer} ${source.format}`))];
  const steps = report.per_step.map((group) => group.step).filter(isFigure);
  const span = steps.length > 1 ? ` (${extremes(steps).map(formatId).join("–")})` : "";
  const parts = [
    plural(sources.length, "file") + (kinds.length === 0 ? "" : ` (${kinds.join(", ")})`),
    // If none are known, the tables say so.
    ...(metrics.steps === 0 ? [] : [plural(metrics.steps, "step") + span]),
    plural(metrics.sequences, "sequence") +
      (metrics.sequences_empty > 0 ? ` (${formatCount(metrics.sequences_empty)} empty)` : ""),
    plural(metrics.tokens, "token"),
  ];
  if (metrics.turns_max > 1) parts.push(`up to ${plural(metrics.turns_max, "turn")}`);
  if (metrics.ranks > 1) parts.push(plural(metrics.ranks, "rank"));
  return parts.map(printable);
}

/**
 * One line for each thing that is in no figure; empty if nothing was left out. {@link otherFiles} lists other files
 * next to the data separately.
 * listed separately: {@link otherFiles}.
 */
export function leftOutLines({ left_out }: MismatchReport): string[] {
  return left_out
    .filter(({ why }) => why !== "by_name")
    .map(({ file, severity, what }) =>
      file === undefined || severity !== "skipped" || what.includes(file.split("/").at(-1) ?? file)
        ? what
        : `${file}: ${what}`,
    );
}

/** The figures of prompts that both sides scored, in one line; undefined where there are none. */
export function promptLine({ prompts }: MismatchReport): string | undefined {
  if (prompts === undefined) return undefined;
  const { tokens, sequences, delta_abs_mean, delta_abs_max, k3 } = prompts;
  const figures = `mean |Δ| ${formatNumber(delta_abs_mean)}, max |Δ| ${formatNumber(delta_abs_max)}, k3 ${formatNumber(k3)}`;
  return `${figures} over ${plural(tokens, "token")} of ${plural(sequences, "prompt")}, in no other figure`;
}

/** `3 other files are not recorded data (README.md, vocab.json and 1 more)`, one per kind. */
export function otherFiles({ left_out }: MismatchReport): string[] {
  return left_out.filter(({ why }) => why === "by_name").map(({ what }) => what);
}

/** Warnings that left nothing out but may change the meaning of figures. */
export function countOtherWarnings({ findings }: MismatchReport): number {
  return findings.filter(
    ({ code, severity, omits }) => severity === "warning" && omits === undefined && code !== "logged-differs",
  ).length;
}

/**
 * How the trainer's log differs from the figures of its dumps; shown early, since it casts doubt on everything else.
 */
export function loggedLine({ findings }: MismatchReport): string | undefined {
  return findings.find(({ code }) => code === "logged-differs")?.message;
}

/** The files, at most `most` of them; the note says how many more there are. */
export function sourceTable(report: Pick<MismatchReport, "sources">, most: number): Table {
  const shown = report.sources.slice(0, most);
  const more = report.sources.length - shown.length;
  return makeTable(
    "sources",
    "What was read",
    [
      textColumn(
        "file",
        shown.map((source) => source.file),
      ),
      textColumn(
        "trainer",
        shown.map((source) => source.trainer),
        { priority: 2 },
      ),
      textColumn(
        "format",
        shown.map((source) => source.format),
        { priority: 2 },
      ),
      textColumn(
        "step",
        shown.map((source) => optionalId(source.step)),
        { priority: 3, align: "right" },
      ),
      textColumn(
        "rank",
        shown.map((source) => optionalId(source.rank)),
        { priority: 4, align: "right" },
      ),
      figureColumn(
        "sequences",
        "count",
        shown.map((source) => source.sequences),
        { priority: 1 },
      ),
      textColumn(
        "bytes",
        shown.map((source) => formatBytes(source.bytes)),
        { priority: 3, align: "right" },
      ),
    ],
    ...(more > 0 ? [`${plural(more, "more file")}: see sources of --json`] : []),
  );
}

/** `found: responses, response_mask · guessed: … (3 of 12 files)`: one line each for found, guessed and missing. */
export function columnLines(
  report: Pick<MismatchReport, "sources">,
): { readonly label: string; readonly text: string }[] {
  const total = report.sources.length;
  return (["found", "guessed", "missing"] as const).flatMap((label) => {
    const counts = countNames(report.sources, label);
    const names = [...counts].map(([name, count]) =>
      count === total ? name : `${name} (${count} of ${plural(total, "file")})`,
    );
    return names.length === 0 ? [] : [{ label, text: printable(names.join("; ")) }];
  });
}

function countNames(
  sources: readonly SourceSummary[],
  kind: "found" | "guessed" | "missing",
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources) {
    for (const name of new Set(source[kind])) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function optionalId(value: number | null): string {
  return isFigure(value) ? formatId(value) : "";
}

/** Smallest and largest; a loop, since spreading a long list would overflow the stack. */
function extremes(values: readonly number[]): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}
