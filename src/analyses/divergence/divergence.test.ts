import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { calculateDebugMetrics, calculateRecordDebugMetrics } from "./debug-metrics.ts";
import { divergenceLine } from "./line.ts";
import { createRunLog, type RunLogOptions } from "./run-log.ts";
import { tableDecoder } from "./table-decoder.test-data.ts";

const WORDS = ["<pad>", "zero", " one", " two", "'three'"];
const IDS = [1, 2, 3, 4];
/** |Δp| of a token that the rollout gives probability e^-0.1: the larger Δ is, the larger. */
const batch = (sequences: readonly SequencePicture[]): RecordBatch =>
  recordBatch(sequences.map((sequence) => ({ rollout: -0.1, tokenIds: IDS, ...sequence })));
const options: RunLogOptions = {
  tokenizer: tableDecoder(WORDS),
  divergenceThreshold: 0.5,
  divergenceTopK: 2,
};

describe("createRunLog", () => {
  it("ends a step when another one comes, however batches cut it", () => {
    const log = createRunLog(options);
    const first = log.add(
      batch([
        { deltas: "0 -1 0 0", step: 1 },
        { deltas: "0 0 -3 0", step: 1 },
      ]),
    );
    const second = log.add(
      batch([
        { deltas: "-2 0 0 0", step: 1, row: 7 },
        { deltas: "0 0 0 -.1", step: 2 },
        { deltas: "0 0 0 -5", step: 3 },
      ]),
    );
    const rest = log.finish();
    expect(first).toEqual([]);
    expect(second.map(({ step }) => step)).toEqual([1, 2]);
    expect(second[0]).toMatchObject({ sequences: 3, tokens: 12, iteration: 1, again: false });
    expect(
      second[0]!.records.map(({ rank, batch_idx, position, handle }) => [rank, batch_idx, position, handle]),
    ).toEqual([
      [0, 1, 2, "s1.q1.t2"],
      [1, 7, 0, "s1.q7.t0"],
    ]);
    expect(second[1]!.records).toEqual([]);
    expect(rest.map(({ records }) => records.map(({ token_text }) => token_text))).toEqual([
      [`"'three'"`, "'zero'"],
    ]);
    expect(log.finish()).toEqual([]);
  });

  it("says beside each token how many of all the iteration's responses and tokens are correct ones", () => {
    const log = createRunLog(options);
    log.add(
      batch([
        { deltas: "0 0 -3 0", step: 1, correct: 1 },
        { deltas: "0", tokenIds: [1], step: 1, correct: 0 },
      ]),
    );
    const [first] = log.add(
      batch([
        { deltas: "0", tokenIds: [1], step: 1, correct: 0 },
        { deltas: "0 0 0 0", step: 1 },
        { deltas: "0 0 0 -3", step: 2 },
      ]),
    );
    expect(first!.records).toHaveLength(2);
    for (const record of first!.records)
      expect(record).toMatchObject({
        iteration_responses: 3,
        iteration_accuracy: 1 / 3,
        iteration_correct_tokens: 4 / 6,
      });
    const [second] = log.finish();
    expect(second!.records[0]).not.toHaveProperty("iteration_accuracy");
  });

  it("takes every n-th step, and what has no step as one iteration of the given number", () => {
    const log = createRunLog({ ...options, every: 10, iteration: 77 });
    const steps = [9, 10, 11, Number.NaN, 20].map((step) => ({ deltas: "0 0 0 -3", step }));
    const results = [...log.add(batch(steps)), ...log.finish()];
    expect(results.map(({ step, iteration }) => [step, iteration])).toEqual([
      [10, 10],
      [null, 77],
      [20, 20],
    ]);
    expect(log.leftOut).toBe(2);
  });

  it("says when a step comes again", () => {
    const log = createRunLog(options);
    const results = [
      ...log.add(
        batch([
          { deltas: "0 0 0 0", step: 1 },
          { deltas: "0 0 0 0", step: 2 },
          { deltas: "0 0 0 0", step: 1 },
        ]),
      ),
      ...log.finish(),
    ];
    expect(results.map(({ step, again }) => [step, again])).toEqual([
      [1, false],
      [2, false],
      [1, true],
    ]);
  });

  it("decodes nothing when no step reaches the threshold", () => {
    const tokenizer = tableDecoder(WORDS);
    const log = createRunLog({ ...options, tokenizer });
    log.add(batch([{ deltas: "0 0 -.5 0", step: 1 }]));
    const [result] = log.finish();
    expect(result).toMatchObject({ records: [], maxDivergence: expect.closeTo(0.356, 4) });
    expect(tokenizer.calls).toBe(0);
  });

  it("refuses options that make no sense", () => {
    expect(() => createRunLog({ divergenceThreshold: 1.5 })).toThrow(/from 0 to 1, not 1.5/);
    expect(() => createRunLog({ divergenceTopK: 0 })).toThrow(/at least 1, not 0/);
    expect(() => createRunLog({ contextWindow: -1 })).toThrow(/at least 0, not -1/);
  });
});

