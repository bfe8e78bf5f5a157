import { describe, expect, it } from "vitest";
import { measureBoundaries } from "../features/boundaries.ts";
import { type GivenRow, makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineMasks } from "./masks.ts";

const examine = (rows: readonly GivenRow[]) => {
  const view = makeView(rows);
  const clues = examineMasks(view, measureBoundaries(view));
  const claimed = [...view.left].flatMap((left, i) => (left === LEFT_OUT.claimed ? i : []));
  return { clues, claimed, causes: clues.map(({ cause }) => cause) };
};
const repeat = (count: number, row: GivenRow): GivenRow[] => Array.from({ length: count }, () => row);
const OWN = [-0.2, -0.4, -0.3, -0.5];

describe("tool output that counts", () => {
  const run = (tool: readonly number[]): GivenRow => ({
    rollout: [...OWN, ...tool, ...OWN],
    trainer: [...OWN, ...tool.map(() => -6), ...OWN],
  });

  it("is three or more tokens in a row that the policy did not write, in three places", () => {
    const { clues, claimed } = examine(repeat(3, run([-5, -4, -7])));
    expect(clues).toMatchObject([
      { cause: "tool_tokens_unmasked", figures: { runs: 3, tokens: 9, zeros: 0, sequences: 3 } },
    ]);
    expect(clues[0]!.sentence).toBe(
      "3 runs of three or more tokens with mask 1 (9 tokens, 27.3 %) have trainer log-probs below −3 and rollout log-probs that are just as low: the policy did not write them.",
    );
    expect(clues[0]!.handles).toEqual(["s1.q0.t4", "s1.q0.t5", "s1.q0.t6", "s1.q1.t4", "s1.q1.t5"]);
    expect(claimed).toEqual([4, 5, 6, 15, 16, 17, 26, 27, 28]);
    expect(examine(repeat(2, run([-5, -4, -7]))).causes).toEqual([]);
    expect(examine(repeat(9, run([-5, -4]))).causes).toEqual([]);
    expect(examine(repeat(9, run([-5, -2, -7]))).causes).toEqual([]);
  });

  it("may be exactly 0 for the rollout; nearly half of all tokens are another fault", () => {
    const { clues } = examine(repeat(3, run([0, 0, 0])));
    expect(clues[0]!.sentence).toContain("and rollout log-probs of exactly 0: the policy did not write");
    expect(clues[0]!.figures.zeros).toBe(9);
    const long = run(Array.from({ length: 9 }, () => -5));
    expect(examine(repeat(4, long)).causes).toEqual([]);
  });

  it("is not told of a policy that is as often unsure outside of the runs", () => {
    // 4 of 11 other tokens are unlikely, so of 33 others in three rows 33 (4/11)³ = 1.6 runs are its own: 3 are too few.
    const unsure = [-5, -0.2, -5, -0.3, -5, -0.4, -5];
    const row = (tool: number) => ({
      rollout: [...OWN, ...unsure, tool, tool, tool],
      trainer: [...OWN, ...unsure.map((l) => l - 1), tool, tool, tool],
    });
    const { clues } = examine(
      repeat(3, { ...row(-6), trainer: [...OWN, ...unsure.map(() => -0.2), -6, -6, -6] }),
    );
    expect(clues.map(({ cause }) => cause)).toEqual(["tool_tokens_unmasked"]);
    expect(examine(repeat(3, row(-6))).causes).toEqual([]);
    expect(examine(repeat(3, row(0))).causes).toEqual([]);
  });

  it("is told from three runs, and ten times those expected by chance, on", () => {
    // 2 of a row's 12 other tokens are unlikely: 12 · (1/6)³ = 1/18 run. 7 rows hold 3 + 10 · 7/18 = 6.9 runs, 6 do not.
    const row = {
      rollout: [...OWN, ...OWN, -5, -0.2, -5, -0.3, -6, -6, -6],
      trainer: [...OWN, ...OWN, -5, -0.2, -5, -0.3, -6, -6, -6],
    };
    expect([6, 7].map((rows) => examine(repeat(rows, row)).causes)).toEqual([[], ["tool_tokens_unmasked"]]);
  });

  it("at the end of a sequence counts as well", () => {
    const row = { rollout: [...OWN, ...OWN, -5, -5, -5], trainer: [...OWN, ...OWN, -6, -6, -6] };
    expect(examine(repeat(3, row)).causes).toEqual(["tool_tokens_unmasked"]);
  });
});

