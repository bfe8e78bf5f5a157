import { describe, expect, it } from "vitest";
import { type ConformanceCase, runConformanceCase } from "./index.ts";

const run = (kind: string, inputs: ConformanceCase["inputs"], config = {}) =>
  runConformanceCase({ id: "a-case", kind, inputs, config });

const actual = (kind: string, inputs: ConformanceCase["inputs"], config = {}) => {
  const result = run(kind, inputs, config);
  if (!("actual" in result)) throw new Error(`${kind} was skipped`);
  return result.actual;
};

const PAIR = { old_log_probs: [[-1, -2]], rollout_log_probs: [[-1, -2.5]] };
const PACK = {
  old_log_prob: [-1, -2, -0.5],
  rollout_log_prob: [-1.1, -1.9, -0.6],
  response_mask: [1, 1, 1],
  num_tokens: [2, 1],
};

describe("a case that cannot be run", () => {
  it.each(["nothing-of-ours", "toString", "constructor", ""])("of the unknown kind %j is skipped", (kind) => {
    expect(run(kind, PAIR)).toEqual({ id: "a-case", skipped: true });
  });

  it.each<[why: string, kind: string, inputs: ConformanceCase["inputs"], message: RegExp]>([
    ["no rollout", "verl.offpolicy", { old_log_probs: [[-1]] }, /inputs\.rollout_log_probs is missing/],
    ["no trainer", "identity", { rollout_log_probs: [[-1]] }, /inputs\.old_log_probs is missing/],
    ["a flat column", "merge", { ...PAIR, old_log_probs: [-1, -2], shard_sizes: [1] }, /list of numbers/],
    ["no shards", "merge", PAIR, /list of numbers/],
    ["other groups", "identity", { ...PAIR, group_ids: ["a", "b"] }, /group_ids has 2 entries.* 1 rows/],
    ["other entropies", "identity", { ...PAIR, rollout_entropy: [] }, /rollout_entropy has 0 entries/],
    ["no vocabulary", "verl.divergence_log", PAIR, /inputs\.vocab is missing/],
    ["no logits", "ntl", { token_ids: [[1]], digit_token_ids: [1] }, /inputs\.logits is not a list/],
    [
      "flat logits",
      "ntl",
      { logits: [1], token_ids: [[1]], digit_token_ids: [1] },
      /inputs\.logits\[b\] is no/,
    ],
    ["no ids", "ntl", { logits: [[[1]]], digit_token_ids: [1] }, /inputs\.token_ids is not a list/],
    ["one side", "kl", { logits_p: [[0, 1]] }, /inputs\.logits_q is not a list of rows/],
    [
      "ragged logits",
      "kl",
      {
        logits_p: [
          [0, 1],
          [0, 1, 2],
        ],
        logits_q: [[0, 1]],
      },
      /row 1 of inputs\.logits_p has 3 columns, row 0 has 2/,
    ],
    ["no tokens", "token_category", {}, /list of tokens/],
    ["no figures", "spikes", {}, /list of numbers/],
    ["no samples", "stats", { x: [1, 2], y: [1, 2] }, /list of numbers/],
    ["a cut pack", "xtuner.rollout_is", { ...PACK, num_tokens: [2, 2] }, /adds up to 4, old_log_prob has 3/],
  ])("for %s says so", (_, kind, inputs, message) => {
    expect(actual(kind, inputs)).toEqual({ error: expect.stringMatching(message) });
  });

  it("stops where verl stops: no token is left by the mask, or all weights are 0", () => {
    const config = { rollout_is: "sequence", rollout_is_threshold: 2 };
    expect(actual("verl.rollout_corr", { ...PAIR, response_mask: [[0, 0]] }, config)).toEqual({
      error: expect.stringContaining("at least one valid token"),
    });
    // Weights outside the pair of bounds are zeroed.
    expect(actual("verl.rollout_corr", PAIR, { ...config, rollout_is_threshold: "2_3" })).toEqual({
      error: expect.stringContaining("division by zero"),
    });
    const [weights] = actual("verl.rollout_corr", PAIR, config).weights as number[][];
    // exp(0 + 0.5), of both tokens alike
    expect(weights?.map((weight) => weight.toFixed(5))).toEqual(["1.64872", "1.64872"]);
  });
});

describe("what a case leaves out", () => {
  it("takes every token for a response where there is no mask", () => {
    const masked = { ...PAIR, response_mask: [[1, 1]] };
    expect(actual("verl.offpolicy", PAIR)).toEqual(actual("verl.offpolicy", masked));
    expect(actual("verl.offpolicy", { ...PAIR, response_mask: [[1, 0]] })).not.toEqual(
      actual("verl.offpolicy", masked),
    );
  });

  it("has no weights without a correction, and says so with null", () => {
    expect(actual("verl.rollout_corr", PAIR, { rollout_is: null }).weights).toBeNull();
    const sequence = actual("xtuner.rollout_is", PACK, {});
    expect(sequence.mismatch_metrics).toMatchObject({ "mismatch/valid": true });
  });

  it("spells figures that are not finite by name", () => {
    const alone = actual("stats", { x: [1, 1], y: [1, 1], z: [1, 1] });
    expect(alone).toMatchObject({ wilcoxon: null, pearson: null, spearman: null });
    expect(alone.ttest_ind).toMatchObject({ pvalue: "NaN" });
  });

  it("finds spikes with the defaults: two standard deviations, three tokens apart, positions from the prompt's start", () => {
    const kl = [9, 9, ...Array<number>(10).fill(0.1), 5, ...Array<number>(10).fill(0.1), 4];
    const found = actual("spikes", { kl, prompt_length: 2 });
    expect(found.positions).toEqual([12, 23]);
    expect(actual("spikes", { kl, prompt_length: 2 }, { min_spike_distance: 30 }).positions).toEqual([12]);
    expect(actual("spikes", { kl, prompt_length: 2 }, { threshold: 3 }).positions).toEqual([12]);
    expect(actual("spikes", { kl }).positions).toEqual(expect.arrayContaining([0]));
  });

  it("finds turning points from the change of direction on, and fewer where a least change is asked for", () => {
    const series = { steps: [0, 1, 2, 3, 4], values: [1, 3, 1, 1.2, 1] };
    const all = actual("turning_points", series).points as unknown[][];
    const large = actual("turning_points", series, { min_change: 0.5 }).points as unknown[][];
    expect(all.map(([step]) => step)).toEqual([2, 3]);
    expect(large.map(([step]) => step)).toEqual([2]);
  });
});
