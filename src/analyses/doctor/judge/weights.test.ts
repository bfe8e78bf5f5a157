import { describe, expect, it } from "vitest";
import type { WeightFacts } from "../../../results/diagnosis.ts";
import type { Odds } from "../rank.ts";
import { weighWeights } from "./weights.ts";

const FACTS: WeightFacts = {
  sentence: "What they say.",
  sequences: 100,
  equal: 0,
  rounded: 0,
  different: 0,
  unknown: 0,
  first_different_step: null,
  lag: null,
  lag_sequences: 0,
  updates: 0,
  updates_below_bfloat16: 0,
};
const ALL = [
  "stale_weights",
  "trainer_ahead_one_update",
  "wrong_checkpoint",
  "layer_not_synced",
  "tied_head_not_synced",
  "lora_not_merged",
  "update_below_precision",
  "healthy",
  "temperature_mismatch",
];

/** What each cause gains. */
function gains(known: Partial<WeightFacts> | null, sequences = 100): Record<string, number> {
  const odds = new Map<string, Odds>(ALL.map((id) => [id, { score: 1, clues: [] }]));
  const weighed = weighWeights(odds, known && { ...FACTS, ...known }, sequences);
  for (const { score, clues } of weighed.values())
    expect(clues.reduce((sum, { weight }) => sum + weight, 1)).toBe(score);
  return Object.fromEntries(
    [...weighed].flatMap(([id, { score }]) => (score === 1 ? [] : [[id, score - 1]])),
  );
}

const OTHERS = {
  ...{ wrong_checkpoint: -4, layer_not_synced: -4, tied_head_not_synced: -4, lora_not_merged: -4 },
  update_below_precision: -4,
};

describe("digests of weights", () => {
  it("that are equal rule out every cause by which weights differ, and no other", () => {
    const ruledOut = {
      ...{ stale_weights: -8, trainer_ahead_one_update: -8, wrong_checkpoint: -8 },
      ...{ layer_not_synced: -8, tied_head_not_synced: -8, lora_not_merged: -8 },
    };
    const exact = { ...ruledOut, update_below_precision: -8 };
    expect(gains({ equal: 60, rounded: 40 })).toEqual(exact);
    expect(gains({ equal: 95, unknown: 5 })).toEqual(exact);
    expect(gains({ equal: 40, rounded: 60 })).toEqual(ruledOut);
  });

  it("that are equal after rounding, and stay so after most updates, show that these are lost", () => {
    const lost = (updates: number, below: number) =>
      gains({ rounded: 100, updates, updates_below_bfloat16: below }).update_below_precision;
    expect([lost(4, 2), lost(4, 1), lost(0, 0)]).toEqual([8, undefined, undefined]);
  });

  it("say nothing of a run of which they cover a part, or if they cannot be compared", () => {
    expect(gains({ equal: 100 }, 200)).toEqual({});
    expect(gains({ unknown: 100 })).toEqual({});
    expect(gains(null)).toEqual({});
  });

  it("that the trainer had one step before fit old weights and an early update; more steps, only old weights", () => {
    const different = { equal: 40, different: 60 };
    expect(gains({ ...different, lag: 1 })).toEqual({
      ...OTHERS,
      stale_weights: 8,
      trainer_ahead_one_update: 8,
    });
    expect(gains({ ...different, lag: 4 })).toEqual({
      ...OTHERS,
      stale_weights: 8,
      trainer_ahead_one_update: -4,
    });
  });

  it("that the trainer never had fit another checkpoint, or one that was loaded in part", () => {
    expect(gains({ different: 100 })).toEqual({
      wrong_checkpoint: 4,
      layer_not_synced: 4,
      tied_head_not_synced: 4,
      lora_not_merged: 4,
    });
  });

  it("say what they say, once for each cause", () => {
    const odds = new Map<string, Odds>([["stale_weights", { score: 0, clues: [] }]]);
    const { clues } = weighWeights(odds, { ...FACTS, different: 3, lag: 2 }, 3).get("stale_weights")!;
    expect(clues).toEqual([
      {
        cause: "stale_weights",
        weight: 8,
        sentence: "What they say.",
        figures: { equal: 0, rounded: 0, different: 3, unknown: 0, lag: 2 },
      },
    ]);
  });
});
