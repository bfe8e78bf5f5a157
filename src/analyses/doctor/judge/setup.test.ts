import { describe, expect, it } from "vitest";
import type { Odds } from "../rank.ts";
import type { StatedSetup } from "../stated/setups-seen.ts";
import { weighSetups } from "./setup.ts";

const NOTHING: StatedSetup = {
  ...{ temperature: null, topP: null, topK: null, minP: null, logprobsMode: null },
  ...{ repetitionPenalty: null, presencePenalty: null, frequencyPenalty: null },
  ...{ rolloutPrecision: null, trainerPrecision: null },
  sequences: 100,
};
const ALL = [
  "temperature_mismatch",
  "truncation_renormalised",
  "truncation_unlogged",
  "penalty_mismatch",
  "weight_quantization",
  "stale_weights",
  "healthy",
];
const clean = { clues: [], score: 1 };

function weigh(...setups: readonly Partial<StatedSetup>[]): Map<string, Odds> {
  const odds = new Map<string, Odds>(ALL.map((id) => [id, clean]));
  return weighSetups(
    odds,
    setups.map((setup) => ({ ...NOTHING, ...setup })),
    100,
  );
}

/** What each cause gains. */
const gains = (...setups: readonly Partial<StatedSetup>[]): Record<string, number> =>
  Object.fromEntries(
    [...weigh(...setups)].flatMap(([id, { score, clues }]) => {
      expect(clues.reduce((sum, { weight }) => sum + weight, 1)).toBe(score);
      return score === 1 ? [] : [[id, score - 1]];
    }),
  );

const TRUNCATION = (nats: number) => ({ truncation_renormalised: nats, truncation_unlogged: nats });

describe("what the record states of its run", () => {
  it.each<[said: string, setup: Partial<StatedSetup>, expected: Record<string, number>]>([
    ["nothing", {}, {}],
    ["temperature 1", { temperature: 1 }, { temperature_mismatch: -3 }],
    ["another temperature", { temperature: 0.7 }, { temperature_mismatch: 1.5 }],
    ["a log-prob mode alone", { logprobsMode: "raw_logprobs" }, {}],
    ["all of top-p", { topP: 1, topK: -1 }, TRUNCATION(-3)],
    ["a top-k beyond any vocabulary, as AReaL's default is", { topP: 1, topK: 1e8 }, TRUNCATION(-3)],
    ["no top-k alone, where top-p may be the model's", { topK: -1 }, {}],
    ["some of top-p", { topP: 0.9 }, TRUNCATION(1.5)],
    ["top-k beside all of top-p", { topP: 1, topK: 50 }, TRUNCATION(1.5)],
    ["min-p", { minP: 0.05 }, TRUNCATION(1.5)],
    ["no repetition penalty", { repetitionPenalty: 1, presencePenalty: 0 }, { penalty_mismatch: -3 }],
    ["a presence penalty", { presencePenalty: 0.5 }, { penalty_mismatch: 1.5 }],
    [
      "bfloat16 on both sides",
      { rolloutPrecision: "torch.bfloat16", trainerPrecision: "bf16" },
      { weight_quantization: -3 },
    ],
    ["bfloat16 on one side", { rolloutPrecision: "bfloat16" }, {}],
    ["fp8 in the rollout", { rolloutPrecision: "fp8_e4m3" }, { weight_quantization: 1.5 }],
    ["a type nobody knows", { rolloutPrecision: "x", trainerPrecision: "bfloat16" }, {}],
  ])("%s", (_, setup, expected) => {
    expect(gains(setup)).toEqual(expected);
  });

  it("speaks against a cause only if it holds for the whole run", () => {
    expect(gains({ temperature: 1, sequences: 94 })).toEqual({});
    expect(gains({ temperature: 1, sequences: 94 }, { temperature: 1, topP: 1, sequences: 2 })).toEqual({
      temperature_mismatch: -3,
    });
    expect(
      gains({ temperature: 1, sequences: 99 }, { temperature: 0.6, sequences: 1 }).temperature_mismatch,
    ).toBe(1.5);
  });

  it("is said in the evidence", () => {
    const say = (setup: Partial<StatedSetup>, cause: string) => weigh(setup).get(cause)!.clues[0]!.sentence;
    expect(say({ temperature: 0.7, logprobsMode: "raw_logprobs" }, "temperature_mismatch")).toBe(
      "The record states temperature 0.7, log-prob mode raw_logprobs.",
    );
    expect(say({ topP: 1, topK: -1 }, "truncation_unlogged")).toBe(
      "The record states top-p 1, top-k -1: a side that leaves it out computes the same.",
    );
    expect(say({ rolloutPrecision: "bfloat16", trainerPrecision: "float32" }, "weight_quantization")).toBe(
      "The record states precision in the rollout bfloat16, precision in the trainer float32: neither side is quantized.",
    );
  });
});
