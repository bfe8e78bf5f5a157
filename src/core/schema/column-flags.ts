/** The flags that name a column of the source, in messages and on the command line. */
export const COLUMN_FLAGS = {
  rollout: "--rollout",
  trainer: "--trainer",
  /** The rollout engine's prefill of the finished text; becomes the policy `rescore`. */
  rescore: "--rescore",
  /** The same weights in float32; becomes the policy `float32`. */
  float32: "--float32",
  mask: "--mask",
  tokens: "--tokens",
  prompt: "--prompt",
  attention: "--attention",
  /** Tokens per sequence, for arrays packed end to end. */
  lengths: "--lengths",
  step: "--step",
  rank: "--rank",
  reward: "--reward",
  correctness: "--correctness",
  group: "--group",
  sample: "--sample",
  environment: "--environment",
  advantages: "--advantages",
  promptText: "--prompt-text",
  responseText: "--response-text",
} as const;
