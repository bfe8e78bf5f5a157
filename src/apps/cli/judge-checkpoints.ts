/**
 * Which of the given checkpoints a diagnosed run used: scores a sample of its sequences under each.
 *
 * @module
 */
import { judgeServed, type SampledRow } from "../../analyses/doctor/index.ts";
import type { RunEvidence } from "../../analyses/evidence/index.ts";
import { type Finding, formatHandle } from "../../core/schema/index.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import { type CheckpointSpec, type ForcedText, scoreSample } from "../../study/scoring/index.ts";
import { createScoreProgress } from "./score-progress.ts";
import type { Terminal } from "./terminal.ts";
import { untilInterrupted } from "./until-interrupted.ts";

export interface JudgedCheckpoints {
  /** With what was found about the checkpoints. */
  readonly report: DoctorReport;
  readonly interrupted: boolean;
}

/** @param tokenizer directory of the run's tokenizer, to recognize checkpoints of another vocabulary */
export async function judgeCheckpoints(
  report: DoctorReport,
  { doctor }: RunEvidence,
  { checkpoints, backend, tokens }: CheckpointSpec,
  tokenizer: string | undefined,
  terminal: Terminal,
): Promise<JudgedCheckpoints> {
  const sample = doctor.sample(tokens);
  const texts = new Map(
    sample.filter(hasText).map((row, i): [SampledRow, ForcedText] => [row, forced(row, i)]),
  );
  if (texts.size === 0) return { report: withFindings(report, [noTexts(sample.length)]), interrupted: false };
  const { onScore: onProgress, end } = createScoreProgress(terminal);
  let interrupted = false;
  const { scores, findings } = await untilInterrupted(async (signal) => {
    const options = { ...backend, tokenizer, signal, onProgress };
    const scored = await scoreSample(checkpoints, [...texts.values()], options).finally(end);
    interrupted = signal.aborted;
    return scored;
  });
  if (interrupted || scores.length === 0) return { report: withFindings(report, findings), interrupted };
  const rows = [...texts].flatMap(([row, { id }]) => {
    const columns = scores.flatMap(({ logprobs }) => logprobs.get(id) ?? []);
    return columns.length === scores.length ? [{ row, scores: columns }] : [];
  });
  const served = judgeServed(
    rows,
    scores.map(({ policy }) => policy),
  );
  const more = served === null ? [...findings, nothingShared()] : findings;
  return { report: { ...withFindings(report, more), checkpoints: served }, interrupted };
}

/** Whether a sequence can be forced: a first token without a prompt would be predicted from nothing. */
function hasText({ ids, prompt }: SampledRow): boolean {
  return (
    ids !== undefined &&
    prompt !== undefined &&
    prompt.length > 0 &&
    !ids.includes(-1) &&
    !prompt.includes(-1)
  );
}

function forced({ ids, prompt, step, rank, row }: SampledRow, place: number): ForcedText {
  return {
    // Rows of several files may have one handle.
    id: `${formatHandle({ step, rank, sequence: row })} (${place + 1})`,
    ids: Int32Array.of(...prompt!, ...ids!),
    promptLength: prompt!.length,
  };
}

function noTexts(sequences: number): Finding {
  return notCompared(
    sequences,
    "no checkpoint was scored: no sequence has the token ids of its prompt and response",
    "the record holds texts or log-probs alone",
    "record responses and prompts, or name the columns with --tokens and --prompt",
  );
}

function nothingShared(): Finding {
  return notCompared(
    1,
    "checkpoints were not compared: there is no token that both sides and all of them have log-probs of",
    "one of them refused the sequences that the others took",
    "give the others alone",
  );
}

function notCompared(count: number, message: string, likely: string, hint: string): Finding {
  return { code: "policy-skipped", severity: "skipped", message, count, at: {}, likely, hint };
}

function withFindings(report: DoctorReport, more: readonly Finding[]): DoctorReport {
  return more.length === 0 ? report : { ...report, findings: [...report.findings, ...more] };
}
