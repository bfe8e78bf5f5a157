import { inputWasSkipped } from "../../../analyses/assessment/index.ts";
import { shellCommand } from "../../../core/base/index.ts";
import { pasteable } from "../../../render/terminal/index.ts";
import type { JudgingFlags, ScoringFlags } from "../../../study/flags.ts";
import { renderScoreTerminal } from "../../../study/render/score/index.ts";
import { SCORE_SCHEMA_VERSION, type ScoreReport } from "../../../study/results/score.ts";
import {
  checkStudyOutput,
  type RunStudyResult,
  readJudgingFlags,
  runStudy,
  type StudySpec,
  studyFromFlags,
} from "../../../study/scoring/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { createScoreProgress } from "../score-progress.ts";
import type { Terminal } from "../terminal.ts";
import { untilInterrupted } from "../until-interrupted.ts";

export interface ScoreCommandOptions extends ScoringFlags, Pick<JudgingFlags, "outcomes">, ForceOption {
  readonly json?: boolean;
}

/** Forces texts through policies and stores what each says about every token. */
export async function score(
  paths: readonly string[],
  options: ScoreCommandOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { spec, backend } = await studyFromFlags("score", paths, options, readJudgingFlags(options));
  await checkStudyOutput(spec, paths, options);
  const started = Date.now();
  const { end, onScore: onProgress, ...further } = createScoreProgress(terminal);
  const run = await untilInterrupted((signal) =>
    runStudy(spec, { ...backend, signal, onProgress, ...further }).finally(end),
  );
  const report = scoreReport(spec, run, (Date.now() - started) / 1000);
  const { width, color, unicode } = terminal;
  terminal.out(options.json ? toJson(report) : renderScoreTerminal(report, { width, color, unicode }));
  tellFindings(report.findings, terminal);
  for (const file of report.files) terminal.err(writtenFiles(file));
  if (run.interrupted) {
    terminal.err("interrupted: scores so far are kept; run the same command again to continue\n");
    return EXIT.interrupted;
  }
  if (!options.json) terminal.err(`next: ${pasteable(shellCommand("kl", [spec.out]), terminal.unicode)}\n`);
  return inputWasSkipped(report.findings) ? EXIT.skipped : EXIT.fine;
}

function scoreReport(spec: StudySpec, run: RunStudyResult, seconds: number): ScoreReport {
  const { texts, policies, files, findings } = run;
  const sum = (of: (policy: (typeof policies)[number]) => number): number =>
    policies.reduce((total, policy) => total + of(policy), 0);
  const tokens = texts.reduce((total, { tokenIds }) => total + tokenIds.length, 0);
  const scored = sum((policy) => policy.scored);
  const busy = sum((policy) => policy.seconds);
  return {
    schemaVersion: SCORE_SCHEMA_VERSION,
    kind: "score",
    study: spec.out,
    metrics: {
      policies: spec.policies.length,
      problems: new Set(texts.map(({ problem }) => problem)).size,
      texts: texts.length,
      tokens,
      masked_in_tokens: texts.reduce((total, { mask }) => total + mask.reduce((a, b) => a + b, 0), 0),
      scored,
      kept: sum((policy) => policy.kept),
      refused: sum((policy) => policy.refused),
      seconds,
      tokens_per_second: scored === 0 || busy === 0 ? null : sum((policy) => policy.tokens) / busy,
    },
    policies: Object.fromEntries(
      spec.policies.map(({ name, at, role, step }) => {
        const outcome = policies.find((policy) => policy.name === name);
        const { gives = null, scored = 0, kept = 0, refused = 0, seconds = 0, notes = [] } = outcome ?? {};
        return [name, { at, role, step, gives, scored, kept, refused, seconds, notes }];
      }),
    ),
    files,
    findings,
  };
}
