/**
 * From a part to the diagnosis that one process would have made.
 *
 * @module
 */

import { diagnosisOf } from "../analyses/runs/diagnose-run.ts";
import type { DoctorReport } from "../results/doctor.ts";
import type { ReportSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { answerPart } from "./report-part.ts";

/**
 * @param trainer whose flags the fixes name first; default that of the shards
 * @throws EmptyInputError when no token is left to compare, unless that is the fault itself
 */
export function diagnosePart(part: Part<ReportSums>, trainer?: string): DoctorReport {
  return diagnosisOf(answerPart(part, { parity: [], trainer }));
}
