/**
 * A study from its config, whether its keys come from a file or from flags.
 *
 * @module
 */

import type { BackendOptions } from "../open-policy.ts";
import { inTrainingOrder, type PolicySpec, type StudySpec } from "../study-spec.ts";
import type { ReadTextsOptions } from "../texts/read-study-texts.ts";
import { RL_PROBE_TEMPLATE } from "../texts/template.ts";
import { ConfigFields } from "./fields.ts";
import { ANALYSIS, readAnalysis, readFigures, readOutcomes } from "./read-analysis.ts";
import { readBackend } from "./read-backend.ts";
import type { StudyConfig } from "./read-config.ts";
import { readOnly, readPairs, readPolicies, readReference } from "./read-policies.ts";
import { readContinue, readGenerate } from "./read-sampling.ts";

export interface ConfiguredStudy {
  readonly spec: StudySpec;
  readonly backend: BackendOptions & { readonly cacheBytes?: number };
}

const DEFAULT_TOP_K = 5;

/**
 * Checks every key.
 *
 * @param out where the study goes when no key says so
 * @param file the config, for messages; undefined for flags
 * @throws UsageError for a key that is unknown, has the wrong type, or contradicts another
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
    absentPairs: fields.texts("absent_pairs") ?? [],
    outcomes: readOutcomes(fields),
    topK: fields.count("top_k") ?? DEFAULT_TOP_K,
    attention: fields.flag("attention") ?? false,
    gradients: fields.flag("gradients") ?? false,
    generate: readGenerate(fields, names, reference),
    continue: readContinue(fields),
    analysis: readAnalysis(fields),
    figures: readFigures(fields),
    settings: Object.fromEntries(
      ANALYSIS.flatMap((name) => (fields.has(name) ? [[name, fields.raw(name)]] : [])),
    ),
  };
  const backend = readBackend(fields.fields("backend"));
  fields.finish();
  return { spec, backend };
}

function readTextOptions(fields: ConfigFields): ReadTextsOptions {
  const tokenizer = fields.text("tokenizer");
  const promptTemplate = fields.text("prompt_template");
  const appendEos = fields.flag("append_eos");
  const limit = fields.count("limit");
  const onlyWrong = fields.flag("only_wrong");
  const onlyOutcomes = fields.choiceMap("only_outcomes", ["right", "wrong"]);
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
    ...(onlyOutcomes !== undefined && { onlyOutcomes }),
  };
}

/** The responses in `dpo_responses.json` are dpo's. */
function nameSource(path: string): string {
  const name = path.replace(/^.*[/\\]/s, "").replace(/\.(json|jsonl|parquet)(\.gz|\.zst)?$/, "");
  return name.replace(/_responses$/, "") || name;
}