describe("the two kinds of batch", () => {
  it("agree but for what only the padded one knows", () => {
    const padded = {
      rollout_log_probs: [[-0.1, -0.1, -0.1, -0.1, 0]],
      old_log_probs: [[-0.1, -4, -0.1, -0.5, 0]],
      response_mask: [[1, 1, 0, 1, 0]],
      attention_mask: [[0, 1, 1, 1, 1, 1, 1, 0]],
      input_ids: [[0, 3, 4, 1, 2, 3, 4, 0]],
      responses: [[1, 2, 3, 4, 0]],
      acc: [true],
      token_level_scores: [[0, 0, 0, 1, 0]],
    };
    const record: RecordBatch = {
      ...recordBatch([
        { deltas: "0 -3.9 | 0 | -.4", rollout: -0.1, tokenIds: IDS, correct: 1, step: 4, row: 0 },
      ]),
      promptOffsets: Int32Array.of(0, 2),
      promptTokenIds: Int32Array.of(3, 4),
      rewards: Float64Array.of(1),
      arrays: { layout: "padded", starts: Int32Array.of(0), widths: Int32Array.of(5) },
    };
    const given = { tokenizer: tableDecoder(WORDS), divergenceThreshold: 0, iteration: 4, contextWindow: 1 };
    const ours = calculateRecordDebugMetrics(record, given);
    const theirs = calculateDebugMetrics(padded, given);
    expect(ours.metrics).toEqual(theirs.metrics);
    ours.records.forEach((entry, i) => {
      expect({ ...entry, prob_divergence: 0, actor_prob: 0, actor_logprob: 0, logprob_diff: 0 }).toEqual({
        ...theirs.records[i],
        prob_divergence: 0,
        actor_prob: 0,
        actor_logprob: 0,
        logprob_diff: 0,
        attention_mask_value: null,
        num_prompt_padding_tokens: null,
        prompt_length_with_padding: null,
        input_ids_token_id: null,
        tokens_match: null,
        context_end_pos: Math.min(4, theirs.records[i]!.context_end_pos),
        context_text: i === 1 ? expect.any(String) : theirs.records[i]!.context_text,
        reward: null,
        handle: `s4.q0.t${entry.position}`,
        record_id: expect.stringMatching(
          `^s4\\.q0\\.t${entry.position}:\\d+:[0-9a-f]{16}:[0-9a-f]{16}$`,
        ) as string,
        file: "drawn.npz",
      });
    });
  });

  it("has the token's own text beside its repr, but not in lean lines", () => {
    const tokenizer = tableDecoder(["<pad>", "7", " 7.5", "it's\n", "\ud800"]);
    const { records } = calculateDebugMetrics(
      {
        rollout_log_probs: [[-0.05, -0.05, -0.05, -0.05]],
        old_log_probs: [[-9, -8, -7, -6]],
        responses: [[1, 2, 3, 4]],
      },
      { tokenizer, divergenceTopK: 4 },
    );
    expect(records.map(({ token_plain, token_text }) => [token_plain, token_text])).toEqual([
      ["7", "'7'"],
      [" 7.5", "' 7.5'"],
      ["it's\n", '"it\'s\\n"'],
      ["\ud800", "'\\ud800'"],
    ]);
    const [line, lean] = [{}, { lean: true }].map((form) => divergenceLine(records[3]!, form));
    expect(JSON.parse(line!)).toHaveProperty("token_plain", "\ud800");
    expect(JSON.parse(lean!)).not.toHaveProperty("token_plain");
  });

  it("takes entropies, alternatives and advantages where they are", () => {
    const record: RecordBatch = {
      ...recordBatch([{ deltas: "-3", rollout: -0.1, tokenIds: [2] }]),
      entropies: { rollout: Float32Array.of(0.5), trainer: Float32Array.of(2) },
      advantages: Float32Array.of(-1.25),
      topK: {
        rollout: {
          k: 6,
          ids: Int32Array.of(2, 1, 3, 4, 0, 0),
          logprobs: Float32Array.of(-0.125, -1, -2, -3, -4, -5),
        },
        trainer: { k: 2, ids: Int32Array.of(1, -1), logprobs: Float32Array.of(-0.25, Number.NaN) },
      },
    };
    const [entry] = calculateRecordDebugMetrics(record, { ...options, iteration: 3 }).records;
    expect(entry).toMatchObject({
      iteration: 3,
      rollout_entropy: 0.5,
      actor_entropy: 2,
      advantage: -1.25,
      actor_top5: [{ token_id: 1, token_text: "'zero'", prob: Math.exp(-0.25), logprob: -0.25 }],
    });
    expect(entry!.rollout_top5!.map(({ token_id }) => token_id)).toEqual([2, 1, 3, 4, 0]);
  });

  it("gives the position in every dimension where there are several", () => {
    // The Python implementation takes the number of dimensions for the length, and so logs none, or another token's.
    const { records } = calculateDebugMetrics(
      {
        rollout_log_probs: [[-1, -0.05]],
        old_log_probs: [[-1, -9]],
        position_ids: [
          [
            [0, 1, 2, 3],
            [5, 6, 7, 8],
          ],
        ],
      },
      { divergenceTopK: 1 },
    );
    expect(records[0]).toMatchObject({ position: 1, position_id: null, position_ids: [3, 8] });
  });

  it("logs a token that one policy gives probability 0, with null for its log-prob", () => {
    const { records } = calculateDebugMetrics(
      {
        rollout_log_probs: [[-0.05, -1]],
        old_log_probs: [[Number.NEGATIVE_INFINITY, -1]],
        responses: [[3, 4]],
      },
      { divergenceTopK: 1 },
    );
    expect(records[0]).toMatchObject({ actor_prob: 0, flip_type: "rollout_confident_actor_rejects" });
    expect(JSON.parse(divergenceLine(records[0]!))).toMatchObject({
      actor_logprob: null,
      logprob_diff: null,
    });
  });
});

