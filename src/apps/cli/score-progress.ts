import { formatCount } from "../../core/text/index.ts";
import type { AnalyzeProgress, ScoreProgress } from "../../study/scoring/index.ts";
import { createProgressFor, duration } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** What draws lines on standard error while texts are scored. */
interface ScoreLines {
  onScore(progress: ScoreProgress): void;
  onGradients(policy: string, done: number, total: number): void;
  onContinued(policy: string, done: number, total: number): void;
  /** Clears the line. */
  end(): void;
}

export function createScoreProgress(terminal: Terminal): ScoreLines {
  const scoring = createProgressFor(terminal, scoreLine);
  const further = createProgressFor(terminal, (line: string) => line);
  const tell =
    (doing: string) =>
    (policy: string, done: number, total: number): void =>
      further.update(`  ${policy}  ${doing} of ${formatCount(done)} of ${formatCount(total)} texts`);
  return {
    onScore: scoring.update,
    onGradients: tell("gradients"),
    onContinued: tell("continuations"),
    end() {
      scoring.end();
      further.end();
    },
  };
}

/** `  rlvr_step_300 (4 of 12)  118 of 260 texts, 2,310 tokens/s, 40 s left` */
function scoreLine(
  { policy, policyNumber, policies, texts, textsTotal, tokensDone, tokensLeft }: ScoreProgress,
  seconds: number,
): string {
  const rate = tokensDone / Math.max(seconds, 1e-3);
  const left = rate > 0 ? `, ${duration(tokensLeft / rate)} left` : "";
  const which = `${policy} (${policyNumber} of ${policies})`;
  return `  ${which}  ${formatCount(texts)} of ${formatCount(textsTotal)} texts, ${formatCount(Math.round(rate))} tokens/s${left}`;
}

/** `  42 %  analysing rlvr_step_300` */
export function analyzeLine({ policy, texts, textsTotal }: AnalyzeProgress): string {
  return `  ${Math.floor((100 * texts) / Math.max(1, textsTotal))} %  analysing ${policy}`;
}
