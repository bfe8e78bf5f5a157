/**
 * Flags of `kl` that only concern its report, as keys of a study's config.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";
import {
  FIGURE_FLAGS,
  REPORT_FLAGS,
  type ReportFlags,
  SCORING_FLAGS,
  type ScoringFlags,
} from "../../flags.ts";
import { configFromFlags, parseNamed } from "./config-from-flags.ts";
import type { StudyConfig } from "./read-config.ts";

const { seed } = SCORING_FLAGS;
const FLAGS = { ...REPORT_FLAGS, ...FIGURE_FLAGS, seed };

/** Settings that no part depends on. @throws UsageError when a flag makes no sense by itself */
export function readReportFlags(flags: ReportFlags & Pick<ScoringFlags, "seed">): StudyConfig {
  return configFromFlags(FLAGS, flags);
}

/** `early=100..300`, both ends included. @throws UsageError when it is not a range of steps */
export function readStages(given: ReportFlags["stage"]): StudyConfig {
  if (given === undefined) return {};
  const stages = Object.entries(parseNamed("--stage", given)).map(([stage, range]) => {
    const [, from, to = from] = /^(\d+)(?:\.\.(\d+))?$/.exec(range) ?? [];
    if (from === undefined)
      throw new UsageError(`--stage ${stage} must be steps such as 100..300, not ${range}`);
    return [stage, [Number(from), Number(to)]];
  });
  return { stages: Object.fromEntries(stages) };
}
