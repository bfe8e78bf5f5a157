import { formatFigure, formatNumber, formatSigned, MISSING } from "../../core/text/index.ts";
import type { IdentityFigure } from "../../results/identity.ts";
import { RUN_METRICS } from "../../results/metrics/run-metrics.ts";
import type { MismatchReport } from "../../results/report.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";

/** A line for each test that the run fails. */
export function identityLines({ identity }: MismatchReport): string[] {
  return identity.failures.map(({ text }) => text);
}

/** The same, plus changes over the steps, for someone who is following the run. */
export function failedTests(report: MismatchReport): string[] {
  return [...identityLines(report), ...report.watch.alarms.map(({ text }) => text)];
}

/** The identities that must hold whatever the weights are, and whether they do. */
export function identityTable({ identity }: MismatchReport): Table {
  const { unit_mean, half_variance, surprisal } = identity;
  const { low, high, value } = half_variance;
  const rows = [
    [
      RUN_METRICS.ratio_mean.label,
      formatFigure(unit_mean.value, "near-one"),
      "1",
      signedZ(unit_mean),
      "unit_mean",
    ],
    [
      "−2·mean Δ/mean Δ²",
      Number.isFinite(low)
        ? `${formatNumber(value)} (${formatNumber(low)} – ${formatNumber(high)})`
        : formatNumber(value),
      "about 1",
      "",
      "half_variance",
    ],
    ...(surprisal === null
      ? []
      : [["mean surprisal − entropy", formatSigned(surprisal.value), "0", signedZ(surprisal), "surprisal"]]),
  ];
  const note =
    identity.not_judged === null
      ? `z over ${identity.unit}s; a failed test is reported with the verdict`
      : `not judged: ${identity.not_judged}`;
  return textTable(
    "identity",
    "Identity tests",
    ["test", "value", "should be", "z", "in --json"],
    rows,
    note,
  );
}

/** Whether means of ratios can be trusted. */
export function trustTable({ trust, metrics }: MismatchReport): Table {
  const rows = [
    ["k̂ of ρ", formatNumber(trust.khat_ratio), "above 0.7, means of ρ and ESS are unreliable", "khat_ratio"],
    [
      "k̂ of 1/ρ",
      formatNumber(trust.khat_inverse),
      "above 0.7, tokens that are likely under the trainer policy are hardly sampled, and ESS does not show it",
      "khat_inverse",
    ],
    [
      "k̂ of products",
      formatNumber(trust.khat_sequence),
      "of ρ over a sequence: above 0.7, sequence weights are unreliable",
      "khat_sequence",
    ],
    [
      "design effect",
      formatNumber(trust.design_effect),
      "variance of mean |Δ| over prompts / over sequences",
      "design_effect",
    ],
    [
      "effective sequences",
      formatFigure(Math.round(trust.effective_sequences), "count"),
      `how many independent sequences ${formatFigure(metrics.sequences, "count")} are worth, since prompts are shared`,
      "effective_sequences",
    ],
  ].map((row) => row.map((cell) => (cell === "" ? MISSING : cell)));
  return textTable("trust", "Trust in ratios", ["figure", "value", "what it is", "in --json"], rows);
}

function signedZ({ z }: IdentityFigure): string {
  return formatSigned(z);
}

function textTable(
  id: string,
  title: string,
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  note?: string,
): Table {
  const columns = headers.map((header, i) =>
    textColumn(
      header,
      rows.map((row) => row[i] ?? ""),
      header === "value" || header === "z"
        ? { align: "right" }
        : { priority: i < 2 ? 1 : 2, wrap: header === "what it is" },
    ),
  );
  return makeTable(id, title, columns, note);
}
