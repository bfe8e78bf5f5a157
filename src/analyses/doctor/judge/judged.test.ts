import { describe, expect, it } from "vitest";
import type { Odds } from "../rank.ts";
import { addLogs, rankCauses } from "../rank.ts";
import { findAlike, putAlikeFirst } from "./alike.ts";
import { spreadKin, weighBeforehand } from "./kin.ts";
import { weighLegs } from "./leg.ts";

const makeOdds = (scores: Readonly<Record<string, number>>): Map<string, Odds> =>
  new Map(Object.entries(scores).map(([id, score]) => [id, { score, clues: [] }]));

describe("causes are ranked", () => {
  it("by the softmax of their scores, which sums to 1 however large these are", () => {
    for (const far of [0, 700, -700]) {
      const ranked = rankCauses(makeOdds({ a: far, b: far + Math.log(3) }));
      expect(ranked.map(({ id }) => id)).toEqual(["b", "a"]);
      expect(ranked.map(({ probability }) => probability)).toEqual([
        expect.closeTo(0.75, 12),
        expect.closeTo(0.25, 12),
      ]);
    }
  });

  it("by name where they are as likely, with the strongest of their clues first", () => {
    expect(rankCauses(makeOdds({ c: 1, a: 1, b: 1 })).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    const clues = [1, 3, 2].map((weight) => ({ cause: "a", weight, sentence: "", figures: {} }));
    const [first] = rankCauses(new Map([["a", { score: 0, clues }]]));
    expect(first!.clues.map(({ weight }) => weight)).toEqual([3, 2, 1]);
    expect(clues.map(({ weight }) => weight)).toEqual([1, 3, 2]);
  });

  it("and logs are added as if exponents had no end", () => {
    expect(addLogs([1000, 1000])).toBeCloseTo(1000 + Math.LN2, 9);
    expect(addLogs([Number.NEGATIVE_INFINITY, 0])).toBe(0);
    expect([addLogs([]), addLogs([Number.NEGATIVE_INFINITY])]).toEqual([
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ]);
  });
});

describe("causes that look alike", () => {
  const of = (given: Readonly<Record<string, number>>) =>
    Object.entries(given).map(([id, probability]) => ({ id, probability }));
  const order = (given: Readonly<Record<string, number>>) => putAlikeFirst(of(given)).map(({ id }) => id);

  it("come first where together they are likelier than one that is alone", () => {
    const shared = { token_shift: 0.3, wrong_checkpoint: 0.2, stale_weights: 0.15, healthy: 0.1 };
    expect(order(shared)).toEqual(["wrong_checkpoint", "token_shift", "stale_weights", "healthy"]);
    expect(order({ token_shift: 0.4, wrong_checkpoint: 0.2, stale_weights: 0.2 })[0]).toBe("token_shift");
    expect(order({ token_shift: 0.51, wrong_checkpoint: 0.3, stale_weights: 0.25 })[0]).toBe("token_shift");
    expect(order({ healthy: 0.3, wrong_checkpoint: 0.2, stale_weights: 0.2 })[0]).toBe("healthy");
    const groups = { rope_mismatch: 0.3, wrong_checkpoint: 0.2, stale_weights: 0.15 };
    expect(order(groups)[0]).toBe("wrong_checkpoint");
    expect(
      order({ rope_mismatch: 0.3, context_window: 0.1, wrong_checkpoint: 0.2, stale_weights: 0.1 })[0],
    ).toBe("rope_mismatch");
    expect(putAlikeFirst([])).toEqual([]);
  });

  it("are told with their sum, where the others are worth a word", () => {
    expect(findAlike(of({ stale_weights: 0.5, token_shift: 0.2, lora_not_merged: 0.1 }))).toEqual({
      title: "Different weights on the two sides",
      causes: ["stale_weights", "lora_not_merged"],
      probability: expect.closeTo(0.6, 12),
    });
    expect(findAlike(of({ stale_weights: 0.5, lora_not_merged: 0.019 }))).toBeNull();
    expect(findAlike(of({ stale_weights: 0.5, lora_not_merged: 0.021 }))).not.toBeNull();
    expect(findAlike(of({ token_shift: 0.5, lora_not_merged: 0.3 }))).toBeNull();
    expect(findAlike([])).toBeNull();
    expect(findAlike(of({ stale_weights: 0.9, lora_not_merged: 0.2 }))!.probability).toBe(1);
  });

  it.each([
    [
      "Different rounding or routing on the two sides",
      ["weight_quantization", "kv_cache_quantization", "moe_routing_flips"],
    ],
    [
      "Different prompts on the two sides",
      ["template_mismatch", "bos_missing", "bos_double", "prompt_left_cut"],
    ],
    ["Different positions on the two sides", ["rope_mismatch", "position_ids_wrong", "context_window"]],
    [
      "Different weights on the two sides",
      ["stale_weights", "wrong_checkpoint", "lora_not_merged", "layer_not_synced", "tied_head_not_synced"],
    ],
  ])("are grouped: %s", (title, causes) => {
    const even = Object.fromEntries(causes.map((id) => [id, 1 / causes.length]));
    expect(findAlike(of(even))).toMatchObject({ title, causes });
  });
});

describe("three columns", () => {
  const weigh = (leg: "decode" | "trainer" | "none" | null) =>
    Object.fromEntries(
      [
        ...weighLegs(
          makeOdds({ healthy: 1, cannot_tell: 1, stale_weights: 1, stale_prefix_cache: 1, token_shift: 1 }),
          leg as never,
        ),
      ].map(([id, { score }]) => [id, score]),
    );

  it("rule out faults of the trainer and a sound run where decoding is off", () => {
    expect(weigh("decode")).toEqual({
      healthy: -3,
      cannot_tell: 1,
      stale_weights: -3,
      stale_prefix_cache: 1,
      token_shift: 1,
    });
  });

  it("rule out caches where the trainer is off, speak for a sound run where none is, else say nothing", () => {
    const even = { healthy: 1, cannot_tell: 1, stale_weights: 1, stale_prefix_cache: 1, token_shift: 1 };
    expect(weigh("trainer")).toEqual({ ...even, stale_prefix_cache: -3 });
    expect(weigh("none")).toEqual({ ...even, healthy: 3 });
    expect(weigh(null)).toEqual(even);
  });

  it.each([
    "kv_cache_quantization",
    "moe_routing_flips",
    "sentinel_fill",
    "truncation_renormalised",
    "penalty_mismatch",
    "greedy_zero_logprobs",
    "first_token_wrong",
    "last_token_wrong",
    "rows_shuffled_batch",
    "rows_shuffled_group",
    "nan_logprobs",
    "clamped_logprobs",
  ])("take %s for something that only decoding does", (id) => {
    expect(weighLegs(makeOdds({ [id]: 1 }), "decode" as never).get(id)!.score).toBe(1);
  });
});

describe("beforehand", () => {
  it("causes of one kin share what is likely, as often as they are met", () => {
    for (const kin of ["template_mismatch", "stale_weights"]) {
      const shares = spreadKin(kin);
      expect(shares[0]!.cause).toBe(kin);
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
      expect(shares.map(({ share }) => share)).toEqual(
        shares.map(({ share }) => share).sort((a, b) => b - a),
      );
    }
    expect(spreadKin("token_shift")).toEqual([{ cause: "token_shift", share: 1 }]);
    expect(weighBeforehand("stale_weights") - weighBeforehand("moe_routing_flips")).toBeCloseTo(
      Math.log(36 / 15),
      12,
    );
    expect(weighBeforehand("nobody_counted")).toBe(weighBeforehand("dropout_on"));
  });
});
