import { describe, expect, it } from "vitest";
import { type ConformanceCase, runConformanceCase } from "./index.ts";

const actual = (kind: string, inputs: ConformanceCase["inputs"], config = {}) => {
  const result = runConformanceCase({ id: "a-case", kind, inputs, config });
  if (!("actual" in result)) throw new Error(`${kind} was skipped`);
  return result.actual;
};

describe("the log of a case", () => {
  const VOCABULARY = ["a", "ab", "b", " c", ""];
  const inputs = {
    old_log_probs: [[-1, -2, -0.1]],
    rollout_log_probs: [[-2, -2.2, -0.15]],
    responses: [[1, 2, 3]],
    input_ids: [[0, 1, 2, 3]],
    attention_mask: [[1, 1, 1, 1]],
    vocab: VOCABULARY,
  };
  const records = (config: object = {}, more: object = {}) =>
    actual("verl.divergence_log", { ...inputs, ...more }, config).records as Record<string, unknown>[];

  it("encodes a text again by the longest entries that fit", () => {
    expect(records().map((record) => [record.token_id, record.reencodes_to_same_id])).toEqual([
      [1, true],
      [3, true],
      [2, true],
    ]);
    const twins = records({}, { vocab: ["a", "ab", "ab", " c"], responses: [[2, 0, 3]] });
    expect(twins.map(({ token_id, reencoded_ids }) => [token_id, reencoded_ids])).toEqual([
      [2, [1]],
      [3, undefined],
      [0, undefined],
    ]);
  });

  it("has the iteration and the limits of text that the case gives, and none for null", () => {
    expect(records({ iteration: 3 })[0]).toMatchObject({ iteration: 3 });
    for (const config of [{}, { iteration: null }]) expect(records(config)[0]?.iteration ?? null).toBeNull();
    for (const config of [{}, { max_response_chars: null, max_prompt_chars: null }])
      expect(records(config)[0]).toMatchObject({ full_response: "'abb c'", prompt_text: "'a'" });
    expect(records({ max_response_chars: 2 })[0]?.full_response).not.toBe("'abb c'");
    expect(records({ top_k: 1 })).toHaveLength(1);
  });

  it("passes on what the batch says of each sequence", () => {
    expect(records({}, { acc: [true] })[0]).not.toEqual(records({}, { acc: [false] })[0]);
    expect(records()[0]?.position_id).toBeNull();
    expect(records({}, { position_ids: [[5, 6, 7, 8]] })[0]?.position_id).toBe(6);
  });
});

describe("a case's figures", () => {
  it("are of the tokens in the attention mask where there is no response mask", () => {
    const batch = { old_log_probs: [[-1, -2]], rollout_log_probs: [[-1.5, -9]], shard_sizes: [1] };
    for (const kind of ["verl.debug_metrics", "merge"]) {
      const masked = actual(kind, { ...batch, attention_mask: [[1, 1, 0]] });
      expect(masked).toEqual(actual(kind, { ...batch, response_mask: [[1, 0]] }));
      expect(masked).not.toEqual(actual(kind, batch));
    }
  });

  it("of a pack are in the group of their name", () => {
    const pack = {
      old_log_prob: [-1, -2, -0.5],
      rollout_log_prob: [-1.1, -1.9, -0.6],
      response_mask: [1, 1, 1],
      num_tokens: [2, 1],
    };
    const { mismatch_metrics, is_metrics } = actual("xtuner.rollout_is", pack, {
      rollout_is_level: "token",
      rollout_is_mode: "truncate",
      rollout_is_threshold: [2, 0],
    }) as Record<string, Record<string, unknown>>;
    const keys = Object.keys(mismatch_metrics ?? {});
    expect(keys[0]).toBe("mismatch/valid");
    expect(keys.slice(1).every((key) => key.startsWith("mismatch/mismatch_"))).toBe(true);
    const weights = Object.keys(is_metrics ?? {}).filter((key) => key !== "mismatch/valid");
    expect(weights.length).toBeGreaterThan(0);
    expect(weights.every((key) => key.startsWith("mismatch/rollout_is_"))).toBe(true);
    const empty = actual("xtuner.rollout_is", { ...pack, response_mask: [0, 0, 0] });
    expect(empty.mismatch_metrics).toMatchObject({ "mismatch/valid": false });
  });

  it("of identities judge by groups where they are given: two prompts are fewer than four sequences", () => {
    const rows = (values: readonly number[]) => values.map((value) => [value, value - 0.5]);
    const batch = {
      old_log_probs: rows([-1, -1.2, -2, -2.4]),
      rollout_log_probs: rows([-1.1, -1, -2.2, -2]),
    };
    const z = (groups?: readonly string[]) => {
      const { identity } = actual("identity", { ...batch, ...(groups && { group_ids: groups }) });
      return (identity as { unit_mean: { z: number } }).unit_mean.z;
    };
    expect(z(["a", "a", "b", "b"])).not.toBe(z());
    expect(z(["a", "b", "c", "d"])).toBeCloseTo(z(), 12);
  });

  it("of logits are those of the softmax, also for one row and for none", () => {
    const logits = [[0, Math.log(3)]];
    const { exact } = actual("kl", { logits_p: logits, logits_q: [[0, 0]] }) as {
      exact: Record<string, number[]>;
    };
    const forward = 0.25 * Math.log(0.5) + 0.75 * Math.log(1.5);
    expect(exact.kl_forward?.[0]).toBeCloseTo(forward, 6);
    expect(actual("kl", { logits_p: [], logits_q: [] })).toMatchObject({ exact: { kl_forward: [] } });
    expect(actual("kl", { logits_p: [[0], [0, 1]], logits_q: [[0]] })).toEqual({
      error: expect.stringContaining("row 1"),
    });
  });

  it("of digits are log-probs over the whole vocabulary, and none where a position has no logits", () => {
    const digit_token_ids = Array.from({ length: 10 }, (_, digit) => digit);
    const proxy = (logits: readonly unknown[]) =>
      actual("ntl", { logits: [logits], token_ids: [[1]], digit_token_ids }).proxy;
    const selected = -Math.log(1 + 11 * Math.exp(-5));
    expect(proxy([[0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]])).toMatchObject({
      digit_log_probs_selected: [[expect.closeTo(selected, 12)]],
    });
    expect(proxy([])).toMatchObject({ digit_log_probs_selected: [[]] });
  });

  it("of three pairs have every test, of two none that needs pairs", () => {
    const three = actual("stats", { x: [1, 2, 4], y: [2, 3, 9], z: [1, 3, 4] });
    expect(three.wilcoxon).not.toBeNull();
    expect(three.pearson).not.toBeNull();
    expect(actual("stats", { x: [1, 2], y: [2, 3], z: [1, 3] }).pearson).toBeNull();
  });
});
