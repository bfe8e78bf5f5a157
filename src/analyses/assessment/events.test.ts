import { describe, expect, it } from "vitest";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { MistakeEvents } from "../../results/events.ts";
import { buildReport } from "../report/build-report.ts";
import { RunSummary } from "../report/run-summary.ts";

/** Answers `[rows]` to one prompt, unless `groups` says otherwise. */
function findIn(
  answers: readonly SequencePicture[],
  more: Partial<RecordBatch> = {},
  engine: "wasm" | "scalar" = "wasm",
): MistakeEvents {
  const batch = { ...recordBatch(answers), groupIds: answers.map(() => "asked"), ...more };
  const summary = new RunSummary({ engine });
  summary.add(batch);
  return buildReport({ run: "drawn", paths: [], summary, parity: [], findings: [], sources: [] }).assessment
    .events;
}

const answer = (deltas: string, tokenIds: readonly number[], correct = 0): SequencePicture => ({
  deltas,
  tokenIds,
  correct,
  step: 3,
});

describe("mistakes", () => {
  it("that answers to a prompt share are one, wherever they are in the answer", () => {
    const { list, count, tokens, tokens_kept } = findIn([
      answer("0 0 0 0 -5", [9, 1, 2, 3, 4]),
      answer("0 0 0 -3", [1, 2, 3, 4], 1),
      answer("0 0 0 -4 0", [1, 2, 3, 5, 6]),
      answer("0 0 0", [1, 2, 3], 1),
    ]);
    expect(list[0]).toMatchObject({
      ...{ handle: "s3.q0.t4", steps: [3], tokens: 2, answers: 2, of_answers: 4 },
      ...{ answers_right: 1, answers_wrong: 1, turn: 0, token: 4, token_id: 4, delta: -5 },
      ...{ delta_abs_sum: 8, delta_abs_share: 8 / 12, reaches_gradient: null, gradient_share: null },
      context: { before_ids: [9, 1, 2, 3], after_ids: [], prompt_ids: [], prompt_tokens: 0 },
    });
    expect(list[1]).toMatchObject({ handle: "s3.q2.t3", answers: 1, delta_abs_sum: 4 });
    expect([count, tokens, tokens_kept]).toEqual([2, 3, 3]);
  });

  it("are one where tokens in a row are off, and where one of them is shared", () => {
    const { list, count } = findIn([
      answer("0 0 0 -2 0 -3 2", [1, 2, 3, 4, 5, 6, 7]),
      answer("0 0 0 -2 0 0 0", [1, 2, 3, 4, 8, 8, 8]),
    ]);
    expect(count).toBe(1);
    expect(list[0]).toMatchObject({ tokens: 4, answers: 2, handle: "s3.q0.t5", delta_abs_sum: 9 });
  });

  it("are two where they are far apart in one answer, or in answers to different prompts", () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(findIn([answer("-2 0 0 -2", ids.slice(0, 4))]).count).toBe(2);
    const apart = [answer("0 0 0 -2", [1, 2, 3, 4]), answer("0 0 0 -2", [1, 2, 3, 4])];
    expect(findIn(apart).count).toBe(1);
    const events = findIn(apart, { groupIds: ["one", "other"] });
    expect(events.list.map(({ answers, of_answers }) => [answers, of_answers])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it("are told by their position where ids are missing, and answers are not counted without prompts", () => {
    const answers = ["0 0 -2 0", "0 0 -2.5 0", "-3 0 0 0"].map((deltas) => ({ deltas, step: 3 }));
    const { list } = findIn(answers);
    expect(list.map((event) => [event.answers, event.token, event.token_id, event.context])).toEqual([
      [2, 2, null, null],
      [1, 0, null, null],
    ]);
    const apart = findIn(answers, { groupIds: answers.map(() => undefined) });
    expect(apart.list.map((event) => [event.answers, event.of_answers])).toEqual([
      [1, null],
      [1, null],
      [1, null],
    ]);
  });

  it("are one across steps if the prompt is the same, and not if only its group's name is", () => {
    const answers = [3, 4].map((step) => ({ ...answer("0 0 0 -2", [1, 2, 3, 4]), step }));
    expect(findIn(answers).list.map(({ steps }) => steps)).toEqual([[3], [4]]);
    const prompts = { promptOffsets: Int32Array.of(0, 2, 4), promptTokenIds: Int32Array.of(7, 8, 7, 8) };
    expect(findIn(answers, prompts).list).toMatchObject([
      { steps: [3, 4], answers: 2, of_answers: 2, context: { prompt_ids: [7, 8], prompt_tokens: 2 } },
    ]);
  });

  it("rank by what reaches the gradient, and say so where nothing does", () => {
    const answers = [answer("0 0 0 -6", [1, 2, 3, 4]), answer("0 0 0 1", [1, 2, 3, 5])];
    const { rank, list, by_raw } = findIn(answers, { advantages: Float32Array.of(0, 0, 0, 0, 2, 2, 2, 2) });
    expect(rank).toBe("gradient");
    expect(list.map(({ handle }) => handle)).toEqual(["s3.q1.t3", "s3.q0.t3"]);
    expect(list[0]!.reaches_gradient).toBeCloseTo(2 * (Math.E - 1), 9);
    expect(list[0]!.gradient_share).toBeCloseTo(1, 9);
    expect(by_raw[0]).toMatchObject({
      handle: "s3.q0.t3",
      reaches_gradient: 0,
      gradient_share: 0,
      advantage: 0,
    });
    const none = findIn(answers, { advantages: new Float32Array(8) });
    expect(none).toMatchObject({ rank: "raw", list: [{ handle: "s3.q0.t3" }, { handle: "s3.q1.t3" }] });
  });

  it("are none where no ratio is outside of [1/2, 2], or where no token of that size counts", () => {
    const { list, by_raw, count } = findIn([answer("0.69 -0.69 | 9 9", [1, 2, 3, 4])]);
    expect([list, by_raw, count]).toEqual([[], [], 0]);
  });

  it("have the texts and alternatives of their source", () => {
    const answers = [answer("0 -2 0", [-1, -1, -1])];
    const topK = { k: 2, ids: Int32Array.of(-1, -1, 5, 6, -1, -1), logprobs: new Float32Array(6).fill(-1) };
    const { list } = findIn(answers, {
      tokenTexts: [["x = ", "1", "0."]],
      promptTexts: ["Solve x"],
      topK: { trainer: topK },
    });
    expect(list[0]!.text).toEqual({ before: "x = ", token: "1", after: "0.", prompt: "Solve x" });
    const shown = list[0]!.alternatives.map(({ token_id: id, sampled, rollout_probability: p }) => [
      id,
      sampled,
      p,
    ]);
    expect(shown).toEqual([
      [null, true, expect.closeTo(Math.exp(-1), 9)],
      [5, false, null],
      [6, false, null],
    ]);
  });

  it("are the same from the kernel and from the reference implementation", () => {
    const answers = Array.from({ length: 40 }, (_, row) =>
      answer(`${row % 3} -${row % 7} 0.${row} ${(row % 5) - 2.5}`, [row % 4, 2, row % 2, 1]),
    );
    const advantages = Float32Array.from({ length: 160 }, (_, i) => (i % 3) - 1);
    expect(findIn(answers, { advantages })).toEqual(findIn(answers, { advantages }, "scalar"));
  });
});
