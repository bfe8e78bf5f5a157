import { describe, expect, it } from "vitest";
import { EXPECTED, FIXTURES, picture, readAll, readError } from "../read.test-data.ts";

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
    expect(run.sources[0]!.guessed).toEqual([
      "response mask: none is there, so every token counts as sampled",
    ]);
  });

  it("of a newer version is not guessed at", async () => {
    const error = await readError(fixture("newer.parquet"));
    expect(error._tag).toBe("VersionError");
    expect(error.message).toBe("the record has schema version 2, this logratio reads up to 1");
  });
});