describe("a mask that is moved by one token", () => {
  // Own tokens, two of tool output, own tokens.
  const logprobs = { rollout: [...OWN, 0, 0, ...OWN], trainer: [...OWN, -7, -8, ...OWN] };
  const EARLY = [1, 1, 1, 0, 0, 1, 1, 1, 1, 1];
  const LATE = [1, 1, 1, 1, 1, 0, 0, 1, 1, 1];
  const RIGHT = [1, 1, 1, 1, 0, 0, 1, 1, 1, 1];

  it("is told with its direction, from three gaps on", () => {
    const early = examine(repeat(3, { ...logprobs, mask: EARLY }));
    expect(early.clues).toMatchObject([
      { cause: "mask_shift", weight: 12, figures: { gaps: 3, moved: 3, direction: "early" } },
    ]);
    expect(early.clues[0]!.sentence).toBe(
      "At 3 of 3 gaps in the mask, the token right after the gap is tool output with mask 1, and the policy wrote the first token inside the gap: the mask is shifted by one token.",
    );
    expect(early.claimed).toEqual([5, 15, 25]);
    const late = examine(repeat(3, { ...logprobs, mask: LATE }));
    expect(late.clues[0]!.sentence).toContain("the token right before the gap is tool output");
    expect(late.clues[0]!.sentence).toContain("the policy wrote the last token inside the gap");
    expect(late.clues[0]!.figures.direction).toBe("late");
    expect(late.claimed).toEqual([4, 14, 24]);
    expect(examine(repeat(2, { ...logprobs, mask: EARLY })).causes).toEqual([]);
    expect(examine(repeat(9, { ...logprobs, mask: RIGHT })).causes).toEqual([]);
  });

  it("is not told where few of the gaps are", () => {
    const moved = (sound: number) =>
      examine([...repeat(3, { ...logprobs, mask: EARLY }), ...repeat(sound, { ...logprobs, mask: RIGHT })])
        .causes;
    expect([moved(7), moved(8)]).toEqual([["mask_shift"], []]);
  });
});

describe("the end of a sequence", () => {
  it("with padding that counts is told, and how unlikely that is", () => {
    const padded = { rollout: [...OWN, 0, 0], trainer: [...OWN, -8, -10] };
    const { clues, claimed } = examine(repeat(3, padded));
    expect(clues).toMatchObject([{ cause: "mask_past_eos", figures: { sequences: 3, tokens: 6, mean: -9 } }]);
    expect(clues[0]!.sentence).toMatch(
      /^3 sequences of 3 end with tokens of mask 1 whose rollout log-prob is exactly 0/,
    );
    expect(clues[0]!.sentence).toContain("(mean -9.00 nats)");
    expect(claimed).toEqual([4, 5, 10, 11, 16, 17]);
    expect(examine(repeat(2, padded)).causes).toEqual([]);
    const sound = { rollout: OWN };
    expect(examine([...repeat(3, padded), ...repeat(27, sound)]).causes).toEqual(["mask_past_eos"]);
    expect(examine([...repeat(3, padded), ...repeat(28, sound)]).causes).toEqual([]);
  });

  it("whose stop token does not count is told with the token", () => {
    const ending = (last: number, id = 2): GivenRow => ({
      rollout: [...OWN, 0],
      trainer: [...OWN, last],
      mask: [1, 1, 1, 1, 0],
      ids: Int32Array.of(7, 8, 9, 7, id),
    });
    const { clues } = examine(repeat(3, ending(-0.1)));
    expect(clues).toMatchObject([
      { cause: "eos_not_in_mask", figures: { token_id: 2, sequences: 3, unmasked: 3, share: 1 } },
    ]);
    expect(clues[0]!.sentence).toMatch(/^Token 2 ends 100 % of the sequences and has mask 0 in 3 of 3,/);
    expect(clues[0]!.handles).toEqual(["s1.q0.t4", "s1.q1.t4", "s1.q2.t4"]);
    expect(examine(repeat(2, ending(-0.1))).causes).toEqual([]);
    // Where the trainer finds it unlikely it is padding, and where ends differ it is no stop token.
    expect(examine(repeat(9, ending(-1.1))).causes).toEqual([]);
    expect(examine(Array.from({ length: 12 }, (_, id) => ending(-0.1, id))).causes).toEqual([]);
  });
});
