import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { EXPECTED, FIXTURES, picture, readAll, readError, withoutRepeats } from "../read.test-data.ts";

const fixture = (name: string): string => `${FIXTURES}record/${name}`;

describe("the record as a trainer writes it with pyarrow", () => {
  it("with all columns", async () => {
    const { batches, run, findings } = await readAll(fixture("pyarrow.parquet"));
    expect(picture(batches[0]!)).toEqual(EXPECTED);
    expect([...batches[0]!.steps]).toEqual([12, 12, 12]);
    expect(batches[0]!.provenance).toEqual({
      file: fixture("pyarrow.parquet"),
      format: "parquet",
      trainer: "record",
      alignment: "token",
    });
    expect(run.sources[0]).toMatchObject({ trainer: "record", step: 12, guessed: [] });
    expect(findings).toEqual([]);
  });

  it("with the two log-prob columns alone", async () => {
    const { batches, run } = await readAll(fixture("least.parquet"));
    const { rollout, trainer, masks } = picture(batches[0]!);
    expect({ rollout, trainer }).toEqual({ rollout: EXPECTED.rollout, trainer: EXPECTED.trainer });
    expect(masks).toEqual(EXPECTED.masks.map((row) => row.map(() => 1)));
    expect(batches[0]!.rolloutLogprobs).toBeInstanceOf(Float32Array);
    expect(run.sources[0]!.guessed).toEqual(["response mask: not present, so every token counts as sampled"]);
  });

  it("columns that the user names come before those of the layout", async () => {
    const mapping = { rollout: "trainer_logprobs", trainer: "rollout_logprobs" };
    const { batches, run } = await readAll(fixture("least.parquet"), { mapping });
    const { rollout, trainer } = picture(batches[0]!);
    expect({ rollout, trainer }).toEqual({ rollout: EXPECTED.trainer, trainer: EXPECTED.rollout });
    expect(run.sources[0]!.trainer).toBe("generic");
  });

  it("says what a row cannot keep", async () => {
    const path = join(temporaryFolder("record-"), "rows.jsonl");
    const row = { rollout_logprobs: [-1, -2], trainer_logprobs: [-1, -2] };
    const ragged = { "topk_ids.rollout": [1, 2, 3], "topk_logprobs.rollout": [-1, -2, -3] };
    const rows = [
      { ...row, response_mask: [1, 1] },
      { ...row, response_mask: null, ...ragged },
    ];
    writeFileSync(path, `${rows.map((each) => JSON.stringify(each)).join("\n")}\n`);
    const { batches, findings } = await readAll(path);
    expect([...batches[0]!.responseMask]).toEqual([1, 1, 1, 1]);
    expect(batches[0]!.topK).toEqual({});
    expect(withoutRepeats(findings).map(({ message, at }) => [message, at.row])).toEqual([
      ["1 row has a null response_mask: all its tokens count as sampled", 1],
      ["1 row has top-k lists of unequal length for rollout: left out", 1],
    ]);
  });

  it("of a newer version is not guessed at", async () => {
    const error = await readError(fixture("newer.parquet"));
    expect(error._tag).toBe("VersionError");
    expect(error.message).toBe("the record has schema version 2; this logratio reads up to 1");
  });
});
