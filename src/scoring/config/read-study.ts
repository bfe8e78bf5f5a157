/**
 * A study from its settings, whether they come from a file or from flags.
 *
 * @module
 */

import { type CategoryConfig, DEFAULT_CATEGORIES, extendCategories } from "../../analyses/kl/index.ts";
import { UsageError } from "../../core/base/index.ts";
import { logitsPolicyNames } from "../logits/index.ts";
import { type BackendOptions, expandPolicies, isSavedLogits } from "../open-policy.ts";
import {
  type AnalysisSpec,
  DEFAULT_SPIKES,
  type GenerateSpec,
  inTrainingOrder,
  type PolicySpec,
  policySpec,
  type StudySpec,
} from "../study-spec.ts";
import { type ReadTextsOptions, RL_PROBE_TEMPLATE } from "../texts/index.ts";
import { ConfigFields } from "./fields.ts";
import type { StudyConfig } from "./read-config.ts";

export interface ConfiguredStudy {
  readonly spec: StudySpec;
  readonly backend: BackendOptions & { readonly cacheBytes?: number };
}

const MIB = 2 ** 20;
const DEFAULT_TOP_K = 5;
const DEFAULT_SEED = 42;

/**
 * Checks every setting.
 *
 * @param out where the study goes when no setting says so
 * @param file the config, for messages; undefined for flags
 * @throws UsageError for a setting that is unknown, of the wrong kind, or contradicts another
 */
export async function readStudy(
  config: StudyConfig,
  out: string,
  file: string | undefined,
): Promise<ConfiguredStudy> {
  const fields = new ConfigFields(config, "", file);
  const policies = await readPolicies(fields);
  const reference = readReference(fields, policies);
  const names = policies.map(({ name }) => name);
  const spec: StudySpec = {
    name: fields.text("name") ?? fields.text("out") ?? out,
    out: fields.text("out") ?? out,
    texts: readTextOptions(fields),
    policies: inTrainingOrder(
      policies.map((policy): PolicySpec => {
        return policy.name === reference ? { ...policy, role: "reference" } : policy;
      }),
    ),
    reference,
    only: readOnly(fields, names),
    pairs: readPairs(fields, names),
    outcomes: readOutcomes(fields),
    topK: fields.count("top_k") ?? DEFAULT_TOP_K,
    attention: fields.flag("attention") ?? false,
    generate: readGenerate(fields, names, reference),
    analysis: readAnalysis(fields),
    settings: Object.fromEntries(
      ANALYSIS.flatMap((name) => (fields.has(name) ? [[name, fields.raw(name)]] : [])),
    ),
  };
  const backend = readBackend(fields.fields("backend"));
  fields.finish();
  return { spec, backend };
}

/** Settings that say how scores are read; a study keeps them, so that its directory is enough to read it again. */
const ANALYSIS = [
  "spikes",
  "categories",
  "parity",
  "alpha",
  "bootstrap",
  "seed",
  "floor",
  "cases",
  "outcomes",
] as const;

/** How scores are read, apart from where they come from. @throws UsageError as {@link readStudy} does */
export function readAnalysisSettings(
  config: StudyConfig,
  file: string | undefined,
): Pick<StudySpec, "analysis" | "outcomes"> {
  const fields = new ConfigFields(config, "", file);
  const settings = { analysis: readAnalysis(fields), outcomes: readOutcomes(fields) };
  fields.finish();
  return settings;
}

async function readPolicies(fields: ConfigFields): Promise<PolicySpec[]> {
  const baselines = fields.texts("baselines") ?? [];
  const stages = readStages(fields.fields("stages"));
  const found: PolicySpec[] = [];
  const add = (name: string, at: string, given: { step?: number; stage?: string } = {}): void => {
    const spec = policySpec(name, at, undefined, {
      ...given,
      ...(baselines.includes(name) && { role: "baseline" as const }),
    });
    found.push({ ...spec, stage: spec.stage ?? (spec.role === "checkpoint" ? stages(spec.step) : null) });
  };
  if (typeof fields.raw("policies") === "object" && !Array.isArray(fields.raw("policies"))) {
    const map = fields.fields("policies")!;
    for (const name of map.names) {
      if (typeof map.raw(name) === "string") {
        add(name, map.text(name)!);
        continue;
      }
      // `name:` with nothing behind it is null in YAML, and null counts as absent.
      const one = map.fields(name);
      if (one === undefined) throw map.wrong(name, "a location such as onnx:DIR");
      const at = one.text("at");
      if (at === undefined) throw one.wrong("at", "a location such as onnx:DIR");
      const [step, stage] = [one.count("step", 0), one.text("stage")];
      add(name, at, { ...(step !== undefined && { step }), ...(stage !== undefined && { stage }) });
      one.finish();
    }
  } else {
    const given = fields.texts("policies") ?? (await savedPolicies(fields.texts("texts")));
    for (const [name, at] of await expandPolicies(given)) add(name, at);
  }
  if (found.length < 2) {
    throw new UsageError(
      found.length === 0
        ? "no policies to score"
        : `${found[0]!.name} alone cannot be compared with anything`,
      {
        hint: "give at least two: --policy dpo=onnx:ckpt/dpo --policy rlvr=onnx:ckpt/rlvr, or onnx:'ckpt/*'",
      },
    );
  }
  return found;
}

