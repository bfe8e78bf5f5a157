import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyCorrection } from "../../corrections/apply.ts";
import type { ExactQuestion } from "../../protocol/view.ts";
import { answerExactly, correctionOf, type DeltaBlock, parseQuestion } from "./exact.ts";

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
  }),
  { minLength: 2, maxLength: 12 },
);

function blockOf(
  rows: readonly { readonly deltas: readonly number[]; readonly correct: number }[],
): DeltaBlock {
  const offsets = new Int32Array(rows.length + 1);
  rows.forEach(({ deltas }, i) => {
    offsets[i + 1] = offsets[i]! + deltas.length;
  });
  return {
    deltas: Float64Array.from(rows.flatMap(({ deltas }) => deltas)),
    offsets,
    correct: Float64Array.from(rows, ({ correct }) => correct),
  };
}

async function* blocksOf(...blocks: readonly DeltaBlock[]): AsyncGenerator<DeltaBlock> {
  yield* blocks;
}

describe("an exact answer", () => {
  it("is what applyCorrection does to the tokens, in however many blocks", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, questions, fc.nat(), async (rows, question, cut) => {
        const at = cut % rows.length;
        const blocks = blocksOf(blockOf(rows.slice(0, at)), blockOf(rows.slice(at)));
        const answer = await answerExactly(question, { blocks, paths: ["dumps"], flags: [] });
        const { deltas, offsets, correct } = blockOf(rows);
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
          kept.flatMap((is, t) => (correct[rowOf(t)] === value ? [is ? 0 : 1] : []));
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
      }),
      { numRuns: 200 },
    );
  });

  it("is not given to a question without sense", () => {
    const none = { level: "none" };
    expect(parseQuestion({ weights: none, mask: none })).toEqual({
      weights: { level: "none", upper: null, lower: null },
      mask: { level: "none", upper: null, lower: null },
      veto: null,
    });
    for (const wrong of [
      null,
      {},
      { weights: none },
      { weights: none, mask: { level: "turn" } },
      { weights: none, mask: none, veto: -1 },
      { weights: none, mask: { level: "token", action: "drop" } },
      { weights: { level: "token", upper: "2" }, mask: none },
    ])
      expect(() => parseQuestion(wrong)).toThrow();
  });
});
