/**
 * Which of several checkpoints the two sides of a run used: `logratio doctor RUN --checkpoints`.
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";

/** How far a side's log-probs are from those of a checkpoint, over the sampled tokens that both have. */
export interface CheckpointFit {
  /** Probability that the side used it; with `none` of the side, all sum to 1. */
  readonly probability: Fraction;
  /** √(ΣΔ² / Σ(1 − p)²): the noise on logits that explains the distance. */
  readonly logit_noise: Nats;
  /** √(π/2) · Σ|Δ| / Σ(1 − p), which a few tokens do not dominate: compared with `most_noise`. */
  readonly logit_noise_mean: Nats;
  readonly delta_abs_median: Nats;
}

export interface ServedCheckpoint {
  readonly name: string;
  /** As it was given: `onnx:ckpt/dpo`. */
  readonly at: string;
  readonly rollout: CheckpointFit;
  readonly trainer: CheckpointFit;
}

/** Which checkpoint a side used, as far as its log-probs tell. */
export interface ServedSide {
  /** The most probable one; null if "none of these" is more probable. */
  readonly checkpoint: string | null;
  /** The one whose log-probs are nearest. */
  readonly nearest: string;
  /** Probability that it was none of them: even the nearest is further away than an engine's noise. */
  readonly none: Fraction;
  /** Up to this `logit_noise_mean` the precision of an engine explains the distance to the nearest one. */
  readonly most_noise: Nats;
}

export interface ServedStep {
  readonly step: number;
  readonly sequences: number;
  readonly rollout: ServedSide;
  readonly trainer: ServedSide;
}

export interface ServedReport {
  /** The answer in one sentence. */
  readonly sentence: string;
  /** The sample that was scored under every checkpoint. */
  readonly sequences: number;
  readonly prompts: number;
  /** Sampled tokens that both sides and all checkpoints have log-probs of. */
  readonly tokens: number;
  readonly rollout: ServedSide;
  readonly trainer: ServedSide;
  /** The engine's most probable first. */
  readonly checkpoints: readonly ServedCheckpoint[];
  /** Each step by itself, if the sample has several; steps are ascending. */
  readonly by_step: readonly ServedStep[];
}
