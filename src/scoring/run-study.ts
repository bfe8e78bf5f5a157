import type { Finding } from "../core/schema/index.ts";
import { prepareTexts } from "./prepare-texts.ts";
import { type PolicyOutcome, type ScoreOptions, scoreStudy } from "./score-study.ts";
import { paths } from "./store/manifest.ts";
import { writeTexts } from "./store/texts-file.ts";
import { writeStudyRecord } from "./study-record.ts";
import type { StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/index.ts";

export interface RunStudyOptions extends Omit<ScoreOptions, "tokenizer"> {
  readonly onSampled?: (done: number, total: number) => void;
}

export interface RunStudyResult {
  readonly texts: readonly PreparedText[];
  readonly policies: readonly PolicyOutcome[];
  /** What stands in the study's directory now. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
  readonly interrupted: boolean;
}

/**
 * Reads the texts of a study, scores them under its policies, and writes the record. What an earlier run left in the
 * study's directory is kept.
 */
export async function runStudy(spec: StudySpec, options: RunStudyOptions = {}): Promise<RunStudyResult> {
  const { texts, tokenizer, findings } = await prepareTexts(spec, options);
  const { signal } = options;
  if (signal?.aborted) return { texts, policies: [], files: [], findings, interrupted: true };
  await writeTexts(spec.out, texts);
  const result = await scoreStudy(spec, texts, {
    ...options,
    ...(tokenizer !== undefined && { tokenizer: tokenizer.name, encode: tokenizer.encode }),
  });
  const names = spec.policies.map(({ name }) => name);
  const record = result.interrupted ? undefined : await writeStudyRecord(spec.out, texts, names);
  const scored = result.policies.map(({ name }) => paths.scores(spec.out, name));
  return {
    texts,
    policies: result.policies,
    files: [...(record === undefined ? [] : [record]), ...(result.interrupted ? [] : scored)],
    findings: [...findings, ...result.findings],
    interrupted: result.interrupted,
  };
}
