/**
 * Runs golden cases through the public functions; comparing the results with those of the reference implementation
 * happens elsewhere. One file per family of kinds.
 *
 * @module
 */
import { containError } from "../../core/base/index.ts";
import type { ConformanceCase, ConformanceResult, Runner } from "./case.ts";
import { correctionRunners } from "./corrections.ts";
import { digitsRunners } from "./digits.ts";
import { divergenceRunners } from "./divergence.ts";
import { identityRunners } from "./identity.ts";
import { klRunners } from "./kl.ts";
import { klStudyRunners } from "./kl-study.ts";
import { mismatchRunners } from "./mismatch.ts";
import { statisticsRunners } from "./statistics.ts";

export type { ConformanceCase, ConformanceResult } from "./case.ts";

const RUNNERS: Readonly<Record<string, Runner>> = {
  ...mismatchRunners,
  ...identityRunners,
  ...correctionRunners,
  ...divergenceRunners,
  ...statisticsRunners,
  ...digitsRunners,
  ...klRunners,
  ...klStudyRunners,
};

/** Runs one case; an unsupported kind is skipped, a refused input becomes an `error` in `actual`. */
export function runConformanceCase(given: ConformanceCase): ConformanceResult {
  const run = Object.hasOwn(RUNNERS, given.kind) ? RUNNERS[given.kind] : undefined;
  if (!run) return { id: given.id, skipped: true };
  try {
    return { id: given.id, actual: run(given.inputs, given.config ?? {}) };
  } catch (error) {
    return { id: given.id, actual: { error: containError(error, { entry: given.id }, "case").message } };
  }
}
