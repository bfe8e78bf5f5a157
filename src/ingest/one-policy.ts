/**
 * Files with one policy's log-probs: read alone if no file has both sides, else left out and counted.
 *
 * @module
 */
import type { FindingLog } from "../core/schema/index.ts";
import { plural } from "../core/text/index.ts";
import type { Source } from "./sources.ts";

/** Mixed figures of two policies would be mistaken for one policy's. */
const OTHER = { rollout: "trainer", trainer: "rollout" } as const;

/**
 * The sources to read: those with both sides; if there are none, those with one side, no longer refused for lacking the
 * other. If some have the rollout's side and others the trainer's, the rollout's are read.
 */
export function acceptOnePolicy(sources: readonly Source[], findings: FindingLog): readonly Source[] {
  if (sources.some(({ problem }) => problem === undefined)) return sources;
  const halves = sources.filter(({ onePolicy }) => onePolicy !== undefined);
  const has = halves.some(({ onePolicy }) => onePolicy?.has === "rollout") ? "rollout" : "trainer";
  for (const source of halves) if (source.onePolicy?.has !== has) reportOtherPolicy(findings, source, has);
  return sources.flatMap((source) => {
    if (source.onePolicy === undefined) return [source];
    return source.onePolicy.has === has ? [{ ...source, problem: undefined }] : [];
  });
}

function reportOtherPolicy(findings: FindingLog, { report }: Source, has: "rollout" | "trainer"): void {
  findings.add({
    code: "one-sided",
    severity: "skipped",
    subject: "other policy",
    count: 1,
    omits: { unit: "file", why: "incomparable" },
    at: { file: report.file },
    likely: "the rollouts are in one file and the trainer's log-probs in another",
    hint: "give only the files of the two sides: logratio report ROLLOUT TRAINER",
    describe: (count) =>
      `${plural(count, "file")} with only ${OTHER[has]} log-probs ${count === 1 ? "is" : "are"} left out: the figures describe the ${has} policy`,
  });
}

/**
 * Whether a comparison loses nothing when this file is left out: what a trainer writes next to its complete files
 * (slime's rollout_data next to train_data) repeats their steps; log-probs of a step that no complete file has are
 * lost.
 */
export function isCovered({ report }: Source, complete: readonly Source[]): boolean {
  return report.step !== undefined && complete.some(({ report: { step } }) => step === report.step);
}
