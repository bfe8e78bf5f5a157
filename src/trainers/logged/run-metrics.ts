/**
 * Logged metrics of a run apart from its mismatch: which keys are its reward, its entropy, its clipping. The keys are in
 * each trainer's folder.
 *
 * @module
 */
import { METHODS } from "../registry/methods.ts";
import type { RunKeys, RunMetricKind } from "../shared/logged-keys.ts";

/** Names used by programs that are not one of these trainers. */
const OTHER: RunKeys = {
  evaluation: [
    "eval/accuracy",
    "eval_accuracy",
    "eval/score",
    "eval_score",
    "test/accuracy",
    "validation/score",
  ],
  reward: ["reward/mean", "rewards/mean", "mean_reward", "reward_mean"],
  entropy: ["policy/entropy", "policy_entropy"],
  clip: ["clip_fraction", "clipfrac", "clip_frac"],
};

/** In the order in which they are tried: keys of an evaluation before those of training. */
const KINDS: readonly RunMetricKind[] = [
  "evaluation",
  "reward",
  "entropy",
  "flat_groups",
  "clip_low",
  "clip_high",
  "clip",
  "grad_norm",
  "reference_kl",
  "length",
  "truncated",
  "reward_part",
];

const KEYS: readonly { readonly trainer: string; readonly run: RunKeys }[] = [
  ...METHODS.map(({ trainer, logged }) => ({ trainer: logged?.of ?? trainer.name, run: logged?.run ?? {} })),
  { trainer: "other", run: OTHER },
];

/** Folders of held-out prompts: their metrics are not of training answers. */
const HELD_OUT = ["eval", "val", "val-core", "val-aux", "validation", "test"];
/** Folders in which a key means what it means without one: not `rollout_corr/kl` or `prompt_length/clip_ratio`. */
const NEUTRAL = ["", "train", "training"];

/** A metric of a run apart from its mismatch. */
export interface RunMetric {
  readonly kind: RunMetricKind;
  readonly trainer: string;
  /** Place among the keys of its kind: the smallest is the most informative. */
  readonly rank: number;
  /** What `*` stands for: the name of a part of the reward, a data set. */
  readonly part: string;
}

interface Entry extends Omit<RunMetric, "part"> {
  readonly pieces: readonly string[];
}

const ENTRIES: readonly Entry[] = KINDS.flatMap((kind) =>
  KEYS.flatMap(({ trainer, run }) => (run[kind] ?? []).map((name) => ({ trainer, name }))).map(
    ({ trainer, name }, rank) => ({ kind, trainer, rank, pieces: name.split("*") }),
  ),
);

/**
 * What a logged key says about a run apart from its mismatch; undefined if no table has it.
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

/** Where the whole name starts, then where the text after each separator starts. */
function listStarts(name: string): number[] {
  const starts = [0];
  for (let i = 1; i < name.length; i++)
    if (name[i - 1] === "/" || name.slice(i - 3, i) === " - ") starts.push(i);
  return starts;
}

const foldersOf = (before: string): string[] => (before.split(" - ").at(-1) ?? "").split("/");

const isHeldOut = (before: string): boolean => foldersOf(before).some((folder) => HELD_OUT.includes(folder));

const isNeutral = (before: string): boolean => foldersOf(before).every((folder) => NEUTRAL.includes(folder));

/** The text for the first `*`, empty for a key without one; undefined if the name does not match. */
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
