/**
 * Prepares the texts of a study: read from files, taken from saved logits, or sampled.
 *
 * @module
 */
import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import { openTokenizer, type TokenDecoder } from "../../input/tokens/index.ts";
import { readLogitsTexts } from "./logits/open-logits-policy.ts";
import { checkModelExists, isSavedLogits, tokenizerBeside } from "./open-policy.ts";
import { type SampleTextsOptions, sampleTexts } from "./sample-texts.ts";
import { selectTexts } from "./select-texts.ts";
import type { StudySpec } from "./study-spec.ts";
import type { PreparedText } from "./texts/prepare-text.ts";
import { readStudyTexts } from "./texts/read-study-texts.ts";

export interface PreparedTexts {
  readonly texts: readonly PreparedText[];
  /** Undefined if the texts came as ids and no tokenizer was found. */
  readonly tokenizer: TokenDecoder | undefined;
  readonly findings: readonly Finding[];
}

/**
 * @throws EmptyInputError when no text is left
 * @throws UsageError when texts need a tokenizer and there is none, or `only_outcomes` names a policy without outcomes
 */
export async function prepareTexts(spec: StudySpec, options: SampleTextsOptions): Promise<PreparedTexts> {
  const tokenizer =
    typeof spec.texts.tokenizer === "string" ? spec.texts.tokenizer : await findTokenizer(spec);
  if (tokenizer === undefined) await refuseMissingModels(spec);
  const open = tokenizer === undefined ? undefined : await openTokenizer(tokenizer);
  const read = await readTexts(spec, open, options);
  const { texts, findings: leftOut } = await selectTexts(read.texts, spec);
  const findings = [...read.findings, ...leftOut];
  const seen = new Set<string>();
  for (const { id } of texts) {
    if (seen.has(id)) throw new UsageError(`two texts of the study are named ${id}`);
    seen.add(id);
  }
  if (texts.length === 0 && options.signal?.aborted !== true) throw noText(findings);
  return { texts, tokenizer: open, findings };
}

/** The error if no text is left; names the most frequent cause, unusable texts before those left out on request. */
function noText(findings: readonly Finding[]): EmptyInputError {
  const isSkipped = ({ severity }: Finding): number => Number(severity === "skipped");
  const [cause] = findings.toSorted((a, b) => isSkipped(b) - isSkipped(a) || b.count - a.count);
  return new EmptyInputError("no text of the study can be scored", {
    ...(cause !== undefined && {
      at: cause.at,
      likely: cause.likely === undefined ? cause.message : `${cause.message}: ${cause.likely}`,
      ...(cause.hint !== undefined && { hint: cause.hint }),
    }),
  });
}

/** The reference's own tokenizer, else the first that comes with a model. */
export async function findTokenizer({
  policies,
  reference,
}: Pick<StudySpec, "policies" | "reference">): Promise<string | undefined> {
  const first = policies.filter(({ name }) => name === reference);
  for (const { at } of [...first, ...policies]) {
    const dir = await tokenizerBeside(at);
    if (dir !== undefined) return dir;
  }
  return undefined;
}

/**
 * If no model brings a tokenizer because a model is missing, reports that as the cause.
 *
 * @throws NotFoundError that names the first missing model, the reference before the others
 */
async function refuseMissingModels({ policies, reference, texts }: StudySpec): Promise<void> {
  if (texts.files?.some(isSavedLogits)) return;
  const first = policies.filter(({ name }) => name === reference);
  for (const { at } of [...first, ...policies]) await checkModelExists(at);
}

async function readTexts(
  spec: StudySpec,
  tokenizer: TokenDecoder | undefined,
  options: SampleTextsOptions,
): Promise<{ texts: readonly PreparedText[]; findings: readonly Finding[] }> {
  const { files = [] } = spec.texts;
  const saved = files.filter(isSavedLogits);
  if (saved.length > 0) {
    if (saved.length !== files.length || saved.length > 1)
      throw new UsageError("a file of saved logits brings its own texts: give that one file and no others");
    return { texts: await savedTexts(saved[0]!, tokenizer), findings: [] };
  }
  const given = { ...spec.texts, ...(tokenizer !== undefined && { tokenizer }) };
  if (spec.generate === undefined) return readStudyTexts(given);
  if (tokenizer === undefined)
    throw new UsageError("sampling needs the tokenizer of the policy", { hint: "--tokenizer DIR" });
  const responses = spec.texts.responses === undefined ? undefined : await readStudyTexts(given);
  const sampled = await sampleTexts(spec, spec.generate, tokenizer, options);
  return {
    texts: [...(responses?.texts ?? []), ...sampled.texts],
    findings: [...(responses?.findings ?? []), ...sampled.findings],
  };
}

/** The texts in a file of saved logits; without a tokenizer, tokens are shown by their ids. */
async function savedTexts(file: string, tokenizer: TokenDecoder | undefined): Promise<PreparedText[]> {
  return (await readLogitsTexts(file)).flatMap(({ key, ids, promptLength = 1, mask }, row) => {
    const promptIds = ids.slice(0, promptLength);
    const tokenIds = ids.slice(promptLength);
    if (tokenIds.length === 0) return [];
    const tokens = Array.from(tokenIds, (id) => tokenizer?.textOf(id) ?? `#${id}`);
    return {
      id: key,
      problem: key,
      source: undefined,
      promptText: tokenizer?.decode([...promptIds]),
      promptLength,
      promptIds,
      responseText: tokenizer?.decode([...tokenIds]) ?? "",
      idsFrom: "file",
      at: { file, entry: key, row },
      tokenIds,
      tokens,
      mask: mask ?? new Uint8Array(tokenIds.length).fill(1),
      correct: undefined,
      level: undefined,
      subject: undefined,
      answer: undefined,
      errorToken: undefined,
    };
  });
}
