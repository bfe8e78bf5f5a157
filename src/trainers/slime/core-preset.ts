/**
 * Shared by slime and its fork miles: `--use-tis`, IcePop as a custom function, OPSM against rollout log-probs.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { Correction, Reject, Step, Truncate } from "../neutral/correction.ts";
import type { BatchMetrics, Parameter, Preset, Settings, Trap } from "../shared/preset.ts";
import { makeBounds, readNumber } from "../shared/read-setting.ts";
import { firstExpressing, plainForm } from "../shared/same-effect.ts";

const parameters: readonly Parameter[] = [
  {
    name: "use_tis",
    kind: "boolean",
    fallback: true,
    meaning: "multiply the loss by exp(trainer − rollout) per token",
  },
  { name: "tis_clip", kind: "number", fallback: 2, meaning: "upper bound of the ratio" },
  { name: "tis_clip_low", kind: "number", fallback: 0, meaning: "lower bound of the ratio" },
  {
    name: "custom_tis_function_path",
    kind: "text",
    fallback: null,
    meaning: "a path that ends in icepop_function zeroes ratios outside the bounds instead of clamping them",
  },
  {
    name: "get_mismatch_metrics",
    kind: "boolean",
    fallback: false,
    meaning: "call the custom function for its metrics; needs custom_tis_function_path",
  },
  {
    name: "use_rollout_logprobs",
    kind: "boolean",
    fallback: false,
    meaning: "take the PPO ratio against rollout log-probs; excludes use_tis",
  },
  {
    name: "use_opsm",
    kind: "boolean",
    fallback: false,
    meaning: "drop sequences with negative advantage that have drifted too far",
  },
  {
    name: "opsm_delta",
    kind: "number",
    fallback: 1e-4,
    meaning: "largest mean old − new log-prob that OPSM keeps, nats",
  },
];

export interface SlimeTrainer extends Pick<Preset, "name" | "trainer" | "summary" | "source"> {
  /** Module path of `icepop_function` for `--custom-tis-function-path`. */
  readonly icepopPath: string;
  /** Preset of the other custom function, mis.py. */
  readonly misPreset: string;
  readonly metrics: (preset: Preset, settings: Settings) => BatchMetrics;
  readonly traps: readonly Trap[];
}

export function slimePreset(trainer: SlimeTrainer): Preset {
  const preset: Preset = {
    name: trainer.name,
    trainer: trainer.trainer,
    summary: trainer.summary,
    source: trainer.source,
    parameters,
    correction: (settings) => buildCorrection(settings, trainer),
    traps: (settings) => [...findTraps(settings), ...trainer.traps],
    metrics: (settings) => trainer.metrics(preset, settings),
    express: (correction) => firstExpressing(preset, correction, candidatesFor(correction, trainer)),
    config: (settings) => ({
      language: "flags",
      place: `${trainer.trainer} command line`,
      text: flags(settings),
    }),
  };
  return preset;
}

/** True when the trainer multiplies the loss by weights; the function may also run only for its metrics. */
export function appliesWeights(settings: Settings): boolean {
  return settings.use_tis === true || settings.get_mismatch_metrics === true;
}

/** True when OPSM sees the mismatch, because its old log-probs are the rollout's. */
export function masksSequences(settings: Settings): boolean {
  return settings.use_opsm === true && settings.use_rollout_logprobs === true;
}

function buildCorrection(settings: Settings, { trainer, misPreset }: SlimeTrainer): Correction {
  if (settings.use_rollout_logprobs === true && settings.use_tis === true) {
    throw new UsageError(
      `${trainer} refuses both: "use_rollout_logprobs and use_tis cannot be set at the same time."`,
    );
  }
  if (settings.get_mismatch_metrics === true && settings.custom_tis_function_path === null) {
    throw new UsageError(
      `${trainer} refuses this: "custom_tis_function_path must be set when get_mismatch_metrics is set"`,
    );
  }
  const on = appliesWeights(settings);
  const steps: Step[] = [];
  if (on) {
    const bounds = makeBounds(readNumber(settings, "tis_clip_low"), readNumber(settings, "tis_clip"));
    const cut: Truncate = { action: "truncate", ...bounds };
    const zero: Reject = { action: "zero", measure: "weight", ...bounds };
    steps.push(customFunction(settings, misPreset) === "icepop" ? zero : cut);
  }
  if (masksSequences(settings)) {
    steps.push({
      action: "zero",
      measure: { statistic: "k1", level: "sequence", aggregation: "mean" },
      upper: readNumber(settings, "opsm_delta") ?? Number.POSITIVE_INFINITY,
      when: "negative",
      nan: "kept",
    });
  }
  return { ...(on && { weight: { level: "token" as const, aggregation: "sum" as const } }), steps };
}

