/**
 * From a part to the sweep that one process would have printed.
 *
 * @module
 */

import { buildSweep, findCorrection, Sweep } from "../analyses/sweep/index.ts";
import type { SweepReport } from "../results/sweep.ts";
import { NEWEST_PRESETS } from "../trainers/index.ts";
import type { Preset } from "../trainers/shared/index.ts";
import type { SweepSums } from "./kinds/index.ts";
import type { Part } from "./part.ts";
import { listSources, nameRun, partFindings } from "./part-findings.ts";
import { answerPart } from "./report-part.ts";

/** Options of the printed sweep, which do not affect parts. */
export interface SweepPartOptions {
  /** Presets whose configs of the chosen correction are shown; default all. */
  readonly presets?: readonly Preset[];
  /** The correction whose config is shown; default the recommended one. */
  readonly choose?: string;
}

/**
 * @throws EmptyInputError when no token could be compared
 * @throws UsageError when the chosen correction is not one of the part's, or could not be evaluated on this data
 */
export function sweepPart(
  { info, sums: { sweep = new Sweep([]), answer } }: Part<SweepSums>,
  { presets = NEWEST_PRESETS, choose }: SweepPartOptions = {},
): SweepReport {
  const { report } = answerPart({ info, sums: answer }, { parity: [] });
  return buildSweep({
    run: nameRun(info),
    sweep,
    assessment: report.assessment,
    presets,
    ...(choose && { choose: findCorrection(sweep.corrections, choose).name }),
    findings: partFindings(info),
    sources: listSources(info),
  });
}
