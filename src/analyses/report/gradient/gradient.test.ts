import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import type { GradientReport } from "../../../results/gradient.ts";
import { buildReport } from "../build-report.ts";
import { RunSummary } from "../run-summary.ts";

/** With one advantage for all tokens of each sequence; undefined: a batch without. */
function makeBatch(
  pictures: readonly SequencePicture[],
  advantages?: readonly number[],
  file?: string,
): RecordBatch {
  const batch = recordBatch(pictures, file);
  if (advantages === undefined) return batch;
  const rows = Array.from({ length: batch.length }, (_, row) => row);
  const groupIds = rows.map((row) => `prompt ${row >> 1}`);
  return {
    ...batch,
    groupIds,
    advantages: Float32Array.from(
      rows.flatMap((row) =>
        new Array<number>(batch.offsets[row + 1]! - batch.offsets[row]!).fill(advantages[row]!),
      ),
    ),
  };
}

function summarize(...batches: RecordBatch[]): RunSummary {
  const summary = new RunSummary();
  for (const batch of batches) summary.add(batch);
  return summary;
}

function report(summary: RunSummary): GradientReport | null {
  return buildReport({ run: "drawn", paths: [], summary, parity: [], findings: [], sources: [] }).gradient;
}

const LN2 = String(Math.LN2);
/** ρ = 2 and ½ at the first sequence, 2 at a token of the second, which has no advantage. */
const TWO: readonly SequencePicture[] = [
  { deltas: `${LN2} -${LN2} | 5 | 0`, step: 1, row: 0 },
  { deltas: `0 ${LN2}`, step: 2, row: 1 },
];

