/**
 * Turns the flags of the verbs that score texts into the settings of a config file. Flags override the file.
 *
 * @module
 */
import { statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { positiveInteger, UsageError } from "../../../core/base/index.ts";
import { openOutputs } from "../../../ingest/outputs/index.ts";
import { isPresent } from "../../../input/io/index.ts";
import { flagOf, type ReportFlags, SCORING_FLAGS, type ScoringFlags } from "../../flags.ts";
import type { StudySpec } from "../study-spec.ts";
import { configFromFlags, parseNamed, parseNumber } from "./config-from-flags.ts";
import { defined, mergeConfigs } from "./merge-configs.ts";
import { parseGpuFlag, readApiKey } from "./read-backend.ts";
import { readStudyConfig, type StudyConfig } from "./read-config.ts";
import { type ConfiguredStudy, readStudy } from "./read-study.ts";
import { findFilteredProblems, refuseResults, type StudyVerb } from "./rl-probe-files.ts";

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
  flags: ScoringFlags,
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
  const merged = mergeConfigs(mergeConfigs(fromFile, readScoringFlags(files, flags)), more);
  const study = await readStudy(merged, defaultOut(config ?? files[0]), config);
  return { ...study, backend: { ...study.backend, ...readApiKey() } };
}

/** Every path named by a study's paths and flags; callers skip entries that are not paths. */
export function studyInputs(
  paths: readonly string[],
  { responses = [], policy = [], tokenizer }: ScoringFlags,
): readonly string[] {
  const named = [responses, policy]
    .flat(2)
    .map((text) => text.replace(/^[^=]*=/, "").replace(/^(onnx|hf|logits):/, ""));
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
  flags: ScoringFlags & { readonly force?: boolean },
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

function readScoringFlags(files: readonly string[], flags: ScoringFlags): StudyConfig {
  const [first, ...others] = files;
  const asProblems =
    flags.responses !== undefined || flags.useDpoResponses === true || flags.generate !== undefined;
  if (asProblems && others.length > 0)
    throw new UsageError(`with --responses, give exactly one problems file (got ${files.length})`);
  if (flags.useDpoResponses && flags.responses !== undefined)
    throw new UsageError("--use-dpo-responses and --responses cannot be combined", {
      hint: "choose one",
    });
  const { backend, generate, continue: continues, ...plain } = configFromFlags(SCORING_FLAGS, flags);
  return defined({
    ...plain,
    ...(first !== undefined && (asProblems ? { problems: first } : { texts: files })),
    responses:
      flags.useDpoResponses && first !== undefined
        ? { dpo: dpoResponses(first) }
        : parseResponses(flags.responses),
    only_outcomes:
      flags.onlyOutcomes === undefined
        ? undefined
        : parseNamed("--only-outcomes", flags.onlyOutcomes.split(",")),
    backend: defined({ ...(backend as StudyConfig), gpu: parseGpuFlag(flags.gpu) }),
    ...addDrawing(flags, { generate: generate as StudyConfig, continue: continues as StudyConfig }),
  });
}

/**
 * How tokens are drawn is said once for everything sampled; if nothing else asks for samples, it belongs to what a config
 * generates.
 */
function addDrawing(
  { temperature, topP, maxTokens, ...flags }: ScoringFlags,
  asked: { readonly generate: StudyConfig; readonly continue: StudyConfig },
): StudyConfig {
  // `0.3,0.7`: several, for --generate.
  const all = temperature?.split(",").map((text) => parseNumber("--temperature", text));
  const drawing = {
    temperature: all === undefined || all.length > 1 ? all : all[0],
    top_p: topP === undefined ? undefined : parseNumber("--top-p", topP),
    max_tokens: maxTokens === undefined ? undefined : positiveInteger("--max-tokens", maxTokens),
  };
  const generates = flags.generate !== undefined || flags.continue === undefined;
  const continues = flags.continue !== undefined || flags.continueSamples !== undefined;
  return {
    generate: defined({ ...asked.generate, ...(generates && drawing) }),
    continue: defined({ ...asked.continue, ...(continues && drawing) }),
  };
}

function dpoResponses(problems: string): string {
  const dir = isPresent(problems) && statSync(problems).isDirectory() ? problems : dirname(problems);
  return join(dir, "dpo_responses.json");
}

/** `source=file`, or a file named after the source. */
function parseResponses(responses: ScoringFlags["responses"]): unknown {
  if (responses === undefined) return undefined;
  const given = [responses].flat();
  return given.every((text) => !text.includes("=")) ? given : parseNamed("--responses", given);
}

/**
 * Refuses flags that say how to score texts where there is nothing to score.
 *
 * @param what why there is nothing: `runs/a.study is an already scored study`
 * @throws UsageError
 */
export function refuseScoring(options: ScoringFlags & Pick<ReportFlags, "stage">, what: string): void {
  const { seed: _, ...scoring } = SCORING_FLAGS; // The bootstrap needs it, too.
  const names = [...Object.keys(scoring), "stage"] as (keyof typeof options)[];
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length === 0) return;
  const flags = given.map(flagOf).join(", ");
  throw new UsageError(
    `${what}: ${flags} ${given.length === 1 ? "has" : "have"} no effect on existing scores`,
    {
      hint: "give the texts and all policies again, with the study as --out: only what is new is scored",
    },
  );
}
