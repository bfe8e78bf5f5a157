/**
 * The result of `logratio doctor`: the diagnosis of a run, with the answer that it is part of.
 *
 * @module
 */
import type { Finding } from "../core/schema/index.ts";
import type { Assessment } from "./assessment.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { SourceSummary } from "./report.ts";
import type { ServedReport } from "./served.ts";

export const DOCTOR_SCHEMA_VERSION = 2;

/** What `logratio doctor --json` prints. */
export interface DoctorReport extends Diagnosis {
  /** Version of this shape; a change that breaks readers raises it. */
  readonly schemaVersion: typeof DOCTOR_SCHEMA_VERSION;
  /** Name of the run: the directory or file that was given. */
  readonly run: string;
  /** The answer about the run, that of `report`; its `causes` are the first ones of these. */
  readonly assessment: Assessment;
  /** Which checkpoint each side used; null unless checkpoints were given and one could be scored. */
  readonly checkpoints: ServedReport | null;
  /** Findings of reading, with counts and first places. */
  readonly findings: readonly Finding[];
  /** Files that were read. */
  readonly sources: readonly SourceSummary[];
}
