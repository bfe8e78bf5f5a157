/**
 * A part to the diagnosis that one process would have made.
 *
 * @module
 */
import type { DoctorReport } from "../../results/index.ts";
import { diagnoseDoctor } from "../runs/index.ts";
import type { DoctorSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { listSources, nameRun, partFindings } from "./part-findings.ts";

/**
 * @param trainer whose flags the fixes name first; default that of the shards
 * @throws EmptyInputError when no token is left to compare, and that is not the fault itself
 */
export function diagnosePart(
  { info, sums: { doctor, sequencesByFile } }: Part<DoctorSums>,
  trainer?: string,
): DoctorReport {
  return diagnoseDoctor(doctor, trainer, {
    run: nameRun(info),
    findings: partFindings(info),
    sources: listSources(info),
    sequences: sequencesByFile,
  });
}
