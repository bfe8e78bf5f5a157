import { describe, expect, it } from "vitest";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { SequenceDraft } from "../../core/schema/sequence-draft.ts";
import { PolicyRun } from "./policy-run.ts";

const provenance = { file: "one.npz", format: "npz", trainer: "verl", alignment: "token" } as const;

/** Log-probs of two sequences and an empty one; NaN and -Infinity are in no figure. */
const ROWS: readonly (readonly [logprobs: number[], mask: number[]])[] = [
  [
    [-0.5, -2, -9, 0],
    [1, 1, 0, 1],
  ],
  [
    [-4, Number.NaN, -0.25],
    [1, 1, 1],
  ],
  [[-1], [0]],
];

function makeBatch(more: (row: number) => Partial<SequenceDraft> = () => ({}), rows = ROWS): RecordBatch {
  const builder = createRecordBuilder({ provenance });
  for (const [row, [logprobs, mask]] of rows.entries()) {
    const draft = { row, step: 1 + (row % 2), length: logprobs.length, responseMask: Uint8Array.from(mask) };
    builder.push({ ...draft, rolloutLogprobs: Float64Array.from(logprobs), ...more(row) });
  }
  return builder.flush();
}

function run(batch: RecordBatch, policy: "rollout" | "trainer" = "rollout") {
  const policyRun = new PolicyRun(policy);
  policyRun.add(batch);
  return policyRun.result();
}

describe("figures of one policy", () => {
  it("are over tokens with mask 1 and a finite log-prob", () => {
    const { metrics, excluded } = run(makeBatch());
    const values = [-0.5, -2, 0, -4, -0.25];
    const mean = values.reduce((a, b) => a + b) / 5;
    const std = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 5);
    expect(metrics).toMatchObject({ sequences: 3, tokens: 5, sequences_empty: 1, steps: 2, zeros: 1 });
    expect(metrics.log_prob_mean).toBeCloseTo(mean, 12);
    expect(metrics.log_prob_std).toBeCloseTo(std, 12);
    expect(metrics.ppl).toBeCloseTo(Math.exp(-mean), 12);
    expect([metrics.log_prob_min, metrics.surprisal_max, metrics.zero_share]).toEqual([-4, 4, 0.2]);
    expect(metrics.surprisal_p50).toBeCloseTo(0.5, 3);
    expect(metrics.response_tokens).toBeCloseTo(8 / 3, 12);
    expect(excluded).toEqual({ infinite: 0, missing: 1 });
  });

  it("has xtuner's perplexity: the mean of each sequence's, 1 for one without tokens", () => {
    const { rolloutLogprobs, ...batch } = makeBatch();
    const trainer = run({ ...batch, trainerLogprobs: rolloutLogprobs! }, "trainer").metrics;
    const means = [-2.5 / 3, -4.25 / 2, 0];
    const ppl = means.map((mean) => Math.exp(-mean)).reduce((a, b) => a + b) / 3;
    const logPpl = -means.reduce((a, b) => a + b) / 3;
    expect(trainer.mismatch_training_ppl).toBeCloseTo(ppl, 6);
    expect(trainer.mismatch_training_log_ppl).toBeCloseTo(logPpl, 6);
    expect(trainer).not.toHaveProperty("mismatch_rollout_ppl");
    const rollout = run(makeBatch()).metrics;
    expect(rollout.mismatch_rollout_ppl).toBeCloseTo(ppl, 6);
    expect(rollout).not.toHaveProperty("mismatch_training_ppl");
  });

  it("counts tokens that the policy ruled out, whose perplexity is infinite", () => {
    const { metrics, excluded } = run(
      makeBatch(undefined, [
        [
          [-1, -Infinity],
          [1, 1],
        ],
      ]),
    );
    expect(excluded).toEqual({ infinite: 1, missing: 0 });
    expect(metrics.mismatch_rollout_ppl).toBe(Infinity);
    expect([metrics.log_prob_mean, metrics.tokens]).toEqual([-1, 1]);
  });

  it("splits them by step, turn, position, probability, environment and correctness", () => {
    const result = run(
      makeBatch((row) => ({
        correctness: row === 0 ? 1 : row === 1 ? 0 : undefined,
        environment: row === 2 ? undefined : `env${row}`,
        reward: row,
      })),
    );
    expect(result.per_step.map(({ step, sequences, tokens }) => [step, sequences, tokens])).toEqual([
      [1, 2, 3],
      [2, 1, 2],
    ]);
    expect(result.per_turn.map(({ turn, tokens }) => [turn, tokens])).toEqual([
      [0, 4],
      [1, 1],
    ]);
    expect(result.metrics.turns_max).toBe(2);
    expect(result.per_position.map(({ from, to, tokens }) => [from, to, tokens])).toEqual([
      [0, 1, 2],
      [1, 10, 3],
    ]);
    // exp of -4, -2, -0.5, -0.25, 0: the largest edge at or below each.
    expect(result.per_probability.map(({ tokens }) => tokens)).toEqual([0, 1, 1, 2, 0, 1]);
    expect(result.per_environment.map(({ name, tokens }) => [name, tokens])).toEqual([
      ["env0", 3],
      ["env1", 2],
    ]);
    expect(result.per_correctness.map(({ name, reward }) => [name, reward])).toEqual([
      ["correct", 0],
      ["incorrect", 1],
    ]);
    expect([result.metrics.reward, result.metrics.accuracy]).toEqual([1, 0.5]);
  });

  it("lists the least likely tokens and sequences by their handles", () => {
    const { unlikely_tokens, unlikely_sequences } = run(makeBatch());
    expect(unlikely_tokens.map(({ handle, log_prob }) => [handle, log_prob])).toEqual([
      ["s2.q1.t0", -4],
      ["s1.q0.t1", -2],
      ["s1.q0.t0", -0.5],
      ["s2.q1.t2", -0.25],
      ["s1.q0.t3", 0],
    ]);
    expect(unlikely_sequences.map(({ handle, tokens }) => [handle, tokens])).toEqual([
      ["s2.q1", 2],
      ["s1.q0", 3],
    ]);
  });
});

