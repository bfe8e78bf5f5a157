import { expect, it } from "vitest";
import { RunSummary } from "../analyses/report/run-summary.ts";
import { crc32c } from "../core/base/crc32c.ts";
import { FIELDS } from "../core/kernels/layout.ts";
import { KERNEL_REVISION } from "../core/summaries/layout/kernel-sums.ts";
import { MismatchSummary } from "../core/summaries/mismatch-summary.ts";
import { DivergenceSums } from "./kinds/divergence-sums.ts";
import { PART_KINDS } from "./kinds/index.ts";
import { KlSums } from "./kinds/kl-sums.ts";
import { ReportSums } from "./kinds/report-sums.ts";
import { SweepSums } from "./kinds/sweep-sums.ts";

interface Declaring {
  readonly layout: { readonly text: string };
}

// Whoever changes a layout raises the version here and where it stands: programs of the old version then refuse the new
// bytes by name, and do not read them as something else. For another field of the kernel sums they rise by themselves.
it.each<[what: string, version: number, of: Declaring, stated: readonly [version: number, digest: string]]>([
  ["MismatchSummary as JSON", new MismatchSummary().toJSON().version, MismatchSummary, [6, "3854166c"]],
  ["RunSummary as JSON", new RunSummary().toJSON().version, RunSummary, [8, "57fc5ac3"]],
  ["parts of report", PART_KINDS.report.version, ReportSums, [4, "f4aa2e87"]],
  ["parts of doctor", PART_KINDS.doctor.version, ReportSums, [4, "f4aa2e87"]],
  ["parts of sweep", PART_KINDS.sweep.version, SweepSums, [4, "3b125a0e"]],
  ["parts of divergence", PART_KINDS.divergence.version, DivergenceSums, [1, "cc0ad2e"]],
  ["parts of kl", PART_KINDS.kl.version, KlSums, [2, "65b92f98"]],
])("%s have a version for each layout", (_, version, { layout }, stated) => {
  const text = layout.text.replaceAll(`${FIELDS} kernel sums`, `${FIELDS - KERNEL_REVISION} kernel sums`);
  const digest = crc32c(new TextEncoder().encode(text)).toString(16);
  expect([version - (text.includes(" kernel sums") ? KERNEL_REVISION : 0), digest]).toEqual(stated);
});
