/**
 * `continuations.jsonl`: what policies wrote after part of a text was forced.
 *
 * @module
 */
import type { FindingLog } from "../../../core/schema/index.ts";
import { plural } from "../../../core/text/index.ts";
import { writeWholeFile } from "../../../input/io/index.ts";
import type { Sampled } from "../policy.ts";
import { appendLines, type LinesForm, readLines, resumeLines } from "../store/lines-file.ts";
import { paths } from "../store/manifest.ts";

/** One line of the file: one sample. */
export interface Continuation {
  /** Fingerprint of the policy's model, as in its scores. */
  readonly fingerprint: string;
  /** How it was sampled. */
  readonly settings: string;
  readonly policy: string;
  /** Digest of the text's token ids, and its name for readers. */
  readonly key: string;
  readonly text: string;
  readonly place: string;
  /** Response tokens that were forced. */
  readonly position: number;
  readonly sample: number;
  readonly ids: readonly number[];
  /** What was written, without special tokens. */
  readonly response: string;
  /** Whether the final answer of the whole text is right; null if it states none. */
  readonly correct: boolean | null;
  readonly finishReason: Sampled["finishReason"];
}

const FORM: LinesForm<Continuation> = {
  said: (line) => line,
  describeDamage: (count) => `${plural(count, "continuation")} ${count === 1 ? "is" : "are"} damaged`,
  again: "sampled again",
  likely: "the run that sampled them was killed, or the disk was full",
};

export function appendContinuations(dir: string, lines: readonly Continuation[]): void {
  appendLines(paths.continuations(dir), FORM, lines);
}

/** Continuations by the models in `fingerprints`; a policy that is not listed has none. */
export async function readContinuations(
  dir: string,
  fingerprints: (policy: string) => string | undefined,
  findings: FindingLog,
): Promise<Continuation[]> {
  const lines = await readLines(paths.continuations(dir), FORM, findings);
  return lines.filter(({ policy, fingerprint }) => fingerprint === fingerprints(policy));
}

/** Removes samples of other models or with other settings from the file; returns the rest. */
export async function keepContinuations(
  dir: string,
  isCurrent: (line: Continuation) => boolean,
  findings: FindingLog,
): Promise<Continuation[]> {
  const lines = await resumeLines(paths.continuations(dir), FORM, findings);
  const kept = lines.filter(isCurrent);
  if (kept.length < lines.length) {
    await writeWholeFile(paths.continuations(dir), "");
    appendContinuations(dir, kept);
  }
  return kept;
}
