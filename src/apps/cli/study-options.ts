/**
 * Turns the flags of the verbs that score texts (study-flags.ts) into the settings of a config file. Flags override the
 * file.
 *
 * @module
 */
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../../core/base/index.ts";
import { openOutputs } from "../../ingest/index.ts";
import { isPresent } from "../../input/io/index.ts";
import {
  type ConfiguredStudy,
  defined,
  GPU_FORMS,
  mergeConfigs,
  parseNamed as named,
  parseNumber as number,
  parseGpu,
  readStudy,
  readStudyConfig,
  type StudyConfig,
  type StudySpec,
} from "../../study/scoring/index.ts";
import { positiveInteger } from "./input-options.ts";
import { findFilteredProblems, refuseResults, type StudyVerb } from "./rl-probe-files.ts";
import type { StudyFlags } from "./study-flags.ts";

const CONFIG_FILE = /\.(ya?ml)$/;

/**
 * The study described by paths and flags.
 *
 * @param verb as the user typed it, for hints
 * @param more settings from the verb's own flags, in the terms of the config file
 * @throws UsageError if they contradict each other
 */
export async function studyFromFlags(
  verb: StudyVerb,
  paths: readonly string[],
  flags: StudyFlags,
  more: StudyConfig = {},
): Promise<ConfiguredStudy> {
  const configs = paths.filter((path) => CONFIG_FILE.test(path));
  const [config, second] = configs;
  if (second !== undefined)
    throw new UsageError(`give one config at a time, not ${config} and ${second}`, { hint: "choose one" });
  const given = paths.filter((path) => !CONFIG_FILE.test(path));
  const files = given.length === 0 && flags.useDpoResponses ? [findFilteredProblems(verb, config)] : given;
  await refuseResults(files);
  const fromFile = config === undefined ? {} : await readStudyConfig(config);
  const merged = mergeConfigs(mergeConfigs(fromFile, readStudyFlags(files, flags)), more);
  const study = await readStudy(merged, defaultOut(config ?? files[0]), config);
  // A key belongs neither on a command line, where every process list shows it, nor in a file that is passed around.
  const apiKey = process.env.LOGRATIO_API_KEY;
  return apiKey ? { ...study, backend: { ...study.backend, apiKey } } : study;
}

/** Every path named by a study's paths and flags; callers skip entries that are not paths. */
export function studyInputs(
  paths: readonly string[],
  { responses = [], policy = [], tokenizer }: StudyFlags,
): readonly string[] {
  const named = [...responses, ...policy].map((text) =>
    text.replace(/^[^=]*=/, "").replace(/^(onnx|hf|logits):/, ""),
  );
  return [
    ...paths,
    ...(tokenizer === undefined ? [] : [tokenizer]),
    ...named.map((path) => path.replace(/\/\*$/, "")),
  ];
}

/** Checks that the study may be written to its destination, before anything is scored. */
export async function checkStudyOutput(
  { out, texts, policies }: StudySpec,
  paths: readonly string[],
  flags: StudyFlags,
): Promise<void> {
  const { problems, responses = {}, files = [] } = texts;
  const inputs = [
    ...studyInputs(paths, flags),
    ...(problems === undefined ? [] : [problems]),
    ...Object.values(responses),
    ...files,
    ...policies.map(({ at }) => at.replace(/^(onnx|hf|logits):/, "")),
  ];
  const outputs = await openOutputs({ inputs: [...new Set(inputs)], force: flags.force });
  await outputs.directory("--out", out, "study");
}

/** `runs/texts.jsonl` → `texts.study`, in the current directory; a config's study goes next to it. */
function defaultOut(path: string | undefined): string {
  if (path === undefined) return "logratio.study";
  const name = basename(path).replace(/(\.[A-Za-z0-9]+)+$/, "");
  return CONFIG_FILE.test(path) ? join(dirname(path), `${name}.study`) : `${name}.study`;
}

