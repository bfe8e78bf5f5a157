/**
 * Describes the run in words.
 *
 * @module
 */

import { formatCount, formatCounted } from "../../../src/render/text/display/index.ts";
import { printable } from "../../../src/render/text/index.ts";
import type { RaisedAlert } from "../../../src/results/alerts.ts";
import type { ReadProgress, RunInfo, StudyInfo } from "../../../src/results/view.ts";

/** The run or study in short facts. */
export function listFacts(info: RunInfo | StudyInfo): string[] {
  return info.kind === "view-study" ? studyFacts(info) : runFacts(info);
}

/** `11 checkpoints against dpo`, `260 texts`, … */
function studyFacts({ checkpoints, reference, problems, texts, tokens }: StudyInfo): string[] {
  return [
    `${formatCounted(checkpoints.length, "checkpoint")} against ${printable(reference)}`,
    formatCounted(problems, "problem"),
    formatCounted(texts, "text"),
    formatCounted(tokens, "token"),
  ];
}

/** `verl`, `steps 10–150`, `768 answers`, … */
export function runFacts({ steps, sequences, tokens, trainers, redacted }: RunInfo): string[] {
  const [first, last] = [steps[0], steps.at(-1)];
  return [
    ...(trainers.length > 0 ? [trainers.map(printable).join(", ")] : []),
    ...(first === undefined ? [] : [first === last ? `step ${first}` : `steps ${first}–${last}`]),
    formatCounted(sequences, "answer"),
    formatCounted(tokens, "token"),
    ...(redacted ? ["texts left out"] : []),
  ];
}

/** What else the run holds, for a tooltip. */
export function furtherFacts({
  steps,
  tokens,
  all_tokens,
  turns_max,
  ranks,
  environments,
}: RunInfo): string[] {
  return [
    ...(steps.length > 1 ? [formatCounted(steps.length, "step")] : []),
    ...(all_tokens > tokens ? [`${formatCount(all_tokens)} tokens with those of other turns`] : []),
    ...(turns_max > 1 ? [`up to ${formatCounted(turns_max, "turn")}`] : []),
    ...(ranks.length > 1 ? [formatCounted(ranks.length, "rank")] : []),
    ...(environments.length > 1 ? [formatCounted(environments.length, "environment")] : []),
  ];
}

/** `read: 42 %, 12,345 sequences, 9 s left`; after the last byte, what the server is doing. */
export function describeReading(progress: ReadProgress | null): string {
  if (progress === null) return "The run is being read.";
  const { bytes_read, bytes_total, sequences, seconds_left } = progress;
  return [
    bytes_total === 0
      ? "being read"
      : bytes_read < bytes_total
        ? `read: ${Math.floor((100 * bytes_read) / bytes_total)} %`
        : "read; being summed up",
    formatCounted(sequences, "sequence"),
    ...(seconds_left === null ? [] : [`${formatCount(Math.ceil(seconds_left))} s left`]),
  ].join(", ");
}

/** `step_0020.npz and 2 more`. */
export function describeFiles(paths: readonly string[]): string {
  const [first = "", ...more] = paths.map((path) => printable(path.replace(/^.*[\\/]/, "")));
  return more.length === 0 ? first : `${first} and ${more.length} more`;
}

/** What `now` has and `shown` lacks: `3 new steps`; empty when nothing. */
export function describeNews(shown: RunInfo, now: RunInfo): string {
  if (now.version === shown.version) return "";
  const known = new Set(shown.steps);
  const steps = now.steps.filter((step) => !known.has(step)).length;
  if (steps > 0) return formatCounted(steps, "new step");
  const sequences = now.sequences - shown.sequences;
  if (sequences > 0) return formatCounted(sequences, "new sequence");
  // A file that is being written changes the version but no figure on the page.
  const figures = ({ sequences, tokens, all_tokens, steps }: RunInfo): string =>
    [sequences, tokens, all_tokens, steps.length].join();
  const isWriting = shown.writing !== undefined || now.writing !== undefined;
  return isWriting && figures(now) === figures(shown) ? "" : "the run has changed";
}

/** `2 alerts, last at step 30`. */
export function describeAlerts(alerts: readonly RaisedAlert[]): string {
  const since = alerts.at(-1)?.since ?? null;
  const said = formatCounted(alerts.length, "alert");
  if (since === null) return said;
  return `${said}, ${alerts.length > 1 ? "last " : ""}at step ${since}`;
}

/** Where a copied link opens. A server that other machines reach asks for its token, which the address no longer has. */
export function sayWhereLinkOpens(
  { protocol, hostname }: Pick<Location, "protocol" | "hostname">,
  isBundled: boolean,
): string {
  if (protocol === "file:" || /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    return "opens on this machine only";
  return `opens where ${hostname} can be reached${isBundled ? "" : ", once its address with the token was opened there"}`;
}