describe("what reaches the gradient", () => {
  it("is as computed by hand", () => {
    const gradient = report(summarize(makeBatch(TWO, [-2, 0])))!;
    // k3 of ρ = 2: 1 − ln 2; of ½: ln 2 − ½.
    const [up, down] = [1 - Math.LN2, Math.LN2 - 0.5];
    expect(gradient).toMatchObject({ tokens: 5, tokens_without_advantage: 0, tokens_overflowed: 0 });
    expect(gradient.zero_advantage_share).toBeCloseTo(2 / 5, 12);
    expect(gradient.k3_share_at_zero).toBeCloseTo(up / (2 * up + down), 6);
    expect(gradient.delta_abs_share_at_zero).toBeCloseTo(1 / 3, 6);
    // |A||ρ − 1| = 2, 1, 0; A(ρ − 1) = −2, 1, 0; Σ|A| = 6.
    expect(gradient.impact_mean).toBeCloseTo(3 / 5, 6);
    expect(gradient.impact_signed_mean).toBeCloseTo(-1 / 5, 6);
    expect(gradient.impact_relative).toBeCloseTo(3 / 6, 6);
    expect(gradient.surrogate_change).toBeCloseTo(-1 / 6, 6);
    expect(gradient.impact_max).toBeCloseTo(2, 6);
    expect(gradient.per_step.map(({ step, tokens }) => [step, tokens])).toEqual([
      [1, 3],
      [2, 2],
    ]);
    expect(gradient.worst_tokens_at_zero).toEqual({ of: 3, zero: 1 });
  });

  it("names the tokens and sequences that weigh most wrongly, and none without advantage", () => {
    const gradient = report(summarize(makeBatch(TWO, [-2, 0])))!;
    expect(gradient.worst_tokens.map(({ handle, turn }) => [handle, turn])).toEqual([
      ["s1.q0.t0", 0],
      ["s1.q0.t1", 0],
    ]);
    expect(gradient.worst_tokens[0]).toMatchObject({ advantage: -2, token: 0 });
    expect(gradient.worst_tokens[0]?.impact).toBeCloseTo(-2, 6);
    expect(gradient.worst_sequences).toHaveLength(1);
    expect(gradient.worst_sequences[0]).toMatchObject({ handle: "s1.q0", tokens: 3, advantage_mean: -2 });
    expect(gradient.worst_sequences[0]?.impact).toBeCloseTo(3, 6);
    expect(gradient.worst_sequences[0]?.impact_share).toBeCloseTo(1, 12);
  });

  it("says of the worst what each policy made of them, and how far the sequence has drifted", () => {
    const rows: readonly SequencePicture[] = [
      { deltas: "0.5 -0.25 | 5 | 0.125", step: 1, row: 0, rollout: -1 },
      { deltas: "0.25 0.25", step: 1, row: 1, rollout: -1 },
    ];
    const gradient = report(summarize(makeBatch(rows, [1, 1])))!;
    const [token] = gradient.worst_tokens;
    expect(token).toMatchObject({ handle: "s1.q0.t0", token: 0, sequence: 0 });
    expect(token!.delta).toBeCloseTo(0.5, 6);
    expect(token!.trainer_logprob - token!.rollout_logprob).toBeCloseTo(token!.delta, 6);
    const [first, second] = gradient.worst_sequences;
    expect([first!.handle, second!.handle]).toEqual(["s1.q0", "s1.q1"]);
    expect(first!.delta_sum).toBeCloseTo(0.375, 6);
    expect(first!.delta_abs_mean).toBeCloseTo(0.875 / 3, 6);
    expect(second!.delta_sum).toBeCloseTo(0.5, 6);
    expect(second!.delta_abs_mean).toBeCloseTo(0.25, 6);
    expect(first!.impact_share + second!.impact_share).toBeCloseTo(1, 12);
  });

  it("is null without advantages, and counts the tokens of batches that have none", () => {
    expect(report(summarize(makeBatch(TWO)))).toBeNull();
    const mixed = report(summarize(makeBatch(TWO, [1, 1], "a"), makeBatch(TWO, undefined, "b")))!;
    expect([mixed.tokens, mixed.tokens_without_advantage]).toEqual([5, 5]);
    const missing = report(summarize(makeBatch(TWO, [1, Number.NaN])))!;
    expect([missing.tokens, missing.tokens_without_advantage]).toEqual([3, 2]);
  });

  it("merges in any order to the same bits, over JSON too", () => {
    const parts = [
      makeBatch(TWO, [-2, 0], "a"),
      makeBatch(TWO, [0.3, 0.1], "b"),
      makeBatch(TWO, [1e-9, -3], "c"),
    ];
    const whole = report(summarize(...parts));
    const merged = summarize(parts[2]!);
    for (const part of [parts[1]!, parts[0]!])
      merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(summarize(part)))));
    expect(report(merged)).toEqual(whole);
  });
});

describe("the sentence", () => {
  /** Two responses to each of eight prompts; of the first `zero` prompts the advantage is 0. */
  const draw = (zero: number, tokens = 100, delta = "0.1"): GradientReport | null => {
    const pictures = Array.from({ length: 16 }, (_, row) => ({
      deltas: Array.from({ length: tokens }, (_, t) => (t % 2 ? delta : `-${delta}`)).join(" "),
      step: 1,
      row,
    }));
    return report(
      summarize(
        makeBatch(
          pictures,
          pictures.map((_, row) => (row < 2 * zero ? 0 : 1)),
        ),
      ),
    );
  };

  it("says the share, the tokens, and what is left without any one prompt", () => {
    const { sentence, k3_share_at_zero_leave_one_out: left, clusters } = draw(6)!;
    expect(clusters).toBe(8);
    expect(left![0]).toBeCloseTo(5 / 7, 9);
    expect(left![1]).toBeCloseTo(6 / 7, 9);
    expect(sentence).toBe(
      "75.0 % of k3 lies at advantage 0, outside the policy gradient (75.0 % of the tokens, 10 of the 10 worst; without any one prompt 71.4 % to 85.7 %)",
    );
  });

  it("is not there for little data, or little of k3", () => {
    expect(draw(6, 50)!.sentence).toBeNull();
    expect(draw(0)!.sentence).toBeNull();
    expect(draw(1)!.sentence).not.toBeNull();
  });
});
