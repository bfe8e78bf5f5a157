import { describe, expect, it } from "vitest";
import type { DivergenceRecord, DivergenceReport } from "../../results/divergence.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderDivergentTokens } from "./console.ts";
import { renderDivergenceSummary, renderStepTitle } from "./summary.ts";

const RECORD: DivergenceRecord = {
  iteration: 100,
  rank: 0,
  batch_idx: 3,
  position: 12,
  position_from_end: 37,
  sequence_length: 50,
  token_id: 995,
  token_text: "' world'",
  token_plain: null,
  prob_divergence: 0.9234,
  rollout_prob: 0.9234,
  actor_prob: 0.000123,
  rollout_logprob: -0.0795,
  actor_logprob: -8.9034,
  logprob_diff: 8.8239,
  flip_type: "rollout_confident_actor_rejects",
  is_correct: true,
  total_score: 1,
  position_id: 57,
  attention_mask_value: 1,
  num_prompt_padding_tokens: 11,
  prompt_length_with_padding: 56,
  prompt_length_without_padding: 45,
  reencodes_to_same_id: true,
  input_ids_token_id: 995,
  tokens_match: true,
  context_text: "'hello world of coding'",
  context_start_pos: 7,
  context_end_pos: 18,
  prompt_text: "'Write a Python function that...'",
  prompt_num_tokens: 45,
  full_response: "'Here is the function:\\n...'",
  response_num_tokens: 50,
  rollout_entropy: null,
  actor_entropy: null,
  rollout_top5: null,
  actor_top5: null,
  advantage: null,
  reward: null,
  handle: null,
  file: null,
  record_id: null,
};

const RULE = "=".repeat(80);

describe("renderDivergentTokens", () => {
  it("is the form of the Python implementation, to the character", () => {
    expect(renderDivergentTokens([RECORD], { unicode: true })).toBe(
      `${RULE}
High Divergence Tokens (Top 1):
${RULE}

[Rank 0] Divergence: 0.9234
  Token: ' world' (ID: 995)
  Position: 12/50 (from end: 37)
  Batch Index: 3
  Answer Correctness: ✓ CORRECT
  Total Score: 1.0000
  Rollout: prob=0.923400, logprob=-0.0795
  Actor:   prob=0.000123, logprob=-8.9034
  LogProb Diff: 8.8239
  Flip Type: rollout_confident_actor_rejects
  Token Alignment: ✓ MATCH (response token matches input_ids)
  Position ID: 57
  Attention Mask: 1
  Prompt Padding: 11 padding tokens (prompt length: 45 → 56 with padding)
  Context [7:18]: 'hello world of coding'
  Prompt (45 tokens): 'Write a Python function that...'
  Response (50 tokens): 'Here is the function:\\n...'
${RULE}
`,
    );
  });

  it("adds what a record has beyond that, and leaves out what is not known", () => {
    const text = renderDivergentTokens(
      [
        {
          ...RECORD,
          token_id: null,
          token_text: null,
          actor_prob: 0,
          actor_logprob: Number.NEGATIVE_INFINITY,
          logprob_diff: Number.POSITIVE_INFINITY,
          flip_type: null,
          is_correct: false,
          total_score: null,
          position_id: null,
          position_ids: [1, 2],
          attention_mask_value: null,
          num_prompt_padding_tokens: null,
          tokens_match: false,
          input_ids_token_id: 7,
          input_ids_token_text: "'é'",
          WARNING: "MISMATCH! response has 5 but input_ids has 7",
          context_text: null,
          prompt_num_tokens: null,
          full_response: null,
          decode_error: "no such piece",
          actor_entropy: 1.5,
          rollout_top5: [{ token_id: 3, token_text: null, prob: 0.5, logprob: Math.log(0.5) }],
          advantage: -0.25,
          handle: "s1.q2.t3",
        },
      ],
      { unicode: false },
    );
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    expect(text.split("\n").slice(5, -2)).toEqual([
      "  Token: N/A (ID: N/A)",
      "  Position: 12/50 (from end: 37)",
      "  Batch Index: 3",
      "  Answer Correctness: INCORRECT",
      "  Rollout: prob=0.923400, logprob=-0.0795",
      "  Actor:   prob=0.000000, logprob=-inf",
      "  LogProb Diff: inf",
      "  Token Alignment: MISMATCH!",
      "    Response token: N/A (ID: N/A)",
      "    Input_ids token: '\\u{e9}' (ID: 7)",
      "  WARNING: MISMATCH! response has 5 but input_ids has 7",
      "  Handle: s1.q2.t3",
      "  Position IDs (mrope): [1, 2]",
      "  Entropy: actor=1.5000",
      "  Rollout Top 5: 3 0.5000",
      "  Advantage: -0.2500",
      "  Prompt (? tokens): 'Write a Python function that...'",
      "  Decode Error: no such piece",
    ]);
  });

  it("is nothing without records", () => {
    expect(renderDivergentTokens([], { unicode: true })).toBe("");
  });
});

