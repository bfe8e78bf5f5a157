import { describe, expect, it } from "vitest";
import {
  EXPECTED,
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
} from "../../../input/adapters/read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}slime/${name}`;
const NOT_THERE = ["topIds", "topLogprobs", "groups", "environments"] as const;

describe("slime and miles dumps", () => {
  it("version 2: samples in rollout order, raw rewards by position", async () => {
    const { batches } = await readAll(fixture("details/train_data/12.pt"));
    const [batch] = batches;
    expect(picture(batch!)).toEqual(expectedWithout(...NOT_THERE));
    expect([[...batch!.steps], [...batch!.ranks]]).toEqual([
      [12, 12, 12],
      [0, 1, 0],
    ]);
    expect(batch!.sampleIds).toEqual(["100", "101", "102"]);
    expect(batch!.provenance.trainer).toBe("slime");
  });

  it("version 1: one file per rank", async () => {
    const { batches, run } = await readAll(fixture("v1"));
    expect(run.sources.map(({ step, rank }) => [step, rank])).toEqual([
      [12, 0],
      [12, 1],
    ]);
    expect(batches.map(({ length }) => length)).toEqual([2, 1]);
    expect(picture(batches[1]!)).toMatchObject({
      responses: [EXPECTED.responses[1]],
      trainer: [EXPECTED.trainer[1]],
    });
    expect([...batches[0]!.rewards]).toEqual([0.75, 0.25]);
  });

  it("miles writes the same keys", async () => {
    const { batches } = await readAll(fixture("miles"));
    const { rewards: _, ...rest } = expectedWithout(...NOT_THERE);
    expect(picture(batches[0]!)).toMatchObject(rest);
    expect(batches[0]!.provenance.trainer).toBe("miles");
  });

  it("leaves out a sample whose arrays differ in length", async () => {
    const { batches, findings } = await readAll(fixture("uneven.pt"));
    expect(batches[0]!.length).toBe(2);
    expect(findings.map(({ code, message, at }) => [code, message, at.row])).toEqual([
      ["length-mismatch", `1 row cannot be read: trainer log-probs has 2 values, expected 3`, 1],
    ]);
  });

  it("joins the rollout dump of --dump-details to the training dump", async () => {
    const { run, findings, batches } = await readAll(fixture("details"));
    expect(run.sources).toHaveLength(1);
    expect(batches[0]!.groupIds).toEqual(["0", "0", "0"]);
    expect(batches[0]!.promptTexts).toEqual(["What?", "What?", "What?"]);
    expect(batches[0]!.finishReasons).toEqual(["stop", "length", "stop"]);
    expect(batches[0]!.cachedTokens).toEqual(Float64Array.of(2, Number.NaN, 0));
    expect([...batches[0]!.rewards]).toEqual(EXPECTED.rewards);
    expect(findings.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      [
        "note",
        "info",
        "1 file completes others of the run and is read with them: the first, rollout_data/12.pt, with train_data/12.pt",
      ],
    ]);
  });

  it.each([
    [
      "details/rollout_data",
      "MissingSideError",
      "this is a slime rollout dump: it does not hold the trainer's log-probs",
    ],
    ["no_trainer.pt", "MissingSideError", "this slime dump has no log_probs: the trainer side is missing"],
    [
      "miles_cp.pt",
      "MissingSideError",
      "this miles dump holds context-parallel slice 0 of 2 of each response; the file of context-parallel rank 1 is missing",
    ],
  ])("%s: %s", async (name, tag, message) => {
    const error = await readError(fixture(name));
    expect([error._tag, error.message]).toEqual([tag, message]);
    expect(error.hint).toBeDefined();
  });
});
