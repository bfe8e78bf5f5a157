import { UsageError } from "../../core/base/index.ts";
import { type Finding, FindingLog } from "../../core/schema/index.ts";
import type { TokenDecoder } from "../../input/tokens/index.ts";
import { type ContinueTextsOptions, continueTexts } from "./continuations/continue-texts.ts";
import { type ScoreGradientsOptions, scoreGradients } from "./gradients/score-gradients.ts";
import { type PreparedTexts, prepareTexts } from "./prepare-texts.ts";
import { type PolicyOutcome, type ScoreOptions, scoreStudy } from "./score-study.ts";
import { paths } from "./store/manifest.ts";
import { writeTexts } from "./store/texts-file.ts";
import { writeStudyRecord } from "./study-record.ts";
import type { StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/prepare-text.ts";

export interface RunStudyOptions
  extends Omit<ScoreOptions, "tokenizer">,
    Pick<ScoreGradientsOptions, "onGradients">,
    Pick<ContinueTextsOptions, "onContinued"> {
  readonly onSampled?: (done: number, total: number) => void;
}

export interface RunStudyResult {
  readonly texts: readonly PreparedText[];
  readonly policies: readonly PolicyOutcome[];
  /** The files now in the study's directory. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
  readonly interrupted: boolean;
}

/**
 * Reads the texts of a study, scores them under its policies, computes gradients and continuations if requested, and
 * writes the record. Results of an earlier run in the study's directory are kept.
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
  const further = result.interrupted ? [] : await askFurther(spec, { texts, tokenizer }, options);
  const interrupted = result.interrupted || signal?.aborted === true;
  const names = spec.policies.map(({ name }) => name);
  const record = interrupted ? undefined : await writeStudyRecord(spec.out, texts, names);
  const scored = result.policies.map(({ name }) => paths.scores(spec.out, name));
  return {
    texts,
    policies: result.policies,
    files: [...(record === undefined ? [] : [record]), ...(interrupted ? [] : scored)],
    findings: [...findings, ...describeAbsentPairs(spec), ...result.findings, ...further],
    interrupted,
  };
}

function describeAbsentPairs({ absentPairs, policies }: StudySpec): Finding[] {
  const log = new FindingLog();
  const [first] = absentPairs;
  if (first !== undefined)
    log.add({
      code: "note",
      severity: "warning",
      count: absentPairs.length,
      describe: (count) =>
        count === 1
          ? `the pair ${first} of the config is not compared: it names a checkpoint that the config does not list`
          : `${count} pairs of the config are not compared, because they name checkpoints that it does not list: ${absentPairs.join(", ")}`,
      at: {},
      likely: "the checkpoints were taken out of the config, or the pairs are of another run",
      hint: `the policies are ${policies.map(({ name }) => name).join(", ")}: correct the pairs, or add --pair P:Q`,
    });
  return log.list();
}

/** Gradients of spikes, and continuations. */
async function askFurther(
  spec: StudySpec,
  { texts, tokenizer }: Pick<PreparedTexts, "texts" | "tokenizer">,
  options: RunStudyOptions,
): Promise<Finding[]> {
  const known = tokenizer === undefined ? {} : { tokenizer: tokenizer.name, encode: tokenizer.encode };
  const gradients = spec.gradients ? await scoreGradients(spec, texts, { ...options, ...known }) : [];
  if (spec.continue === undefined || options.signal?.aborted) return [...gradients];
  const continued = await continueTexts(spec, spec.continue, texts, requireTokenizer(tokenizer), {
    ...options,
    ...known,
  });
  return [...gradients, ...continued];
}

function requireTokenizer(tokenizer: TokenDecoder | undefined): TokenDecoder {
  if (tokenizer !== undefined) return tokenizer;
  throw new UsageError("continuing texts needs the tokenizer of the policies", { hint: "--tokenizer DIR" });
}