const REPORT: DivergenceReport = {
  schemaVersion: 1,
  kind: "divergence",
  run: "stale\u001b[31m",
  settings: { threshold: 0.8, top_k: 5, context: 5, every: 1, lean: false, tokenizer: null },
  metrics: {
    sequences: 64,
    tokens: 4564,
    steps: 2,
    steps_logged: 1,
    records: 5,
    prob_diff_max: 0.9978,
    rollout_confident_actor_rejects: 3,
    actor_confident_rollout_rejects: 0,
    large_disagreement: 1,
    records_correct: 1,
    records_incorrect: 4,
    decode_errors: 1,
    reencode_mismatches: 2,
    token_mismatches: 0,
  },
  per_step: [0.9978, 0.2].map((prob_diff_max, i) => ({
    step: i,
    iteration: i,
    sequences: 32,
    tokens: 2282,
    prob_diff_max,
    logged: i === 0,
    records: i === 0 ? 5 : 0,
    metrics: {},
  })),
  records: null,
  outputs: [{ file: "log.jsonl", lines: 5, repeated: 0, completed_torn_line: false }],
  findings: [],
  sources: [],
};
const OPTIONS = { width: 72, color: false, unicode: true };

describe("renderDivergenceSummary", () => {
  it("says what was logged, of what, and where it went", () => {
    const text = renderDivergenceSummary(REPORT, OPTIONS);
    expect(text).toBe(
      `stale\\x1b[31m · |Δp| reaches 0.8 in 1 of 2 iterations · 5 tokens logged

• largest |Δp| 0.998 in iteration 0
• flip types: rollout_confident_actor_rejects 3, large_disagreement 1
• from correct answers 1, from incorrect ones 4
• 2 tokens whose text alone tokenizes to something else
• 1 token not decoded without an error
• appended to log.jsonl: 5 lines
`,
    );
  });

  it("says how far the policies got when nothing was logged, and what to change", () => {
    const metrics = { ...REPORT.metrics, steps_logged: 0, records: 0, prob_diff_max: 0.2 };
    const per_step = REPORT.per_step.slice(1);
    const text = renderDivergenceSummary({ ...REPORT, metrics, per_step, outputs: [] }, OPTIONS);
    expect(text).toContain("none of 4,564 tokens reaches |Δp| 0.8");
    expect(text).toContain("largest |Δp| 0.200 in iteration 1");
    expect(text).toContain("lower --threshold to see");
    const nothing = { ...metrics, steps: 0 };
    const left = { ...REPORT, metrics: nothing, per_step: [], outputs: [] };
    expect(renderDivergenceSummary(left, OPTIONS)).toMatch(/--every 1 leaves out every step\n$/);
  });

  it("fits the width, and the title of a step names it", () => {
    const narrow = { ...OPTIONS, width: 40 };
    for (const line of renderDivergenceSummary(REPORT, narrow).trimEnd().split("\n"))
      expect(displayWidth(line)).toBeLessThanOrEqual(40);
    expect(renderStepTitle(REPORT.per_step[0]!, REPORT, OPTIONS)).toBe(
      "Iteration 0 of stale\\x1b[31m: largest |Δp| 0.998, at or above 0.8\n",
    );
    const nameless = { ...REPORT.per_step[0]!, iteration: null };
    expect(renderStepTitle(nameless, REPORT, OPTIONS)).toMatch(/^stale.*: largest/);
  });
});