/** A file of saved logits is texts and policies in one. */
async function savedPolicies(files: readonly string[] = []): Promise<string[]> {
  const [file] = files;
  if (file === undefined || files.length > 1 || !isSavedLogits(file)) return [];
  return (await logitsPolicyNames(file)).map((name) => `${name}=logits:${file}#${name}`);
}

/** `early: [100, 300]`: both ends included. */
function readStages(fields: ConfigFields | undefined): (step: number | null) => string | null {
  const stages = (fields?.names ?? []).map((name) => {
    const range = fields!.list(name) ?? [];
    const [from, to = from] = range;
    if (typeof from !== "number" || typeof to !== "number" || range.length > 2)
      throw fields!.wrong(name, "a step or [first, last]");
    return { name, from, to };
  });
  return (step) => stages.find(({ from, to }) => step !== null && step >= from && step <= to)?.name ?? null;
}

function readReference(fields: ConfigFields, policies: readonly PolicySpec[]): string {
  const names = policies.map(({ name }) => name);
  const given = fields.text("reference");
  if (given === undefined) {
    throw new UsageError("no reference policy is named", { hint: `--reference ${names.join(" | ")}` });
  }
  if (names.includes(given)) return given;
  throw new UsageError(`the reference ${given} is not one of the policies`, {
    hint: `the policies are ${names.join(", ")}`,
  });
}

function readOnly(fields: ConfigFields, names: readonly string[]): readonly string[] | undefined {
  const only = fields.texts("checkpoints");
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown === undefined) return only;
  throw new UsageError(`the checkpoint ${unknown} is not one of the policies`, {
    hint: `the policies are ${names.join(", ")}`,
  });
}

function readPairs(fields: ConfigFields, names: readonly string[]): (readonly [string, string])[] {
  return (fields.list("pairs") ?? []).map((pair) => {
    const [p, q] =
      typeof pair === "string" ? pair.split(":") : Array.isArray(pair) ? (pair as unknown[]) : [];
    if (typeof p !== "string" || typeof q !== "string" || p === q)
      throw fields.wrong("pairs", "two policies each: [[rlvr_step_1000, rlvr_step_100]]");
    for (const name of [p, q]) {
      if (!names.includes(name)) {
        throw new UsageError(`the pair ${p}:${q} names ${name}, which is not one of the policies`, {
          hint: `the policies are ${names.join(", ")}`,
        });
      }
    }
    return [p, q] as const;
  });
}

function readTextOptions(fields: ConfigFields): ReadTextsOptions {
  const tokenizer = fields.text("tokenizer");
  const promptTemplate = fields.text("prompt_template");
  const appendEos = fields.flag("append_eos");
  const limit = fields.count("limit");
  const onlyWrong = fields.flag("only_wrong");
  const problems = fields.text("problems");
  const files = fields.texts("texts");
  const columns = fields.textMap("columns");
  const given = fields.raw("responses");
  const responses =
    typeof given === "string"
      ? { [nameSource(given)]: given }
      : Array.isArray(given)
        ? Object.fromEntries(fields.texts("responses")!.map((path) => [nameSource(path), path]))
        : fields.textMap("responses");
  return {
    ...(problems !== undefined && { problems }),
    ...(responses !== undefined && { responses }),
    ...(files !== undefined && { files }),
    ...(columns !== undefined && { columns }),
    ...(tokenizer !== undefined && { tokenizer }),
    ...(promptTemplate !== undefined && {
      promptTemplate: promptTemplate === "rl-probe" ? RL_PROBE_TEMPLATE : promptTemplate,
    }),
    ...(appendEos !== undefined && { appendEos }),
    ...(limit !== undefined && { limit }),
    ...(onlyWrong !== undefined && { onlyWrong }),
  };
}

