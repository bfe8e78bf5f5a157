/**
 * What reading traces leaves out or cannot place, counted over all traces of a run.
 *
 * @module
 */
import type { Finding, FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import type { TraceReading } from "./trace.ts";

interface Kind extends Pick<Finding, "severity" | "likely" | "omits"> {
  readonly subject: string;
  describe(count: number): string;
}

const KINDS: Readonly<Record<"untrained" | "masked" | "strayBranches", Kind>> = {
  untrained: {
    severity: "info",
    subject: "tokens without trainer log-probs",
    omits: { unit: "token", why: "incomparable" },
    likely: "they belong to evaluations, to rollouts that were filtered out, or to some that still wait",
    describe: (count) => `${plural(count, "sampled token")} that the trainer has not scored`,
  },
  masked: {
    severity: "info",
    subject: "is_masked",
    describe: (count) =>
      `${plural(count, "token")} that the trainer's loss left out (is_masked): they count in all figures`,
  },
  strayBranches: {
    severity: "warning",
    subject: "stray branches",
    likely: "the annotations belong to another run, or the trace was cut",
    describe: (count) =>
      `${plural(count, "branch", "branches")} of annotations that their traces do not have`,
  },
};

/** Adds the counts of a trace to the findings. */
export function reportTrace(findings: FindingLog, file: string, reading: TraceReading): void {
  for (const [name, kind] of Object.entries(KINDS) as [keyof typeof KINDS, Kind][]) {
    const count = reading[name];
    if (count > 0) findings.add({ code: "note", at: { file }, count, ...kind });
  }
}

/** prime-rl also writes what has nothing to compare. */
export function reportWithoutTokens(findings: FindingLog, file: string): void {
  findings.add({
    code: "no-data",
    severity: "info",
    subject: "episodes without tokens",
    count: 1,
    omits: { unit: "sequence", why: "no_data" },
    at: { file },
    likely: "they failed, or belong to evaluations whose client asks for no tokens",
    describe: (count) => `${plural(count, "episode")} without tokens`,
  });
}
