/**
 * Logged metrics of a run apart from its mismatch: which keys are its reward, its entropy, its clipping. From the
 * trainers' code and documents; keys that mean something else than they seem to are left out, with the reason.
 *
 * @module
 */

export type RunMetricKind =
  | "reward"
  | "evaluation"
  | "entropy"
  | "flat_groups"
  | "clip"
  | "clip_low"
  | "clip_high"
  | "grad_norm"
  | "reference_kl"
  | "length"
  | "truncated"
  | "reward_part";

/** Keys of a kind by trainer, those that say most first. `*` stands for any text. */
type Keys = Readonly<Record<string, readonly string[]>>;

/** Mean reward of the training answers. */
const REWARD: Keys = {
  trl: ["reward", "objective/scores"],
  verl: ["critic/score/mean", "critic/rewards/mean"],
  "slime, miles": ["rollout/raw_reward"],
  "nemo-rl": ["train/reward"],
  skyrl: ["reward/avg_raw_reward"],
  "prime-rl": ["reward/all/mean"],
  areal: ["task_reward/avg"],
  tinker: ["env/all/reward/total"],
  "open-instruct": ["scores"],
  other: ["reward/mean", "rewards/mean", "mean_reward", "reward_mean"],
};

/** Score of held-out prompts. Spreads and best-of-n are none: both grow with n alone. */
const EVALUATION: Keys = {
  verl: ["val-core/*/mean@*", "val-core/*/acc", "val/test_score/*", "val/test_score"],
  trl: ["eval_reward", "eval/reward"],
  "nemo-rl": ["validation/accuracy"],
  skyrl: ["eval/all/avg_score", "eval/*/avg_score"],
  "prime-rl": ["eval/*/avg@*"],
  openrlhf: ["eval_*_pass1"],
  tinker: ["test/env/all/reward/total"],
  "open-instruct": ["eval/scores"],
  other: ["eval/accuracy", "eval_accuracy", "eval/score", "eval_score", "test/accuracy", "validation/score"],
};

/** Of a token, nats. Not `objective/entropy` of TRL's PPO: a sum over the answer. */
const ENTROPY: Keys = {
  trl: ["entropy", "policy/entropy_avg"],
  verl: ["actor/entropy", "actor/entropy_loss"],
  "slime, miles": ["train/entropy_loss"],
  "nemo-rl": ["train/approx_entropy"],
  skyrl: ["policy/policy_entropy"],
  "prime-rl": ["entropy/all/mean", "entropy/mean", "Entropy"],
  areal: ["entropy/avg"],
  roll: ["critic/entropy/mean"],
  tinker: ["optim/entropy"],
  other: ["policy/entropy", "policy_entropy"],
};

/** Share of prompt groups in which all rewards are one. */
const FLAT_GROUPS: Keys = {
  trl: ["frac_reward_zero_std"],
};

/** Share of tokens whose ratio left the clip range, on either side. */
const CLIP: Keys = {
  trl: ["clip_ratio/region_mean", "policy/clipfrac_avg"],
  verl: ["actor/pg_clipfrac"],
  "slime, miles": ["train/pg_clipfrac"],
  areal: ["clip_ratio/avg"],
  roll: ["actor/ppo_ratio_clipfrac"],
  skyrl: ["policy/ppo_clip_ratio", "policy/loss_metrics/clip_ratio"],
  other: ["clip_fraction", "clipfrac", "clip_frac"],
};
/** Not verl's `actor/pg_clipfrac_lower`: the share that dual clipping (`clip_ratio_c`) bounds, of negative advantages. */
const CLIP_LOW: Keys = {
  trl: ["clip_ratio/low_mean"],
  roll: ["actor/ppo_ratio_low_clipfrac"],
};
const CLIP_HIGH: Keys = {
  trl: ["clip_ratio/high_mean"],
  roll: ["actor/ppo_ratio_high_clipfrac"],
};

/** Of all parameters, before it is clipped. */
const GRAD_NORM: Keys = {
  verl: ["actor/grad_norm"],
  skyrl: ["policy/raw_grad_norm", "policy/grad_norm"],
  "slime, miles": ["train/grad_norm"],
  "prime-rl": ["optim/grad_norm", "Grad. Norm"],
  roll: ["actor_train/grad_norm"],
  trl: ["grad_norm"],
};

/**
 * KL to the reference policy, a mean over tokens, nats. Not `actor/ppo_kl` or `policy/approxkl`, which are to the policy
 * before the update, nor `objective/kl` of TRL's PPO, which is a sum over the answer.
 */
const REFERENCE_KL: Keys = {
  trl: ["kl"],
  verl: ["actor/kl_loss", "actor/reward_kl_penalty"],
  "slime, miles": ["train/kl_loss"],
  skyrl: ["policy/policy_kl"],
};