describe("what cannot be decoded", () => {
  const far = { rollout_log_probs: [[-0.05, -0.05]], old_log_probs: [[-9, -0.05]], responses: [[9, 1]] };

  it("is an error of the token, and the rest of the record stands", () => {
    const [entry] = calculateDebugMetrics(far, { tokenizer: tableDecoder(WORDS), divergenceTopK: 1 }).records;
    expect(entry).toMatchObject({
      token_id: 9,
      token_text: "<decode_error:9>",
      token_plain: null,
      decode_error: "token 9 is not among the 5 of the tokenizer table: is it another model's?",
      reencodes_to_same_id: null,
      context_text: null,
      response_num_tokens: 2,
    });
  });

  it("is the tokenizer's own error where it raises one", () => {
    const tokenizer = {
      ...tableDecoder(WORDS),
      vocabularySize: 100,
      decode(ids: readonly number[]): string {
        if (ids.includes(9)) throw new Error("no such piece");
        return ids.map((id) => WORDS[id]).join("");
      },
    };
    const records = calculateDebugMetrics(far, { tokenizer, divergenceTopK: 2, contextWindow: 0 }).records;
    expect(
      records.map(({ token_text, context_text, decode_error }) => [token_text, context_text, decode_error]),
    ).toEqual([
      ["<decode_error:9>", null, "no such piece"],
      ["'zero'", "'zero'", "no such piece"],
    ]);
  });

  it("is text of the source itself where that has some, and else named by its id", () => {
    const record: RecordBatch = {
      ...recordBatch([{ deltas: "-3", rollout: -0.1, tokenIds: [2] }]),
      promptTexts: ["What's 1 + 1?\n"],
      responseTexts: ["x".repeat(300)],
    };
    const [entry] = calculateRecordDebugMetrics(record, { divergenceThreshold: 0.5 }).records;
    expect(entry).toMatchObject({
      token_text: "<no_tokenizer:2>",
      token_plain: null,
      context_text: null,
      prompt_text: `"What's 1 + 1?\\n"`,
      full_response: `'${"x".repeat(200)}...'`,
    });
  });
});

describe("divergenceJsonlPath", () => {
  const far = { rollout_log_probs: [[-0.05]], old_log_probs: [[-9]] };

  it("is filled in and handed to what appends lines", () => {
    const written: [string, readonly string[]][] = [];
    const { records } = calculateDebugMetrics(far, {
      divergenceJsonlPath: "logs/divergence_{iteration}.jsonl",
      iteration: 12,
      appendLines: (path, lines) => void written.push([path, lines]),
    });
    expect(written.map(([path]) => path)).toEqual(["logs/divergence_12.jsonl"]);
    expect(written[0]![1].map((line) => JSON.parse(line) as unknown)).toEqual(
      JSON.parse(JSON.stringify(records)),
    );
    expect(records[0]!.token_id).toBeNull();
  });

  it("is not used below the threshold or when nothing is to be logged, and refused without a writer", () => {
    const refuse = (): never => expect.unreachable();
    const divergenceJsonlPath = "x.jsonl";
    calculateDebugMetrics(
      { rollout_log_probs: [[-1]], old_log_probs: [[-1]] },
      { divergenceJsonlPath, appendLines: refuse },
    );
    calculateDebugMetrics(far, { logDivergence: false, divergenceJsonlPath, appendLines: refuse });
    expect(() => calculateDebugMetrics(far, { divergenceJsonlPath })).toThrow(
      /nothing that could write the file/,
    );
  });

  it("gives verl's metrics with NaN where nothing is masked in", () => {
    const { metrics, records } = calculateDebugMetrics({ ...far, response_mask: [[0]] });
    expect(metrics).toMatchObject({ "training/rollout_probs_diff_valid": 0, "per_round/total_rounds": 0 });
    expect(records).toEqual([]);
  });

  it("refuses token ids that do not align", () => {
    expect(() => calculateDebugMetrics({ ...far, responses: [[1, 2]] })).toThrow(
      /2 tokens, the log-probs have 1/,
    );
  });
});
