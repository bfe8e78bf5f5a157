import { describe, expect, it } from "vitest";
import type { DivergenceRecord } from "../../results/divergence.ts";
import { divergenceLine, fillIteration, lineIdentity } from "./line.ts";
import type { IterationResult } from "./run-log.ts";
import { createRunReport } from "./run-report.ts";

const record = (more: Partial<DivergenceRecord> = {}): DivergenceRecord =>
  ({ record_id: "s1.r0.q2.t3", rank: 1, flip_type: null, is_correct: null, ...more }) as DivergenceRecord;
const result = (more: Partial<IterationResult> = {}): IterationResult =>
  ({
    step: 1,
    iteration: 1,
    sequences: 4,
    tokens: 40,
    maxDivergence: 0.5,
    metrics: {},
    records: [],
    ...more,
  }) as IterationResult;
const REST = { run: "r", records: [], outputs: [], findings: [], sources: [] };

describe("createRunReport", () => {
  it("adds up steps, and counts those that logged something apart", () => {
    const report = createRunReport({});
    expect(report.add(result({ step: 1, maxDivergence: 0.25 }))).toMatchObject({ logged: false, records: 0 });
    const second = report.add(
      result({ step: 2, sequences: 3, tokens: 30, maxDivergence: 0.75, records: [record(), record()] }),
    );
    expect(second).toMatchObject({ step: 2, logged: true, records: 2, prob_diff_max: 0.75 });
    report.add(result({ step: 3, sequences: 1, tokens: 10, maxDivergence: null }));
    const { metrics, per_step } = report.finish(REST);
    expect(metrics).toMatchObject({
      sequences: 8,
      tokens: 80,
      steps: 3,
      steps_logged: 1,
      records: 2,
      prob_diff_max: 0.75,
    });
    expect(per_step.map(({ step }) => step)).toEqual([1, 2, 3]);
  });

  it("starts from nothing: counts of 0, and no largest |Δp|", () => {
    const { metrics, ...report } = createRunReport({}).finish(REST);
    const { prob_diff_max, ...counts } = metrics;
    expect(prob_diff_max).toBeNull();
    expect(new Set(Object.values(counts))).toEqual(new Set([0]));
    expect(Object.keys(counts)).toHaveLength(13);
    expect(report).toMatchObject({ kind: "divergence", run: "r", per_step: [], records: [], outputs: [] });
  });

  it("counts records by what they are", () => {
    const report = createRunReport({});
    report.add(
      result({
        records: [
          record({ flip_type: "rollout_confident_actor_rejects", is_correct: true }),
          record({ flip_type: "actor_confident_rollout_rejects", is_correct: false, tokens_match: false }),
          record({ flip_type: "large_disagreement", is_correct: false, tokens_match: true }),
          record({ decode_error: "no such piece", reencodes_to_same_id: false }),
          record({ reencodes_to_same_id: true }),
          record({ reencodes_to_same_id: null }),
        ],
      }),
    );
    expect(report.finish(REST).metrics).toMatchObject({
      records: 6,
      rollout_confident_actor_rejects: 1,
      actor_confident_rollout_rejects: 1,
      large_disagreement: 1,
      records_correct: 1,
      records_incorrect: 2,
      decode_errors: 1,
      reencode_mismatches: 1,
      token_mismatches: 1,
    });
  });

  it("says what it was asked for, defaults included", () => {
    expect(createRunReport({}).settings).toEqual({
      threshold: 0.8,
      top_k: 5,
      context: 5,
      every: 1,
      lean: false,
      tokenizer: null,
    });
    const asked = createRunReport(
      { divergenceThreshold: 0.5, divergenceTopK: 7, contextWindow: 2, every: 5 },
      { lean: true },
    );
    expect(asked.settings).toMatchObject({ threshold: 0.5, top_k: 7, context: 2, every: 5, lean: true });
  });
});

describe("a line of the log", () => {
  it("has the record's id last, so that one that was cut off has none", () => {
    const line = divergenceLine(record({ token_text: "a" } as Partial<DivergenceRecord>));
    expect(line).toMatch(/"record_id":"s1\.r0\.q2\.t3"\}$/);
    expect(lineIdentity(line)).toBe("s1.r0.q2.t3");
    expect(lineIdentity(line.slice(0, -1))).toBeUndefined();
    expect(lineIdentity(`${line},`)).toBeUndefined();
    expect(lineIdentity("{}")).toBeUndefined();
  });

  it("writes null for infinities and NaN, and leaves them out of a lean line only where they are unknown", () => {
    const whole = record({ rollout_logprob: -0.5, actor_logprob: Number.NEGATIVE_INFINITY });
    expect(JSON.parse(divergenceLine(whole))).toMatchObject({ rollout_logprob: -0.5, actor_logprob: null });
    const lean = JSON.parse(divergenceLine(whole, { lean: true })) as object;
    expect(lean).toEqual({ rank: 1, rollout_logprob: -0.5, actor_logprob: null, record_id: "s1.r0.q2.t3" });
  });

  it("in its lean form has the fields that the documentation lists, as far as they are known", () => {
    const full = Object.fromEntries(LEAN.map((field, i) => [field, i])) as unknown as DivergenceRecord;
    const lean = divergenceLine({ ...full, advantage: 1, position_id: 2 } as DivergenceRecord, {
      lean: true,
    });
    expect(Object.keys(JSON.parse(lean) as object).sort()).toEqual([...LEAN].sort());
  });
});

const LEAN = [
  ...["iteration", "rank", "batch_idx", "position", "position_from_end", "sequence_length", "token_id"],
  ...["token_text", "prob_divergence", "rollout_prob", "actor_prob", "rollout_logprob", "actor_logprob"],
  ...["logprob_diff", "flip_type", "is_correct", "total_score", "WARNING", "context_text"],
  ...["context_start_pos", "context_end_pos", "prompt_text", "prompt_num_tokens", "full_response"],
  ...["response_num_tokens", "decode_error", "handle", "file", "iteration_responses"],
  ...["iteration_accuracy", "iteration_correct_tokens", "record_id"],
];

it("fills the iteration in everywhere, and says none where it is not known", () => {
  expect(fillIteration("a_{iteration}/b_{iteration}.jsonl", 12)).toBe("a_12/b_12.jsonl");
  expect(fillIteration("a_{iteration}.jsonl", 0)).toBe("a_0.jsonl");
  expect(fillIteration("a_{iteration}.jsonl", null)).toBe("a_none.jsonl");
});
