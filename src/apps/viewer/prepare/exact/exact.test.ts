import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "../../../../analyses/sweep/buckets.ts";
import { rewardGroupOf, rewardGroups, roundedReward } from "../../../../analyses/sweep/reward-groups.ts";
import { EXACT_COUNTS, type ExactQuestion, type ValueGroup } from "../../../../results/view.ts";
import { applyCorrection } from "../../../../trainers/neutral/apply.ts";
import { type DeltaBlock, partedBlocks } from "../pass/delta-blocks.ts";
import { answerExactly, type ExactAnswers } from "./exact.ts";
import { correctionOf, parseQuestion } from "./exact-question.ts";

const bounds = fc.record({
  level: fc.constantFrom("none", "token", "sequence", "geometric"),
  upper: fc.option(fc.constantFrom(1.05, 1.5, 3)),
  lower: fc.option(fc.constantFrom(0.2, 0.7, 0.99)),
});
const questions: fc.Arbitrary<ExactQuestion> = fc.record({
  weights: bounds,
  mask: fc.tuple(bounds, fc.constantFrom("mask", "zero")).map(([of, action]) => ({ ...of, action })),
  veto: fc.option(fc.constantFrom(0.1, 0.5)),
}) as fc.Arbitrary<ExactQuestion>;
const sequences = fc.array(
  fc.record({
    deltas: fc.array(fc.constantFrom(-2, -0.5, -0.1, 0, 0.001, 0.3, 1.2), { maxLength: 8 }),
    correct: fc.constantFrom(0, 1, Number.NaN),
    step: fc.constantFrom(10, 20, 30, Number.NaN),
    reward: fc.constantFrom(-1, 0, 0.25, 0.251, 1, Number.NaN),
  }),
  { minLength: 2, maxLength: 12 },
);
type Row = { readonly deltas: readonly number[] } & Readonly<Record<"correct" | "step" | "reward", number>>;

function packed(rows: readonly Row[]): { deltas: Float64Array; offsets: Int32Array } {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach(({ deltas }, i) => {
    offsets[i + 1] = offsets[i]! + deltas.length;
  });
  return { deltas: Float64Array.from(rows.flatMap(({ deltas }) => deltas)), offsets };
}

function groupsOf(rows: readonly Row[]): ValueGroup[] {
  const counts = new Map<number, number>();
  for (const reward of rows.map((row) => roundedReward(row.reward)))
    if (!Number.isNaN(reward)) counts.set(reward, (counts.get(reward) ?? 0) + 1);
  return rewardGroups(counts);
}

async function* blocksOf(
  groups: readonly ValueGroup[],
  ...parts: readonly (readonly Row[])[]
): AsyncGenerator<DeltaBlock> {
  for (const rows of parts) {
    const { deltas, offsets } = packed(rows);
    const column = (name: "correct" | "step" | "reward"): Float64Array =>
      Float64Array.from(rows, (row) => row[name]);
    const columns = { step: column("step"), correct: column("correct"), reward: column("reward") };
    yield* partedBlocks(deltas, offsets, columns, groups);
  }
}

async function asked(question: ExactQuestion, rows: readonly Row[], cut = 1): Promise<ExactAnswers> {
  const rewards = groupsOf(rows);
  const at = cut % rows.length;
  const blocks = blocksOf(rewards, rows.slice(0, at), rows.slice(at));
  return answerExactly(question, { blocks, rewards, paths: ["dumps"], flags: [] });
}

function expectClose(actual: number | null | undefined, wanted: number | null): void {
  if (wanted === null || Number.isNaN(wanted)) expect(actual).toBeNull();
  else expect(actual).toBeCloseTo(wanted, 10);
}

/** Groups without tokens say nothing. */
function expectGroups(
  actual: readonly { from: number; to: number; tokens: number; dropped: number }[],
  wanted: readonly { from: number; to: number; tokens: number; dropped: number }[],
): void {
  const some = wanted.filter(({ tokens }) => tokens > 0);
  expect(actual.map(({ from, to, tokens }) => [from, to, tokens])).toEqual(
    some.map(({ from, to, tokens }) => [from, to, tokens]),
  );
  for (const [at, { dropped }] of some.entries()) expect(actual[at]!.dropped).toBeCloseTo(dropped, 10);
}

