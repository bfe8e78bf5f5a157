import { describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../../test/support/calibration/claim.ts";
import type { SampledRow } from "../sample/row.ts";
import { judgeServed, type RescoredRow } from "./judge-served.ts";

const TOKENS = 40;
const NAMES = [
  { name: "a", at: "onnx:a" },
  { name: "b", at: "onnx:b" },
];

interface Drawn {
  readonly prompts: number;
  /** The step of each prompt. */
  readonly step?: (prompt: number) => number;
  /** Which of the two checkpoints the engine has; the trainer always has the second. */
  readonly engine?: (prompt: number) => 0 | 1;
}

/** Rows of an engine with the noise of bfloat16 and an exact trainer; `b` is a noisy copy of `a`. */
function drawRows({ prompts, step = () => 1, engine = () => 0 }: Drawn): RescoredRow[] {
  const random = seededRandom("served");
  const noisy = (column: Float32Array, sigma: number): Float32Array =>
    column.map((value) => Math.min(-1e-6, value + sigma * normal(random) * -Math.expm1(value)));
  return Array.from({ length: prompts }, (_, prompt) => {
    const a = Float32Array.from({ length: TOKENS }, () => Math.log(0.05 + 0.9 * random()));
    const b = noisy(a, 0.6);
    const row = {
      ...{ file: "f", rank: 0, pack: 0, row: prompt, group: prompt, hasPrompt: true, reward: Number.NaN },
      step: step(prompt),
      mask: new Uint8Array(TOKENS).fill(1),
      rollout: noisy(engine(prompt) === 0 ? a : b, 0.03),
      trainer: b,
      ids: Int32Array.from({ length: TOKENS }, (_, t) => (31 * t + 7 * prompt) % 997),
      advantage: Number.NaN,
    } as unknown as SampledRow;
    return { row, scores: [a, b] };
  });
}

describe("which checkpoint each side used", () => {
  it("is the one whose log-probs it has, but for an engine's noise", () => {
    const served = judgeServed(drawRows({ prompts: 16 }), NAMES);
    expect(served).toMatchObject({
      ...{ sequences: 16, prompts: 16, tokens: 16 * TOKENS, by_step: [] },
      rollout: { checkpoint: "a", nearest: "a" },
      trainer: { checkpoint: "b", nearest: "b" },
    });
    const [first] = served!.checkpoints;
    expect(first!.name).toBe("a");
    expect(first!.rollout.logit_noise).toBeCloseTo(0.03, 2);
    expect(first!.rollout.logit_noise_mean).toBeCloseTo(0.03, 2);
    for (const side of ["rollout", "trainer"] as const) {
      const total = served!.checkpoints.reduce((sum, of) => sum + of[side].probability, 0);
      expect(total + served![side].none).toBeCloseTo(1, 9);
    }
  });

  it("is judged at each step, where no checkpoint fits all of them; unknown steps are in none", () => {
    const rows = drawRows({
      prompts: 24,
      step: (prompt) => [2, 1, Number.NaN][prompt % 3]!,
      engine: (prompt) => (prompt % 3 === 0 ? 1 : 0),
    });
    const served = judgeServed(rows, NAMES);
    expect(
      served!.by_step.map(({ step, sequences, rollout }) => [step, sequences, rollout.checkpoint]),
    ).toEqual([
      [1, 8, "a"],
      [2, 8, "b"],
    ]);
    expect(served!.sentence).toBe("In step 1 the engine used a, the trainer b; in step 2 both sides used b.");
  });

  it("is told only from tokens that both sides and all checkpoints have", () => {
    const rows = drawRows({ prompts: 8 });
    rows[0]!.scores[1]!.fill(Number.NaN);
    rows[1]!.row.mask.fill(0, 10);
    rows[2]!.row.rollout.fill(Number.NEGATIVE_INFINITY, 5);
    expect(judgeServed(rows, NAMES)?.tokens).toBe(5 * TOKENS + 10 + 5);
  });

  it("is not told of nothing", () => {
    expect(judgeServed([], NAMES)).toBeNull();
    expect(
      judgeServed(
        drawRows({ prompts: 2 }).map(({ row }) => ({ row, scores: [] })),
        [],
      ),
    ).toBeNull();
    const rows = drawRows({ prompts: 2 });
    for (const { row } of rows) row.mask.fill(0);
    expect(judgeServed(rows, NAMES)).toBeNull();
  });
});
