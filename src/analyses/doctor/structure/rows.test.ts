import { describe, expect, it } from "vitest";
import { makeView } from "../sample/view.test-data.ts";
import { LEFT_OUT } from "../sample/view.ts";
import { examineRows } from "./rows.ts";

const draw = (row: number, length = 20): number[] =>
  Array.from({ length }, (_, t) => -0.1 - ((row * 37 + t * t * 11 + t * row * 5) % 53) / 20);
/** Rows whose rollout column is that of row `from[q]`. */
const swap = (from: readonly number[], group: (row: number) => number = () => 0, step = (_: number) => 1) =>
  makeView(
    from.map((other, row) => ({
      rollout: draw(other),
      trainer: draw(row),
      group: group(row),
      step: step(row),
    })),
  );

describe("rows whose rollout column is another row's", () => {
  it("are told with how many share their prompt, and claimed", () => {
    const view = swap([1, 0, 3, 2, 4, 5], (row) => Math.floor(row / 2));
    const clues = examineRows(view);
    expect(clues.map(({ cause }) => cause)).toEqual(["rows_shuffled_group", "rows_shuffled_batch"]);
    expect(clues[0]!.weight - clues[1]!.weight).toBeCloseTo(4, 9);
    expect(clues[0]!.sentence).toBe(
      "4 sequences of 6 (66.7 %) have rollout log-probs that match the trainer log-probs of another sequence, not their own. 100 % of these pairs share a prompt.",
    );
    expect(clues[0]!.figures).toEqual({ matched: 4, unfit: 4, sequences: 6, same_prompt_share: 1 });
    expect(clues[0]!.handles).toEqual(["s1.q0", "s1.q1", "s1.q1", "s1.q0", "s1.q2"]);
    const claimed = [0, 1, 2, 3, 4, 5].map((row) => view.left[view.span(row)[0]] === LEFT_OUT.claimed);
    expect(claimed).toEqual([true, true, true, true, false, false]);
  });

  it("of other prompts were swapped in the whole batch", () => {
    const [group, batch] = examineRows(swap([1, 2, 3, 0], (row) => row));
    expect(batch!.weight - group!.weight).toBeCloseTo(4, 9);
    expect(group!.figures.same_prompt_share).toBe(0);
  });

  it("are three at least, of one step, and half of those that do not fit", () => {
    expect(examineRows(swap([1, 0, 2, 3]))).toEqual([]);
    expect(examineRows(swap([1, 2, 0, 3]))).toHaveLength(2);
    expect(examineRows(swap([1, 2, 0, 3], undefined, (row) => row))).toEqual([]);
    expect(examineRows(swap([0, 1, 2, 3]))).toEqual([]);
    // Rows that fit nobody: three more are as many as those that were swapped, four are more.
    expect(examineRows(swap([1, 2, 0, 50, 51, 52]))).toHaveLength(2);
    expect(examineRows(swap([1, 2, 0, 49, 50, 51, 52]))).toEqual([]);
  });

  it("are long enough to tell", () => {
    const view = (length: number) =>
      makeView([1, 2, 0].map((other, row) => ({ rollout: draw(other, length), trainer: draw(row, length) })));
    expect([examineRows(view(7)).length, examineRows(view(8)).length]).toEqual([0, 2]);
  });
});
