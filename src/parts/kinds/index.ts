/**
 * The content of each verb's parts, and how it is computed from a shard. Turning it into the verb's result is done one
 * folder up.
 *
 * @module
 */

import { INPUT_NAMES } from "../../analyses/runs/input-options.ts";
import { UsageError } from "../../core/base/index.ts";
import type { PartKind, RunPartKind } from "../part.ts";
import { DIVERGENCE_PARTS, type DivergenceSums } from "./divergence-sums.ts";
import type { KindOfPart, RunKind } from "./kind.ts";
import { KL_PARTS, type KlSums } from "./kl-sums.ts";
import { DOCTOR_PARTS, REPORT_PARTS, type ReportSums } from "./report-sums.ts";
import { SWEEP_PARTS, type SweepSums } from "./sweep-sums.ts";

export type { DivergenceSums } from "./divergence-sums.ts";
export type { KindOfPart, KindOptions } from "./kind.ts";
export { KlSums } from "./kl-sums.ts";
export type { ReportSums } from "./report-sums.ts";
export type { SweepSums } from "./sweep-sums.ts";

export interface SumsByKind {
  readonly report: ReportSums;
  readonly doctor: ReportSums;
  readonly sweep: SweepSums;
  readonly divergence: DivergenceSums;
  readonly kl: KlSums;
}

/** Verbs whose shards are files of a run. */
export const RUN_KINDS: Readonly<Record<RunPartKind, RunKind>> = {
  report: REPORT_PARTS,
  doctor: DOCTOR_PARTS,
  sweep: SWEEP_PARTS,
  divergence: DIVERGENCE_PARTS,
};

export const PART_KINDS: Readonly<Record<PartKind, KindOfPart>> = {
  ...RUN_KINDS,
  kl: KL_PARTS,
};

export function isPartKind(name: unknown): name is PartKind {
  return typeof name === "string" && Object.hasOwn(PART_KINDS, name);
}

/** Whether an option of a verb decides what is in its parts; the others concern only the result. */
export function decidesSums(kind: PartKind, option: string, options: object): boolean {
  // A log's texts are decoded when it is written; only a filter needs them earlier.
  if (option === "tokenizer" && kind === "divergence")
    return "filter" in options && options.filter !== undefined;
  return (
    (kind !== "kl" && INPUT_NAMES.has(option)) ||
    (PART_KINDS[kind].flags as readonly string[]).includes(option)
  );
}

/** @throws UsageError when no verb of this name has parts */
export function parsePartKind(name: unknown): PartKind {
  if (isPartKind(name)) return name;
  throw new UsageError(`no parts are made for "${String(name)}"`, {
    hint: `known: ${Object.keys(PART_KINDS).join(", ")}`,
  });
}
