import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { reportRun } from "../runs/report-run.ts";
import { eventsOf } from "./events.ts";
import { RunSummary } from "./run-summary.ts";

const DEMO = fileURLToPath(new URL("../../../examples/demo", import.meta.url));

/** More large tokens than are kept, many of them off by the same. */
function drawBatch(file: string, seed: number): RecordBatch {
  const rows = Array.from({ length: 40 }, (_, row) => {
    const deltas = Array.from({ length: 50 }, (_, t) => ((((row + seed) * 31 + t * 17) % 41) - 20) / 8);
    return { deltas: deltas.join(" "), step: row % 3, tokenIds: deltas.map((_, t) => (row + t) % 5) };
  });
  return {
    ...recordBatch(rows, file),
    groupIds: rows.map((_, row) => `g${row % 7}`),
    advantages: Float32Array.from({ length: 2000 }, (_, i) => ((i * 13 + seed) % 9) / 4 - 1),
  };
}

describe("of a run with more large tokens than are kept, mistakes", () => {
  const files = ["a.npz", "b.npz", "c.npz"].map((file, seed) => drawBatch(file, seed));
  const sum = (batches: readonly RecordBatch[], engine?: "scalar"): RunSummary => {
    const summary = new RunSummary(engine && { engine });
    for (const batch of batches) summary.add(batch);
    return summary;
  };

  it("hang neither on the order of files nor on how they were summed", () => {
    const whole = sum(files);
    expect(eventsOf(whole)).toMatchObject({ rank: "gradient" });
    expect(eventsOf(whole).tokens_kept).toBeLessThan(eventsOf(whole).tokens);
    const [a, b, c] = files as [RecordBatch, RecordBatch, RecordBatch];
    for (const [first, ...others] of [
      [[c], [a, b]],
      [[b], [c], [a]],
      [[a, c], [b]],
    ]) {
      const merged = sum(first!);
      for (const other of others) merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(sum(other)))));
      expect(eventsOf(merged)).toEqual(eventsOf(whole));
      expect(JSON.stringify(merged)).toBe(JSON.stringify(whole));
    }
    expect(JSON.stringify(sum(files, "scalar"))).toBe(JSON.stringify(whole));
  });
});

describe("the mistakes of the example run", () => {
  it("are one in 7 of the 8 answers to a prompt, outside of the gradient, and what reaches it", async () => {
    const { assessment, gradient, worst_sequences } = await reportRun([`${DEMO}/stale`]);
    const { rank, list, by_raw } = assessment.events;
    expect(by_raw[0]).toMatchObject({
      ...{ handle: "s30.q48.t39", steps: [30], tokens: 7, answers: 7, of_answers: 8, turn: 1 },
      ...{ answers_right: 0, answers_wrong: 7, reaches_gradient: 0, advantage: 0 },
    });
    // One event, which is five of the five worst sequences.
    expect(worst_sequences.slice(0, 5).every(({ handle }) => /^s30\.q(4[89]|5\d)$/.test(handle))).toBe(true);
    expect(by_raw[0]!.k3_share).toBeCloseTo(0.752, 3);
    const [sampled, other] = [...by_raw[0]!.alternatives].sort(
      (a, b) => Number(b.sampled) - Number(a.sampled),
    );
    expect(sampled!.rollout_probability).toBeCloseTo(0.983, 3);
    expect(sampled!.trainer_probability).toBeCloseTo(2.2e-5, 6);
    expect(other!.rollout_probability).toBeCloseTo(0.0159, 4);
    expect(other!.trainer_probability).toBeCloseTo(0.9999, 4);
    expect(rank).toBe("gradient");
    expect(list[0]).toMatchObject({ handle: gradient!.worst_tokens[0]!.handle, answers: 1, of_answers: 8 });
  });

  it("have their text and that of the alternatives from a tokenizer", async () => {
    const { assessment } = await reportRun([`${DEMO}/stale`], { tokenizer: `${DEMO}/tokenizer` });
    const [event] = assessment.events.by_raw;
    expect(event!.text).toEqual({
      before: expect.stringMatching(/ so 110\.\nTherefore x = 1$/),
      token: "0",
      after: "0. #### 100<eos>",
      prompt: "Question: Solve x - 86 = 24. What is x?",
    });
    expect(event!.text!.before.length).toBeLessThanOrEqual(40);
    expect(event!.alternatives.slice(0, 2).map(({ text, sampled }) => [text, sampled])).toEqual([
      ["1", false],
      ["0", true],
    ]);
  });
});
