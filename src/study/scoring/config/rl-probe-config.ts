/**
 * RL-Probe's own `configs/config.yaml` (at its commits 0aa5cb29, without revisions, and 55e93244, with them) as keys of
 * a study. Policies get the names that its `ModelLoader.register_from_config` gives them.
 *
 * @module
 */
import { FIGURE_FORMATS } from "../study-spec.ts";
import { ConfigFields } from "./fields.ts";

type Config = Readonly<Record<string, unknown>>;

/** Whether a config is RL-Probe's: our studies have no `models`. */
export function isRlProbeConfig(config: Config): boolean {
  const { models } = config;
  return typeof models === "object" && models !== null && "base_model" in models;
}

/**
 * Translates such a config into ours. Its `dataset.filter` describes the files that its first script wrote; pairs that
 * name no checkpoint are skipped, as RL-Probe does, and reported; logging has no keys here. Its rollout sampling
 * becomes that of `--generate` and `--continue`, and `visualization` becomes the formats of `--figures`.
 *
 * @throws UsageError for values of the wrong kind
 */
export function readRlProbeConfig(config: Config, file: string): Config {
  const fields = new ConfigFields(config, "", file);
  const policies = readPolicies(fields.fields("models")!);
  const spikes = fields.fields("analysis")?.fields("spike_detection");
  const baselines = fields.fields("baselines");
  const study: Record<string, unknown> = {
    policies,
    reference: "dpo",
    baselines: "sft" in policies ? ["sft"] : undefined,
    ...readPairs(baselines?.fields("checkpoint_progression"), Object.keys(policies)),
    prompt_template: "rl-probe",
    generation: readRollout(fields.fields("rollout")),
    figures: readVisualization(fields.fields("visualization")),
    spikes: dropAbsent({
      method: spikes?.text("method"),
      threshold: spikes?.number("threshold"),
      min_distance: spikes?.count("min_spike_distance", 0),
    }),
    alpha: fields.fields("metrics")?.fields("significance")?.number("alpha"),
    cases: fields.fields("visualization")?.fields("case_study")?.count("num_cases", 0),
    limit: fields.fields("dataset")?.count("max_problems"),
    seed: fields.count("seed", 0),
    backend: readHardware(fields.fields("hardware")),
  };
  return dropAbsent(study);
}

function readPolicies(models: ConfigFields): Record<string, unknown> {
  const policies: Record<string, unknown> = { dpo: `hf:${models.text("base_model")}` };
  const sft = models.text("sft_model");
  if (sft !== undefined) policies.sft = `hf:${sft}`;
  for (const [i, value] of (models.list("rlvr_checkpoints") ?? []).entries()) {
    const checkpoint = new ConfigFields(value, `models.rlvr_checkpoints[${i}]`, undefined);
    const [path, step] = [checkpoint.text("path"), checkpoint.count("step", 0)];
    if (path === undefined) throw checkpoint.wrong("path", "the directory of a checkpoint");
    if (step === undefined) throw checkpoint.wrong("step", "the checkpoint's step");
    const revision = checkpoint.text("revision");
    const at = revision === undefined ? `hf:${path}` : `hf:${path}@${revision}`;
    policies[`rlvr_step_${step}`] = dropAbsent({ at, step, stage: checkpoint.text("stage") });
  }
  return policies;
}

/** Its pairs may name checkpoints that it does not list, as in RL-Probe's own config. */
function readPairs(
  progression: ConfigFields | undefined,
  names: readonly string[],
): { readonly pairs?: unknown[]; readonly absent_pairs?: string[] } {
  if (progression === undefined || progression.flag("enabled") === false) return {};
  const find = (name: unknown): string | undefined =>
    names.find((known) => known === name || known === `rlvr_${String(name)}`);
  const pairs: unknown[] = [];
  const absent: string[] = [];
  for (const pair of progression.list("pairs") ?? []) {
    const [p, q] = Array.isArray(pair) ? pair.map(find) : [];
    if (p === undefined || q === undefined || p === q)
      absent.push(Array.isArray(pair) ? pair.join(":") : String(pair));
    else pairs.push([p, q]);
  }
  return { ...(pairs.length > 0 && { pairs }), ...(absent.length > 0 && { absent_pairs: absent }) };
}

/** `do_sample: false` is greedy, whatever its temperature says. */
function readRollout(rollout: ConfigFields | undefined): Record<string, unknown> | undefined {
  if (rollout === undefined) return undefined;
  const generation = rollout.fields("generation");
  return dropAbsent({
    n: rollout.count("num_samples_per_problem"),
    temperature: generation?.flag("do_sample") === false ? 0 : generation?.number("temperature"),
    top_p: generation?.number("top_p"),
    max_tokens: generation?.count("max_new_tokens"),
  });
}

/** Formats that matplotlib knows but this program does not are skipped. */
function readVisualization(visualization: ConfigFields | undefined): Record<string, unknown> | undefined {
  const formats = visualization
    ?.texts("formats")
    ?.filter((format) => (FIGURE_FORMATS as readonly string[]).includes(format));
  return dropAbsent({
    formats: formats?.length === 0 ? undefined : formats,
    dpi: visualization?.number("dpi"),
  });
}

function readHardware(hardware: ConfigFields | undefined): Record<string, unknown> | undefined {
  if (hardware === undefined) return undefined;
  const device = hardware.text("device");
  const several = hardware.fields("multi_gpu");
  const ids = several?.flag("enabled") ? several.list("gpu_ids") : undefined;
  const [, one] = /^cuda:(\d+)$/.exec(device ?? "") ?? [];
  const spread = device !== undefined && ["auto", "balanced", "sequential"].includes(device);
  return dropAbsent({
    gpu: device === "cpu" ? "none" : (one ?? (ids === undefined ? undefined : ids.join(","))),
    device_map: spread ? device : undefined,
    dtype: hardware.text("dtype"),
  });
}

function dropAbsent(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}
