import { dictionary, isLogratioError } from "../../core/base/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import { hasAnyScores, type Manifest, paths, readManifest } from "./store/manifest.ts";
import { type ScoreOptions, type ScoreResult, StudyScoring } from "./study-scoring.ts";
import type { StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

export { computeKey } from "./keyed-text.ts";
export type { PolicyOutcome, ScoreOptions, ScoreProgress, ScoreResult } from "./study-scoring.ts";

/**
 * Scores texts under every policy of a study, into the study's directory. A policy that cannot be opened, or a text
 * that a policy refuses, becomes a finding; the rest is scored and kept.
 *
 * @throws the reference's error if the reference cannot be opened: without it nothing can be compared
 */
export async function scoreStudy(
  spec: StudySpec,
  texts: readonly PreparedText[],
  options: ScoreOptions = {},
): Promise<ScoreResult> {
  const findings = new FindingLog();
  const before = dictionary(Object.entries((await manifestBefore(spec.out, findings))?.policies ?? {}));
  return new StudyScoring(spec, texts, options, before, findings).run();
}

/** The manifest of an earlier run; if it is damaged, the scores still identify their models. */
async function manifestBefore(dir: string, findings: FindingLog): Promise<Manifest | undefined> {
  const tell = (what: string): void =>
    findings.add({
      code: "note",
      severity: "warning",
      subject: "manifest",
      count: 1,
      describe: () => `${what}: it is rebuilt`,
      at: { file: paths.manifest(dir) },
      likely: "the disk was full, or the file was edited or removed",
    });
  try {
    const manifest = await readManifest(dir);
    if (manifest === undefined && (await hasAnyScores(dir))) tell(`${paths.manifest(dir)} is missing`);
    return manifest;
  } catch (error) {
    if (!isLogratioError(error, "FormatError")) throw error;
    tell(error.message);
    return undefined;
  }
}
