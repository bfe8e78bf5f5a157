import { describe, expect, it } from "vitest";
import type { Finding } from "../../../core/schema/findings.ts";
import type { Odds } from "../rank.ts";
import { weighStated } from "./stated.ts";

const ALL = [
  "temperature_mismatch",
  "truncation_renormalised",
  "truncation_unlogged",
  "penalty_mismatch",
  "stale_weights",
  "trainer_ahead_one_update",
  "wrong_checkpoint",
  "layer_not_synced",
  "lora_not_merged",
  "token_shift",
];
const weigh = (fact: string, causes: readonly string[] = ALL) => {
  const odds = new Map<string, Odds>(causes.map((id) => [id, { score: 1, clues: [] }]));
  const finding = { code: "sides-differ", count: 3, sides: { fact, rollout: 1, trainer: 2 } };
  return [...weighStated(odds, [finding] as unknown as Finding[])].filter(
    ([, { clues }]) => clues.length > 0,
  );
};

describe("what the two sides state and contradict each other in", () => {
  const [TRUNCATION, PENALTY] = [["truncation_renormalised", "truncation_unlogged"], ["penalty_mismatch"]];

  it.each([
    ["temperature", "temperature", ["temperature_mismatch"], 4],
    ["topP", "top-p", TRUNCATION, 4],
    ["topK", "top-k", TRUNCATION, 4],
    ["minP", "min-p", TRUNCATION, 4],
    ["repetitionPenalty", "repetition penalty", PENALTY, 4],
    ["presencePenalty", "presence penalty", PENALTY, 4],
    ["frequencyPenalty", "frequency penalty", PENALTY, 4],
    ["logprobsMode", "log-prob mode", ["temperature_mismatch", ...TRUNCATION, ...PENALTY], 3],
    [
      "weights",
      "weights",
      [
        "stale_weights",
        "trainer_ahead_one_update",
        "wrong_checkpoint",
        "layer_not_synced",
        "lora_not_merged",
      ],
      1,
    ],
  ])("%s speaks for what it causes, by name", (fact, name, causes, weight) => {
    const found = weigh(fact);
    expect(new Set(found.map(([id]) => id))).toEqual(new Set(causes));
    for (const [id, { score, clues }] of found) {
      expect(score).toBe(1 + weight);
      expect(clues).toEqual([
        {
          cause: id,
          weight,
          sentence: `For 3 sequences, the files state ${name} 1 on the rollout side and 2 on the trainer side.`,
          figures: { sequences: 3, rollout: 1, trainer: 2 },
        },
      ]);
    }
  });

  it("says nothing of causes that the numbers have ruled out, nor by a fact that nobody knows", () => {
    expect(weigh("temperature", ["token_shift"])).toEqual([]);
    expect(weigh("toString")).toEqual([]);
    const odds = new Map<string, Odds>([["token_shift", { score: 1, clues: [] }]]);
    expect([...weighStated(odds, [{ code: "note", count: 1 }] as unknown as Finding[])]).toEqual([...odds]);
  });
});
