/**
 * Gradients of the KL at spikes, requested from every checkpoint after its texts are scored.
 *
 * @module
 */

import { containError, isLogratioError } from "../../../core/base/index.ts";
import { type Finding, FindingLog } from "../../../core/schema/index.ts";
import { makeDirectory } from "../../../input/io/index.ts";
import { findFirstError } from "../../analysis/first-error/first-error.ts";
import { isStudyFailure } from "../is-study-failure.ts";
import { keyed } from "../keyed-text.ts";
import type { BackendOptions } from "../open-policy.ts";
import type { ForcedText, LogitsPolicy } from "../policy.ts";
import { PolicyPool } from "../policy-pool.ts";
import { hasScores, readPair } from "../read-scored.ts";
import { reportPolicy } from "../scoring-findings.ts";
import { paths } from "../store/manifest.ts";
import { inTrainingOrder, isAsked, type StudySpec } from "../study-spec.ts";
import type { PreparedText } from "../texts/prepare-text.ts";
import { chooseSpikes } from "./choose-spikes.ts";
import { appendGradients, resumeGradients } from "./gradients-file.ts";

export interface ScoreGradientsOptions extends BackendOptions {
  /** Directory of the study's tokenizer. */
  readonly tokenizer?: string;
  readonly signal?: AbortSignal;
  /** Called with the number of a checkpoint's finished texts, and the total. */
  readonly onGradients?: (policy: string, done: number, total: number) => void;
}

/** A text, and its spikes that lack gradients. */
interface Wanted {
  readonly key: string;
  readonly forced: ForcedText;
  readonly positions: readonly number[];
}

/**
 * Writes gradients of the largest spikes of every scored text to the study's directory. Those of an earlier run are
 * kept. A checkpoint that cannot give them, or a text that it refuses, becomes a finding.
 */
export async function scoreGradients(
  spec: StudySpec,
  texts: readonly PreparedText[],
  options: ScoreGradientsOptions,
): Promise<readonly Finding[]> {
  const findings = new FindingLog();
  const pool = new PolicyPool(spec, options.tokenizer, {}, options);
  await pool.lookAround();
  try {
    for (const policy of inTrainingOrder(spec.policies)) {
      if (options.signal?.aborted) break;
      if (policy.role === "reference" || !isAsked(policy, spec)) continue;
      try {
        await scoreCheckpoint(policy.name, { spec, texts, options, pool, findings });
      } catch (error) {
        if (options.signal?.aborted) break;
        if (isStudyFailure(error, spec.out)) throw error;
        reportPolicy(
          findings,
          policy,
          containError(error, { file: policy.at }, "policy"),
          "asked for gradients",
        );
      }
      await pool.closeAllBut(new Set([spec.reference]));
    }
  } finally {
    await pool.closeAllBut(new Set());
  }
  return findings.list();
}

interface Run {
  readonly spec: StudySpec;
  readonly texts: readonly PreparedText[];
  readonly options: ScoreGradientsOptions;
  readonly pool: PolicyPool;
  readonly findings: FindingLog;
}

async function scoreCheckpoint(name: string, run: Run): Promise<void> {
  const { spec, options, pool, findings } = run;
  const { signal, onGradients } = options;
  const wanted = await listWanted(name, run);
  if (wanted.length === 0) return;
  const [policy, reference] = [await pool.open(name), await pool.open(spec.reference)];
  const isLogits = policy.gives === "logits" && reference.gives === "logits";
  if (!isLogits || policy.klGradients === undefined || policy.batches?.reaches(reference) !== true) {
    reportNoGradients(findings, name, spec.reference);
    return;
  }
  makeDirectory(paths.gradientsFolder(spec.out));
  for (const [i, text] of wanted.entries()) {
    if (signal?.aborted) return;
    await scoreText(policy, reference, text, run);
    onGradients?.(name, i + 1, wanted.length);
  }
}

async function listWanted(name: string, { spec, texts, pool, findings }: Run): Promise<Wanted[]> {
  const { out, reference, analysis } = spec;
  if (!(await hasScores(out, name)) || !(await hasScores(out, reference))) return [];
  const known = await resumeGradients(out, name, pool.fingerprint(name), findings);
  const wanted: Wanted[] = [];
  const options = { floor: analysis.floor, vocabularySize: null };
  for await (const { index, scored } of readPair(out, texts, name, reference, options)) {
    const text = texts[index]!;
    const error = text.correct === false ? findFirstError(text) : undefined;
    const { key, forced } = keyed(text, false);
    const positions = chooseSpikes(scored, error, analysis.spikes).filter((t) => !known.get(key)?.has(t));
    if (positions.length > 0) wanted.push({ key, forced, positions });
  }
  return wanted;
}

async function scoreText(
  policy: LogitsPolicy,
  reference: LogitsPolicy,
  { key, forced, positions }: Wanted,
  { spec, options, pool, findings }: Run,
): Promise<void> {
  try {
    const values = await policy.klGradients!(forced, reference, positions, options.signal);
    const line = { fingerprint: pool.fingerprint(policy.name), key, text: forced.id, positions };
    appendGradients(spec.out, policy.name, line, values);
  } catch (error) {
    if (!isLogratioError(error, "TextRefusedError")) throw error;
    findings.add({
      code: "text-refused",
      severity: "skipped",
      subject: `${policy.name} gradients ${error.reason}`,
      count: 1,
      at: {},
      describe: (count) =>
        count === 1
          ? `${policy.name} has no gradients of ${forced.id}: ${error.message}`
          : `${policy.name} has no gradients of ${count} texts; the first is ${forced.id}: ${error.message}`,
      ...(error.likely !== undefined && { likely: error.likely }),
      ...(error.hint !== undefined && { hint: error.hint }),
    });
  }
}

function reportNoGradients(findings: FindingLog, name: string, reference: string): void {
  findings.add({
    code: "note",
    severity: "info",
    subject: `${name} gradients`,
    count: 1,
    describe: () => `${name} has no gradients`,
    at: {},
    likely: `only hf: policies provide gradients, and ${reference} must be one, too`,
    hint: "give both as hf:DIR",
  });
}