function readStudyFlags(files: readonly string[], flags: StudyFlags): StudyConfig {
  const [first, ...others] = files;
  const asProblems =
    flags.responses !== undefined || flags.useDpoResponses === true || flags.generate !== undefined;
  if (asProblems && others.length > 0)
    throw new UsageError(`with --responses, give exactly one problems file (got ${files.length})`);
  if (flags.useDpoResponses && flags.responses !== undefined)
    throw new UsageError("--use-dpo-responses and --responses cannot be combined", {
      hint: "choose one",
    });
  return defined({
    ...(first !== undefined && (asProblems ? { problems: first } : { texts: files })),
    responses:
      flags.useDpoResponses && first !== undefined
        ? { dpo: dpoResponses(first) }
        : parseResponses(flags.responses),
    columns: named("--column", flags.column),
    prompt_template: flags.promptTemplate,
    append_eos: flags.appendEos,
    tokenizer: flags.tokenizer,
    limit: count("--limit", flags.limit),
    only_wrong: flags.onlyWrong,
    only_outcomes: named("--only-outcomes", flags.onlyOutcomes?.split(",")),
    checkpoints: flags.checkpoint,
    policies: flags.policy,
    reference: flags.reference,
    baselines: flags.baseline,
    pairs: flags.pair,
    out: flags.out,
    top_k: count("--top-k", flags.topK),
    attention: flags.attention,
    gradients: flags.gradients,
    seed: number("--seed", flags.seed),
    backend: defined({
      full_vocabulary: flags.fullVocabulary,
      vocabulary_size: count("--vocabulary-size", flags.vocabularySize),
      python: flags.python,
      gpu: readGpuFlag(flags.gpu),
      dtype: flags.dtype,
      device_map: flags.deviceMap,
      batch_tokens: count("--batch-tokens", flags.batchTokens),
      threads: count("--threads", flags.threads),
      memory_mib: count("--memory", flags.memory),
      cache_mib: number("--cache", flags.cache),
      concurrency: count("--concurrency", flags.concurrency),
      timeout_s: number("--timeout", flags.timeout),
      retries: number("--retries", flags.retries),
    }),
    ...readSamplingFlags(flags),
  });
}

/**
 * Sampling options apply once to everything sampled; without a sampling flag, they belong to what a config generates.
 */
function readSamplingFlags(flags: StudyFlags): StudyConfig {
  // `0.3,0.7`: several, for --generate.
  const all = flags.temperature?.split(",").map((text) => number("--temperature", text)!);
  const drawing = {
    temperature: all === undefined || all.length > 1 ? all : all[0],
    top_p: number("--top-p", flags.topP),
    max_tokens: count("--max-tokens", flags.maxTokens),
  };
  const generates = flags.generate !== undefined || flags.continue === undefined;
  const continues = flags.continue !== undefined || flags.continueSamples !== undefined;
  return {
    generate: defined({
      n: count("--generate", flags.generate),
      from: flags.generateFrom,
      ...(generates && drawing),
    }),
    continue: defined({
      at: flags.continue,
      n: count("--continue-samples", flags.continueSamples),
      ...(continues && drawing),
    }),
  };
}

function readGpuFlag(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const gpu = parseGpu(given);
  if (gpu !== undefined) return gpu;
  throw new UsageError(`--gpu must be ${GPU_FORMS}, not "${given}"`);
}

function dpoResponses(problems: string): string {
  const dir = isPresent(problems) && statSync(problems).isDirectory() ? problems : dirname(problems);
  return join(dir, "dpo_responses.json");
}

/** `source=file`, or a file named after the source. */
function parseResponses(given: readonly string[] | undefined): unknown {
  if (given === undefined) return undefined;
  if (given.every((text) => !text.includes("="))) return given;
  return named("--responses", given);
}

export function count(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : positiveInteger(flag, text);
}