describe("entropy", () => {
  const logs = (...p: number[]): number[] => p.map(Math.log);

  it("is the column's, and beside it how far surprisal is from it", () => {
    const batch = makeBatch(() => ({}), [ROWS[0]!]);
    const { metrics } = run({ ...batch, entropies: { rollout: Float64Array.of(1, 2, 5, 0) } });
    expect(metrics.entropy).toBeCloseTo(1, 12);
    expect(metrics.surprisal_entropy_gap).toBeCloseTo(2.5 / 3 - 1, 12);
  });

  it("is that of whole lists, and unknown where one list is cut off", () => {
    const topK = (second: number[]): Partial<SequenceDraft> => ({
      topK: {
        rollout: {
          k: 2,
          ids: Int32Array.of(1, 2, 1, 2),
          logprobs: Float64Array.from([...logs(0.5, 0.5), ...second]),
        },
      },
    });
    const rows = [
      [
        [-1, -1],
        [1, 1],
      ],
    ] as const satisfies typeof ROWS;
    const whole = run(makeBatch(() => topK(logs(0.25, 0.75)), rows)).metrics.entropy;
    const second = -(0.25 * Math.log(0.25) + 0.75 * Math.log(0.75));
    expect(whole).toBeCloseTo((Math.LN2 + second) / 2, 6);
    expect(run(makeBatch(() => topK(logs(0.25, 0.5)), rows)).metrics.entropy).toBeNull();
  });
});

it("refuses a batch without the policy's log-probs", () => {
  expect(() => run(makeBatch(), "trainer")).toThrow("there are no trainer log-probs");
});