/** `dpo_responses.json` are dpo's. */
function nameSource(path: string): string {
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.(json|jsonl|parquet)(\.gz|\.zst)?$/, "");
  return name.replace(/_responses$/, "") || name;
}

function readOutcomes(fields: ConfigFields): Record<string, string> {
  const given = fields.raw("outcomes");
  return typeof given === "string" ? { "": given } : (fields.textMap("outcomes") ?? {});
}

function readGenerate(
  fields: ConfigFields,
  names: readonly string[],
  reference: string,
): GenerateSpec | undefined {
  const given = fields.fields("generate");
  if (given === undefined) return undefined;
  const n = given.count("n");
  if (n === undefined) throw given.wrong("n", "the number of responses to each problem (--generate N)");
  const from = given.text("from") ?? reference;
  if (!names.includes(from)) throw given.wrong("from", `one of the policies ${names.join(", ")}`);
  const spec: GenerateSpec = {
    n,
    from,
    temperature: given.number("temperature", (value) => value >= 0, "a number from 0") ?? 1,
    topP: given.number("top_p", (value) => value > 0 && value <= 1, "above 0 and at most 1") ?? 1,
    maxTokens: given.count("max_tokens") ?? 1024,
    seed: given.count("seed", 0) ?? fields.count("seed", 0) ?? DEFAULT_SEED,
  };
  given.finish();
  return spec;
}

function readAnalysis(fields: ConfigFields): AnalysisSpec {
  const spikes = fields.fields("spikes");
  const share = (value: number): boolean => value > 0 && value < 1;
  const spec: AnalysisSpec = {
    spikes: {
      method: spikes?.choice("method", ["zscore", "percentile", "adaptive"]) ?? DEFAULT_SPIKES.method,
      threshold: spikes?.number("threshold") ?? DEFAULT_SPIKES.threshold,
      minDistance: spikes?.count("min_distance", 0) ?? DEFAULT_SPIKES.minDistance,
      percentile:
        spikes?.number("percentile", (value) => value >= 0 && value <= 100, "from 0 to 100") ??
        DEFAULT_SPIKES.percentile,
    },
    categories: fields.has("categories")
      ? extendCategories(fields.raw("categories") as Record<string, CategoryConfig>)
      : DEFAULT_CATEGORIES,
    rlProbe: fields.choice("parity", ["rl-probe"]) !== undefined,
    alpha: fields.number("alpha", share, "between 0 and 1") ?? 0.05,
    bootstrapReplicates: fields.count("bootstrap", 0) ?? 2000,
    seed: fields.count("seed", 0) ?? DEFAULT_SEED,
    floor: fields.number("floor", (value) => value < 0, "a log-prob below 0"),
    cases: fields.count("cases", 0) ?? 6,
  };
  spikes?.finish();
  return spec;
}

function readBackend(fields: ConfigFields | undefined): ConfiguredStudy["backend"] {
  if (fields === undefined) return {};
  const given = {
    threads: fields.count("threads"),
    maxBlockBytes: times(fields.count("memory_mib"), MIB),
    cacheBytes: times(fields.count("cache_mib", 0), MIB),
    concurrency: fields.count("concurrency"),
    timeoutMs: times(
      fields.number("timeout_s", (value) => value > 0, "above 0"),
      1000,
    ),
    retries: fields.count("retries", 0),
    fullVocabulary: fields.flag("full_vocabulary"),
    vocabularySize: fields.count("vocabulary_size"),
    python: fields.text("python"),
    gpu: readGpu(fields),
    dtype: fields.choice("dtype", ["auto", "float32", "bfloat16", "float16"]),
    deviceMap: fields.text("device_map"),
    batchTokens: fields.count("batch_tokens"),
  };
  fields.finish();
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** `0`, `"0,1"` or `none`: in YAML a single GPU is a number. */
function readGpu(fields: ConfigFields): string | undefined {
  const value = fields.raw("gpu");
  if (value === undefined) return undefined;
  const text = String(value);
  if (/^(none|\d+(,\d+)*)$/.test(text)) return text;
  throw fields.wrong("gpu", "a number, several (0,1) or none");
}

function times(value: number | undefined, factor: number): number | undefined {
  return value === undefined ? undefined : value * factor;
}
