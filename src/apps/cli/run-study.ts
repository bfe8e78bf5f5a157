import { formatCount } from "../../core/text/index.ts";
import { type ConfiguredStudy, type RunStudyResult, runStudy } from "../../study/scoring/index.ts";
import { createProgressFor } from "./progress.ts";
import { scoreLine } from "./score-progress.ts";
import type { Terminal } from "./terminal.ts";

/** Runs a study with a progress line on standard error. */
export async function runWithProgress(
  { spec, backend }: ConfiguredStudy,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<RunStudyResult> {
  const scoring = createProgressFor(terminal, scoreLine);
  const further = createProgressFor(terminal, (line: string) => line);
  const tell =
    (doing: string) =>
    (policy: string, done: number, total: number): void =>
      further.update(`  ${policy}  ${doing} of ${formatCount(done)} of ${formatCount(total)} texts`);
  try {
    return await runStudy(spec, {
      ...backend,
      signal,
      onProgress: scoring.update,
      onGradients: tell("gradients"),
      onContinued: tell("continuations"),
    });
  } finally {
    scoring.end();
    further.end();
  }
}
