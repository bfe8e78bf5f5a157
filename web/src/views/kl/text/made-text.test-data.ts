import type { StudySpike, WireStudyText } from "../../../../../src/results/wire/study-text.ts";

const NAN = Number.NaN;

function spike(position: number, kl: number): StudySpike {
  return {
    position,
    kl,
    zscore: 3,
    region: "mid",
    probability: 0.2,
    reference_probability: 0.8,
    alternatives: [{ token: "b", token_id: 2, probability: 0.7 }],
    reference_alternatives: [],
  };
}

/** Five tokens, of which the third is tool output, under a baseline and three checkpoints. */
export function madeText(): WireStudyText {
  return {
    meta: {
      index: 7,
      handle: "q7",
      text: "dpo:p7",
      problem: "p7",
      source: "dpo",
      correct: false,
      subject: null,
      level: null,
      promptText: "2 + 2\n",
      tokens: [" =", " 5", "tool", "\n", "!"],
      categories: ["math_symbol", "other"],
      checkpoints: ["sft", "step_1", "step_2", "step_3"],
      error: { from: 0, token: 1 },
      spikes: [[], [], [spike(1, 0.6)], [spike(1, 1), spike(4, 0.5)]],
    },
    ids: Int32Array.of(1, 2, 3, 4, 5),
    mask: Uint8Array.of(1, 1, 0, 1, 1),
    categories: Uint16Array.of(0, 1, 1, 1, 1),
    // biome-ignore format: a row per checkpoint
    kl: Float32Array.of(
      0.9, 0.9, 0.9, 0.9, 0.9,
      0, 0.2, 0, NAN, 0,
      0, 0.6, 0, NAN, 0,
      0, 1, 0, NAN, Number.POSITIVE_INFINITY,
    ),
    delta: new Float32Array(20).fill(Math.log(0.5)),
    entropy: new Float32Array(20).fill(0.25),
    referenceLogprob: new Float32Array(5).fill(Math.log(0.5)),
    referenceEntropy: new Float32Array(5).fill(0.25),
  };
}