function customFunction(settings: Settings, misPreset: string): "icepop" | "vanilla" {
  const path = settings.custom_tis_function_path;
  if (path === null || path === undefined) return "vanilla";
  const name = String(path).split(/[.:/]/).at(-1);
  if (name === "icepop_function") return "icepop";
  if (name === "vanilla_tis_function") return "vanilla";
  const mis = String(path).includes("mis.") || String(name).startsWith("compute_mis_weights");
  throw new UsageError(`custom_tis_function_path is ${path}, a function that this preset does not know`, {
    hint: mis ? `use the preset ${misPreset}` : "known: icepop_function, vanilla_tis_function",
  });
}

function findTraps(settings: Settings): readonly Trap[] {
  const traps: Trap[] = [];
  const icepop = String(settings.custom_tis_function_path).endsWith("icepop_function");
  const low = readNumber(settings, "tis_clip_low") ?? 0;
  if (appliesWeights(settings)) {
    traps.push(
      icepop
        ? {
            says: "icepop_function zeroes the loss of tokens outside the bounds; they still count in the denominator",
          }
        : {
            says: "tis_clip and tis_clip_low clamp on both sides: a ratio under tis_clip_low is raised to it",
            code: "clamps-both-sides",
            setting: "tis_clip",
          },
    );
    if (icepop && low <= 0) {
      traps.push({
        says: "tis_clip_low is 0 by default: IcePop then drops nothing from below (the paper has 0.5)",
        severity: "warning",
        code: "half-open",
        setting: "tis_clip_low",
      });
    }
    traps.push({
      says: "train/tis is the mean of raw ratios, before the clamp; train/tis_clipfrac counts both sides",
      setting: "tis_clip",
    });
  } else if (settings.use_rollout_logprobs !== true) {
    traps.push({
      says: "without use_tis nothing corrects the mismatch: the PPO ratio is against the trainer's own log-probs",
      setting: "use_tis",
    });
  }
  if (
    settings.get_mismatch_metrics === true &&
    settings.use_tis !== true &&
    settings.use_opsm !== undefined
  ) {
    traps.push({
      says: "get_mismatch_metrics runs the custom function and keeps the loss that it returns: icepop_function and vanilla_tis_function change the loss although use_tis is off",
      setting: "get_mismatch_metrics",
    });
  }
  if (settings.use_rollout_logprobs === true) {
    traps.push({
      says: "use_rollout_logprobs puts the mismatch inside the PPO ratio, where eps_clip clips it; there is no separate weight",
      setting: "use_rollout_logprobs",
    });
  }
  if (settings.use_opsm === true && settings.use_rollout_logprobs !== true) {
    traps.push({
      says: "use_opsm compares the policy being updated with the trainer's old log-probs: without use_rollout_logprobs it does not see the mismatch and drops nothing in the first update of a batch",
      setting: "use_opsm",
    });
  }
  return traps;
}

function candidatesFor(correction: Correction, { icepopPath }: SlimeTrainer): Settings[] {
  const { weight, steps } = plainForm(correction);
  const opsm = steps.find((step) => step.action === "zero" && step.when === "negative");
  const bounds = steps.find(
    (step): step is Truncate | Reject =>
      step !== opsm && (step.action === "truncate" || step.action === "zero"),
  );
  const masking = opsm && "upper" in opsm ? { use_opsm: true, opsm_delta: opsm.upper ?? null } : {};
  const icepop = bounds?.action === "zero" && { custom_tis_function_path: icepopPath };
  if (!weight) return [{ use_tis: false }, { use_tis: false, use_rollout_logprobs: true, ...masking }];
  const clips = { tis_clip: bounds?.upper ?? Number.POSITIVE_INFINITY, tis_clip_low: bounds?.lower ?? 0 };
  const measured = { use_tis: false, get_mismatch_metrics: true, use_rollout_logprobs: true, ...masking };
  return [
    { ...clips, ...icepop },
    { ...clips, ...measured, custom_tis_function_path: icepopPath, ...icepop },
  ];
}

function flags(settings: Settings): string {
  const lines = parameters.flatMap(({ name, fallback }) => {
    const value = settings[name] ?? null;
    const flag = `--${name.replaceAll("_", "-")}`;
    if (value === null || value === false) return [];
    if (value === true) return [flag];
    const needed = name.startsWith("tis_clip") ? appliesWeights(settings) : value !== fallback;
    return needed ? [`${flag} ${value}`] : [];
  });
  return lines.map((line) => `${line}\n`).join("");
}
