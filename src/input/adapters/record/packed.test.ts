import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { EXPECTED, FIXTURES, picture, readAll, readError } from "../read.test-data.ts";

const FILE = `${FIXTURES}record/recorder.safetensors`;

interface Column {
  readonly dtype: string;
  shape: number[];
  bytes: Buffer;
}

interface Parts {
  readonly columns: Record<string, Column>;
  readonly metadata: Record<string, string>;
}

/** The recorder's file with something changed. */
function change(edit: (parts: Parts) => void): string {
  const raw = readFileSync(FILE);
  const size = Number(raw.readBigUInt64LE());
  const { __metadata__: metadata, ...header } = JSON.parse(raw.toString("utf8", 8, 8 + size)) as Record<
    string,
    { dtype: string; shape: number[]; data_offsets: [number, number] }
  > & { __metadata__: Record<string, string> };
  const body = raw.subarray(8 + size);
  const columns: Record<string, Column> = {};
  for (const [name, { dtype, shape, data_offsets: at }] of Object.entries(header)) {
    columns[name] = { dtype, shape, bytes: Buffer.from(body.subarray(...at)) };
  }
  edit({ columns, metadata });
  let at = 0;
  const laid = Object.entries(columns).map(([name, { dtype, shape, bytes }]) => {
    const start = at;
    at += bytes.length;
    return [name, { dtype, shape, data_offsets: [start, at] }] as const;
  });
  const encoded = Buffer.from(JSON.stringify({ __metadata__: metadata, ...Object.fromEntries(laid) }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(encoded.length));
  const path = join(temporaryFolder("packed-"), "step_1.rank_0.call_0.safetensors");
  writeFileSync(path, Buffer.concat([length, encoded, ...Object.values(columns).map(({ bytes }) => bytes)]));
  return path;
}

describe("the packed record as the Python recorder writes it", () => {
  it("with all columns", async () => {
    const { batches, run, findings } = await readAll(FILE);
    const [batch] = batches;
    expect(picture(batch!)).toEqual(EXPECTED);
    expect([[...batch!.steps], [...batch!.ranks], [...batch!.rows]]).toEqual([
      [12, 12, 12],
      [3, 3, 3],
      [0, 1, 2],
    ]);
    expect(batch!.provenance).toEqual({
      file: FILE,
      format: "safetensors",
      trainer: "recorder",
      alignment: "token",
    });
    // Ten to each token, all of them equally likely.
    expect(batch!.digitLogprobs).toEqual(new Float32Array(100).fill(Math.fround(Math.log(0.1))));
    expect(batch!.sampling).toEqual({
      temperature: 0.7,
      topP: 0.95,
      minP: 0.05,
      repetitionPenalty: 1.1,
      logprobsMode: "processed_logprobs",
    });
    expect(batch!.sides).toEqual({
      rollout: { software: "vllm 0.11.0", topology: "tp4" },
      trainer: { weights: "sha256:ab" },
    });
    expect(batch!.finishReasons).toEqual(["stop", undefined, "length"]);
    expect(batch!.engineIds).toEqual(["engine-0", "engine-1", "engine-0"]);
    expect(batch!.cachedTokens).toEqual(Float64Array.of(2, NaN, 0));
    expect(batch!.keptMass).toEqual(new Float32Array(10).fill(0.95));
    expect(batch!.routeAgreement).toEqual(new Float32Array(10).fill(0.5));
    expect([[...batch!.trainerPromptTokenIds!], [...batch!.trainerPromptOffsets!]]).toEqual([
      [7, 8, 9],
      [0, 1, 1, 3],
    ]);
    expect(run.sources[0]).toMatchObject({ trainer: "record", step: 12, rank: 3, guessed: [] });
    expect(findings).toEqual([]);
  });

  it("with the recorder that wrote it, of the whole file or of each sequence", async () => {
    const whole = change(({ metadata }) => {
      metadata.recorder = "0123456789abcdef".repeat(2);
    });
    expect((await readAll(whole)).batches[0]!.recorders).toEqual(
      new Array(3).fill("0123456789abcdef".repeat(2)),
    );
    const each = change(({ columns }) => {
      columns.recorder = { dtype: "U8", shape: [3], bytes: Buffer.from("abc") };
      const offsets = BigInt64Array.of(0n, 2n, 2n, 3n);
      columns["recorder.offsets"] = { dtype: "I64", shape: [4], bytes: Buffer.from(offsets.buffer) };
    });
    expect((await readAll(each)).batches[0]!.recorders).toEqual(["ab", undefined, "c"]);
  });

  it("without any metadata: version 1, and the step of its name", async () => {
    const bare = change(({ metadata }) => {
      for (const name of Object.keys(metadata)) delete metadata[name];
    });
    const { batches, run } = await readAll(bare);
    expect(batches.map(picture)).toEqual([EXPECTED]);
    expect([[...batches[0]!.steps], [...batches[0]!.ranks]]).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
    expect(run.sources[0]).toMatchObject({ trainer: "record", step: 1, rank: 0 });
    const descending = change(({ columns, metadata }) => {
      for (const name of Object.keys(metadata)) delete metadata[name];
      columns.response_offsets!.bytes.writeBigInt64LE(99n, 8);
    });
    expect((await readError(descending)).message).toBe("response_offsets does not ascend from 0");
  });

  it("in blocks of any size", async () => {
    for (const batchTokens of [1, 4, 6, 100]) {
      const { batches } = await readAll(FILE, { batchTokens });
      expect(batches.flatMap((batch) => picture(batch).rollout)).toEqual(EXPECTED.rollout);
      expect(batches.flatMap((batch) => picture(batch).prompts)).toEqual(EXPECTED.prompts);
      expect(batches.flatMap((batch) => picture(batch).topIds)).toEqual(EXPECTED.topIds);
      expect(batches.flatMap((batch) => [...(batch.trainerPromptTokenIds ?? [])])).toEqual([7, 8, 9]);
      expect(batches.flatMap((batch) => batch.finishReasons ?? [undefined])).toEqual([
        "stop",
        undefined,
        "length",
      ]);
    }
  });

  it("with one policy alone", async () => {
    const path = change(({ columns }) => {
      delete columns.trainer_logprobs;
    });
    const { batches, run } = await readAll(path, { onePolicy: true });
    expect([run.onePolicy?.has, batches[0]!.trainerLogprobs]).toEqual(["rollout", undefined]);
    expect((await readError(path)).message).toBe(
      "the record has no trainer_logprobs: it holds one policy only",
    );
  });

  it("of a newer version is not guessed at", async () => {
    const error = await readError(
      change(({ metadata }) => {
        metadata["logratio.schema_version"] = "2";
      }),
    );
    expect(error.message).toBe("the record has schema version 2; this logratio reads up to 1");
  });

  it("whose offsets do not ascend", async () => {
    const error = await readError(
      change(({ columns }) => {
        columns.response_offsets!.bytes.writeBigInt64LE(99n, 8);
      }),
    );
    expect(error).toMatchObject({
      _tag: "SchemaError",
      message: "response_offsets does not ascend from 0",
      at: { entry: "response_offsets" },
      hint: "write the running sum of the lengths, with a 0 before the first",
    });
  });

  it.each([
    ["rollout_logprobs", [10], [9], "rollout_logprobs has 9 values, expected 10"],
    ["reward", [3], [2], "reward has 2 values, expected 3"],
    ["group_id.offsets", [4], [3], "group_id.offsets has 3 values, expected 4"],
    ["group_id", [6], [5], "group_id has 5 values, expected 6"],
    ["prompt_token_ids", [9], [8], "prompt_token_ids has 8 values, expected 9"],
    ["prompt_offsets", [4], [3], "prompt_offsets has 3 values, expected 4"],
  ])("whose %s is too short", async (name, before, after, message) => {
    const error = await readError(
      change(({ columns }) => {
        const column = columns[name]!;
        expect(column.shape).toEqual(before);
        column.shape = after;
        column.bytes = column.bytes.subarray(0, (column.bytes.length / before[0]!) * after[0]!);
      }),
    );
    expect(error).toMatchObject({ _tag: "LengthMismatchError", message, at: { entry: name } });
  });

  it("whose column is not flat", async () => {
    const error = await readError(
      change(({ columns }) => {
        columns.reward!.shape = [3, 1];
      }),
    );
    expect(error.message).toBe("reward is float64 [3, 1], not one flat array");
  });
});
