import { describe, expect, it } from "vitest";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { examineMissing } from "./missing.ts";

const { NaN: LOST } = Number;
const examine = (rows: readonly GivenRow[]) => examineMissing(makeView(rows));

describe("log-probs that are NaN or infinite", () => {
  it("are counted by side among the tokens with mask 1, with the first of each stretch", () => {
    const clues = examine([
      { rollout: [-1, LOST, LOST, -1], mask: [1, 1, 0, 1] },
      { rollout: [-1, -1, -1, -1], trainer: [-1, Number.NEGATIVE_INFINITY, -1, LOST] },
    ]);
    expect(clues.map(({ sentence }) => sentence)).toEqual([
      "1 rollout log-prob (14.3 % of the tokens with mask 1) is NaN or infinite, in 1 sequence.",
      "3 trainer log-probs (42.9 % of the tokens with mask 1) are NaN or infinite, in 2 sequences.",
    ]);
    expect(clues.map(({ cause, handles }) => [cause, handles])).toEqual([
      ["nan_logprobs", ["s1.q0.t1"]],
      ["nan_logprobs", ["s1.q0.t1", "s1.q1.t1", "s1.q1.t3"]],
    ]);
    expect(clues[1]!.figures).toEqual({ tokens: 3, share: 3 / 7, sequences: 2 });
    expect(examine([{ rollout: [-1, -1] }])).toEqual([]);
    expect(examine([{ rollout: [LOST], mask: [0] }])).toEqual([]);
  });

  it("of the trainer, to the end of two sequences or more, are an overflow", () => {
    const row = (...trainer: number[]): GivenRow => ({ rollout: trainer.map(() => -1), trainer });
    const ends = row(-1, LOST, LOST);
    const hasOverflow = (...rows: GivenRow[]) => examine(rows).find(({ cause }) => cause === "fp16_overflow");
    expect(hasOverflow(ends, ends)!.sentence).toMatch(
      /^In 2 of 2 sequences where trainer log-probs go missing midway, every trainer log-prob from the first/,
    );
    expect(hasOverflow(ends, ends)!.figures).toEqual({ sequences_to_end: 2, sequences: 2, tokens: 4 });
    expect(hasOverflow(ends)).toBeUndefined();
    expect(hasOverflow(ends, ends, row(-1, LOST, -1))).toBeUndefined();
    expect(hasOverflow(ends, ends, row(LOST, -1, LOST))).toBeUndefined();
    // Rows without any are another matter.
    expect(hasOverflow(ends, ends, row(LOST, LOST, LOST))).toBeDefined();
    expect(hasOverflow(...Array.from({ length: 9 }, () => ends), row(LOST, -1))).toBeDefined();
    const rollout = [-1, LOST, LOST];
    expect(
      examine([
        { rollout, trainer: [-1, -1, -1] },
        { rollout, trainer: [-1, -1, -1] },
      ]),
    ).toHaveLength(1);
  });
});