/** Mean tokens of an answer. */
const LENGTH: Keys = {
  trl: ["completions/mean_length", "completion_length"],
  verl: ["response_length/mean"],
  "slime, miles": ["rollout/response_len/mean"],
  "nemo-rl": ["train/mean_gen_tokens_per_sample"],
  skyrl: ["generate/avg_num_tokens"],
  "prime-rl": ["decode_len/all/mean"],
  openrlhf: ["response_length"],
};

/** Share of answers that were cut off at the length limit. */
const TRUNCATED: Keys = {
  trl: ["completions/clipped_ratio"],
  verl: ["response_length/clip_ratio"],
  "slime, miles": ["rollout/truncated_ratio", "rollout/truncated"],
  "prime-rl": ["is_truncated/all/mean"],
};

/** Mean of one of the functions whose sum is the reward. */
const REWARD_PART: Keys = { trl: ["rewards/*/mean"] };

/** In the order of asking: keys of an evaluation stand before those of the training. */
const TABLE: Readonly<Record<RunMetricKind, Keys>> = {
  evaluation: EVALUATION,
  reward: REWARD,
  entropy: ENTROPY,
  flat_groups: FLAT_GROUPS,
  clip_low: CLIP_LOW,
  clip_high: CLIP_HIGH,
  clip: CLIP,
  grad_norm: GRAD_NORM,
  reference_kl: REFERENCE_KL,
  length: LENGTH,
  truncated: TRUNCATED,
  reward_part: REWARD_PART,
};

/** Folders of held-out prompts: what stands in them is of no training answer. */
const HELD_OUT = ["eval", "val", "val-core", "val-aux", "validation", "test"];
/** Folders in which a key without a folder is the same: not `rollout_corr/kl`, `prompt_length/clip_ratio`. */
const NEUTRAL = ["", "train", "training"];

/** A metric of a run apart from its mismatch. */
export interface RunMetric {
  readonly kind: RunMetricKind;
  readonly trainer: string;
  /** Place among the keys of its kind: of several, the smallest says most. */
  readonly rank: number;
  /** What `*` stands for: the name of a part of the reward, a data set. */
  readonly part: string;
}

interface Entry extends Omit<RunMetric, "part"> {
  readonly pieces: readonly string[];
}

const ENTRIES: readonly Entry[] = Object.entries(TABLE).flatMap(([kind, keys]) =>
  Object.entries(keys)
    .flatMap(([trainer, names]) => names.map((name) => ({ trainer, name })))
    .map(({ trainer, name }, rank) => ({
      kind: kind as RunMetricKind,
      trainer,
      rank,
      pieces: name.split("*"),
    })),
);

/**
 * What a logged key says of a run apart from its mismatch; undefined where it is in no table.
 *
 * @param name as the logger wrote it; a run's name before it (`run/`, `run - `) and `train/` are ignored
 */
export function recogniseRunMetric(name: string): RunMetric | undefined {
  for (const start of listStarts(name)) {
    const [before, key] = [name.slice(0, start), name.slice(start)];
    for (const { pieces, ...known } of ENTRIES) {
      const part = matchPieces(key, pieces);
      if (part === undefined || (known.kind !== "evaluation" && isHeldOut(before))) continue;
      if (key.includes("/") || isNeutral(before)) return { ...known, part };
    }
  }
  return undefined;
}

/** The whole name, then what stands behind each separator. */
function listStarts(name: string): number[] {
  const starts = [0];
  for (let i = 1; i < name.length; i++)
    if (name[i - 1] === "/" || name.slice(i - 3, i) === " - ") starts.push(i);
  return starts;
}

const foldersOf = (before: string): string[] => (before.split(" - ").at(-1) ?? "").split("/");

const isHeldOut = (before: string): boolean => foldersOf(before).some((folder) => HELD_OUT.includes(folder));

const isNeutral = (before: string): boolean => foldersOf(before).every((folder) => NEUTRAL.includes(folder));

/** The text for `*`, empty for a key without; undefined where it does not match. Of two, that of the first. */
function matchPieces(key: string, pieces: readonly string[]): string | undefined {
  if (pieces.length === 1) return key === pieces[0] ? "" : undefined;
  let at = pieces[0]!.length;
  if (!key.startsWith(pieces[0]!)) return undefined;
  let part: string | undefined;
  for (const [i, piece] of pieces.entries()) {
    if (i === 0) continue;
    const isLast = i === pieces.length - 1;
    const next = isLast ? key.length - piece.length : key.indexOf(piece, at + 1);
    if (next <= at || (isLast && !key.endsWith(piece))) return undefined;
    part ??= key.slice(at, next);
    at = next + piece.length;
  }
  return part;
}