describe("an exact answer", () => {
  it("is what applyCorrection does to the tokens, in however many blocks", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, questions, fc.nat(), async (rows, question, cut) => {
        const { answer } = await asked(question, rows, cut);
        const { deltas, offsets } = packed(rows);
        const mask = new Uint8Array(deltas.length).fill(1);
        const applied = applyCorrection(
          { rollout: new Float64Array(deltas.length), trainer: deltas, mask, offsets },
          correctionOf(question),
        );
        const kept = [...applied.mask].map((bit, t) => bit === 1 && (applied.weights?.[t] ?? 1) !== 0);
        expect(answer.kept_tokens).toBe(kept.filter(Boolean).length);
        const rowOf = (t: number): number => offsets.findLastIndex((start) => start <= t);
        expect(answer.kept_sequences).toBe(new Set(kept.flatMap((is, t) => (is ? [rowOf(t)] : []))).size);
        const of = (value: number): number[] =>
          kept.flatMap((is, t) => (rows[rowOf(t)]!.correct === value ? [is ? 0 : 1] : []));
        const share = (drops: readonly number[]): number | null =>
          drops.length === 0 ? null : drops.reduce((a, b) => a + b, 0) / drops.length;
        for (const [value, said] of [
          [1, answer.dropped_right],
          [0, answer.dropped_wrong],
        ] as const) {
          const expected = share(of(value));
          if (expected === null) expect(said).toBeNull();
          else expect(said).toBeCloseTo(expected, 10);
        }
        const droppedOf = (wanted: (row: Row) => boolean): { tokens: number; dropped: number } => {
          const drops = kept.flatMap((is, t) => (wanted(rows[rowOf(t)]!) ? [is ? 0 : 1] : []));
          return { tokens: drops.length, dropped: share(drops) ?? 0 };
        };
        const groups = groupsOf(rows);
        const byReward = groups.map((group, at) => ({
          ...group,
          ...droppedOf(({ reward }) => rewardGroupOf(groups, reward) === at),
        }));
        expectGroups(answer.dropped_by_reward, byReward);
        const counts = new Float64Array(LENGTH_BUCKETS);
        for (const { deltas: own } of rows) if (own.length > 0) counts[lengthBucket(own.length)]!++;
        const byLength = lengthQuartiles(counts).map(({ from, to }) => ({
          from,
          to,
          ...droppedOf(({ deltas: own }) => own.length >= from && own.length <= to),
        }));
        expectGroups(answer.dropped_by_length, byLength);
      }),
      { numRuns: 120 },
    );
  });

  it("is the sum of its steps, and of some steps what those alone give", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, questions, fc.nat(), async (rows, question, cut) => {
        const { answer, steps } = await asked(question, rows, cut);
        for (const name of EXACT_COUNTS)
          expect(
            steps.counts[name].reduce((a, b) => a + b, 0),
            name,
          ).toBe(answer[name]);
        expect(steps.tokens.reduce((a, b) => a + b, 0)).toBe(packed(rows).deltas.length);
        for (const [at, step] of steps.steps.entries()) {
          if (step === null) continue;
          const part = rows.filter((row) => row.step === step);
          const alone = await asked(question, part);
          const ranged = await asked({ ...question, steps: [step, step] }, rows, cut);
          expect(ranged.steps).toEqual(steps);
          for (const name of EXACT_COUNTS) {
            expect(steps.counts[name][at], name).toBe(alone.answer[name]);
            expect(ranged.answer[name], name).toBe(alone.answer[name]);
          }
          for (const name of ["ess", "dropped_right", "dropped_wrong"] as const)
            expectClose(steps.figures[name][at], alone.answer[name]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("is not given to a question without sense", () => {
    const none = { level: "none" };
    expect(parseQuestion({ weights: none, mask: none })).toEqual({
      weights: { level: "none", upper: null, lower: null },
      mask: { level: "none", upper: null, lower: null },
      veto: null,
      steps: null,
    });
    expect(parseQuestion({ weights: none, mask: none, steps: [10, 30] }).steps).toEqual([10, 30]);
    for (const wrong of [
      null,
      {},
      { weights: none },
      { weights: none, mask: { level: "turn" } },
      { weights: none, mask: none, veto: -1 },
      { weights: none, mask: none, steps: "10..30" },
      { weights: none, mask: none, steps: [1] },
      { weights: none, mask: { level: "token", action: "drop" } },
      { weights: { level: "token", upper: "2" }, mask: none },
    ])
      expect(() => parseQuestion(wrong)).toThrow();
  });
});
