import { describe, expect, it } from "vitest";
import {
  EXPECTED,
  expectedWithout,
  FIXTURES,
  picture,
  readAll,
  readError,
  splitRows,
  withoutRepeats,
} from "../../../input/adapters/read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}prime-rl/${name}`;
const NOT_THERE = ["reference", "topIds", "topLogprobs", "groups"] as const;

describe("prime-rl token exports", () => {
  it("one step of one rank", async () => {
    const { batches, run, findings } = await readAll(fixture("token_exports/step_12"));
    const [batch] = batches;
    expect(picture(batch!)).toEqual(expectedWithout(...NOT_THERE));
    expect([[...batch!.steps], [...batch!.ranks]]).toEqual([
      [12, 12, 12],
      [0, 0, 0],
    ]);
    expect(batch!.sampleIds).toEqual(["0.0", "0.1", "0.2"]);
    expect(splitRows(batch!, batch!.positionIds)).toEqual([
      [3, 4, 5, 6, 7],
      [2, 3, 4],
      [4, 5],
    ]);
    expect(run.sources[0]).toMatchObject({ trainer: "prime-rl", step: 12, rank: 0, missing: [] });
    expect(run.name).toBe("prime-rl");
    expect(findings).toEqual([]);
  });

  it("a directory of steps and ranks, in order; a null is missing; an unfinished step is reported", async () => {
    const { batches, run, findings } = await readAll(fixture("token_exports"));
    expect(run.sources.map(({ step, rank }) => [step, rank])).toEqual([
      [12, 0],
      [13, 0],
      [13, 1],
      [14, 0],
    ]);
    const incomplete = batches[2]!;
    expect(splitRows(incomplete, incomplete.trainerLogprobs)).toEqual([
      [EXPECTED.trainer[1]![0], EXPECTED.trainer[1]![1], Number.NaN],
    ]);
    expect(withoutRepeats(findings).map(({ code, severity, message }) => [code, severity, message])).toEqual([
      [
        "note",
        "warning",
        "1 prime-rl file is in a folder without the STABLE marker: the step may be incomplete",
      ],
      ["non-finite", "warning", "1 trainer log-prob is missing or NaN where the mask is 1"],
      [
        "partial-line",
        "skipped",
        `1 row cannot be read: the last line is cut off: 200 bytes without a closing brace`,
      ],
    ]);
  });

  it("does not guess at a newer schema", async () => {
    const error = await readError(fixture("newer.jsonl"));
    expect(error._tag).toBe("UnsupportedError");
    expect(error.message).toBe("prime-rl token export has schema_version 2; logratio knows 1");
  });
});
