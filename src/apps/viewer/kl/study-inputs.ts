import { join, resolve } from "node:path";
import { type Manifest, studyPaths } from "../../../study/scoring/index.ts";
import { digest, existing, packageVersion } from "../prepare/cache/inputs.ts";

/** Incremented whenever the content or layout of a study's cache changes. */
const CACHE_VERSION = 5;

export interface StudyInputs {
  /** The same for every state of the study. */
  readonly key: string;
  /** Changes when a file that the analysis reads changes its size or time. */
  readonly version: string;
}

/** From the sizes and times of the files, without opening them. */
export async function studyInputs(
  dir: string,
  { policies, tokenizer }: Manifest,
  outcomes: Readonly<Record<string, string>>,
  redact: boolean,
): Promise<StudyInputs> {
  const files = await existing([
    join(dir, "study.json"),
    studyPaths.texts(dir),
    ...Object.keys(policies).map((name) => studyPaths.scores(dir, name)),
    ...Object.values(outcomes),
    ...(tokenizer === null ? [] : [tokenizer, join(tokenizer, "tokenizer.json")]),
  ]);
  const asked = ["study", resolve(dir), redact];
  return { key: digest(asked), version: digest([CACHE_VERSION, packageVersion(), asked, files]) };
}
