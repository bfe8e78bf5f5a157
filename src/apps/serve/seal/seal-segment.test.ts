import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { encodeBatch, makeBatch } from "../../../../bench/support/serve-load.mjs";
import { openRun } from "../../../ingest/open-run.ts";
import { runPlaces } from "../../../input/batch-log/places/index.ts";
import { scanSegment } from "../../../input/batch-log/scan-segment.ts";
import { type ClosedSegment, RunLog } from "../log/run-log.ts";
import { readKeys } from "../store/key-index.ts";
import { sealSegment } from "./seal-segment.ts";
import type { SealTask } from "./seal-task.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "seal-"));
  await mkdir(runPlaces(folder).own);
});
afterEach(() => rm(folder, { recursive: true }));

interface Given {
  readonly step: number;
  readonly rank: number;
  readonly body: Buffer;
}

async function writeSegment(next: number, batches: readonly Given[]): Promise<SealTask> {
  const closed: ClosedSegment[] = [];
  const { own } = runPlaces(folder);
  const log = new RunLog({
    ...{ folder: own, next, segmentBytes: 1 << 30, segmentAgeMs: 3_600_000 },
    onClosed: (segment) => closed.push(segment),
  });
  for (const { step, rank, body } of batches) {
    const sha256 = createHash("sha256").update(body).digest("hex");
    await log.append({ step, rank, call: 0, sha256 }, [body], body.length);
  }
  await log.closeSegment();
  return { run: "run", folder, segment: next, bytes: closed[0]!.bytes, repeated: [], isLast: true };
}

const given = (step: number, rank: number, tokens: number): Given => ({
  step,
  rank,
  body: makeBatch({ step, rank, sequences: 3, tokens }),
});

async function readRows(): Promise<string[]> {
  const rows: string[] = [];
  for await (const batch of (await openRun([folder])).batches()) {
    for (let row = 0; row < batch.length; row++) {
      const tokens = batch.rolloutLogprobs!.subarray(batch.offsets[row], batch.offsets[row + 1]);
      rows.push(
        `${batch.steps[row]} ${batch.ranks[row]} ${batch.sampleIds[row]} ${tokens.length} ${[...tokens].slice(0, 3)}`,
      );
    }
  }
  return rows;
}

it("makes one part of many batches, with each row's step, rank, texts and tokens", async () => {
  const batches = [given(2, 1, 7), given(1, 0, 5), given(2, 0, 9), given(1, 1, 1)];
  const reply = await sealSegment(await writeSegment(1, batches));
  expect(reply).toMatchObject({
    batches: 4,
    refused: 0,
    figures: { sequences: 12, tokens: 3 * 22, first_step: 1, last_step: 2 },
  });
  expect((await readdir(folder)).sort()).toEqual([".serve", "part-00000001.parquet"]);
  expect((await readRows()).map((row) => row.split(" ").slice(0, 4).join(" "))).toEqual(
    [
      [1, 0, 5],
      [1, 1, 1],
      [2, 0, 9],
      [2, 1, 7],
    ].flatMap(([step, rank, tokens]) =>
      [0, 1, 2].map((row) => `${step} ${rank} ${step}.${rank}.0.${row} ${tokens}`),
    ),
  );
  const [row] = await readRows();
  const first = Math.fround(-(((7 + 0) % 97) + 1) / 100);
  expect(
    row!.endsWith(` ${[first, ...[1, 2].map((i) => Math.fround(-(((i * 31 + 7) % 97) + 1) / 100))]}`),
  ).toBe(true);
  const keys = await readKeys(runPlaces(folder).keys);
  expect([keys.size, keys.find({ step: 2, rank: 1, call: 0 })?.segment]).toEqual([4, 1]);
});

it("sums what came before it was started again, once", async () => {
  await sealSegment(await writeSegment(1, [given(1, 0, 4)]));
  const second = await writeSegment(2, [given(2, 0, 4), given(3, 0, 4)]);
  // Of these one is in another segment already.
  const reply = await sealSegment({ ...second, repeated: ["3 0 0"] });
  expect(reply).toMatchObject({ batches: 1, figures: { sequences: 6, first_step: 1, last_step: 2 } });
  // A power cut brought the segment back after it was summed.
  const again = await sealSegment({
    ...(await writeSegment(2, [given(2, 0, 4), given(3, 0, 4)])),
    repeated: ["3 0 0"],
  });
  expect(again.figures?.sequences).toBe(6);
  const figures = JSON.parse(await readFile(runPlaces(folder).figures, "utf8")) as { sequences: number };
  expect(figures.sequences).toBe(6);
  expect(await readRows()).toHaveLength(6);
});

const listParts = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".parquet")).sort();
const listOwn = async (): Promise<string[]> => (await readdir(runPlaces(folder).own)).sort();

it("puts every batch into the record although its figures cannot be saved", async () => {
  await mkdir(runPlaces(folder).figures);
  const reply = await sealSegment(await writeSegment(1, [given(1, 0, 4)]));
  expect(reply).toMatchObject({ batches: 1, figures: { sequences: 3 } });
  expect(reply.troubles).toEqual([
    expect.stringMatching(/^its figures are not saved: cannot write .*figures\.json/),
  ]);
  expect(await listParts()).toEqual(["part-00000001.parquet"]);
  expect(await listOwn()).not.toContain("00000001.log");
  expect(await readRows()).toHaveLength(3);
});

it("puts every batch into the record although an earlier part cannot be read", async () => {
  await writeFile(join(folder, "part-00000001.parquet"), "not Parquet");
  const reply = await sealSegment(await writeSegment(2, [given(1, 0, 4)]));
  expect(reply).toMatchObject({ batches: 1, figures: { sequences: 3 } });
  expect(reply.troubles).toEqual([
    expect.stringMatching(/^its figures leave out .*part-00000001\.parquet: /),
  ]);
  expect(await listOwn()).toEqual(["figures.json", "keys", "summary.json"]);
});

it("keeps the parts of a segment that is gone", async () => {
  const task = await writeSegment(1, [given(1, 0, 4)]);
  await sealSegment(task);
  const again = await sealSegment(task);
  expect(again).toMatchObject({ batches: 0, figures: { sequences: 3 } });
  expect(again.troubles).toEqual([
    expect.stringMatching(/00000001\.log is gone: nothing was added from it$/),
  ]);
  expect(await listParts()).toEqual(["part-00000001.parquet"]);
});

it("keeps the segment while its keys cannot be written, and adds it once when they can", async () => {
  await mkdir(runPlaces(folder).keys);
  const task = await writeSegment(1, [given(1, 0, 4), given(2, 0, 4)]);
  for (let tries = 0; tries < 2; tries++) {
    await expect(sealSegment({ ...task, isLastTry: true })).rejects.toMatchObject({ code: "EISDIR" });
    expect(await listOwn()).toEqual(["00000001.log", "keys"]);
  }
  await rm(runPlaces(folder).keys, { recursive: true });
  expect(await sealSegment(task)).toMatchObject({ batches: 2, figures: { sequences: 6 } });
  expect([await listParts(), await listOwn()]).toEqual([
    ["part-00000001.parquet"],
    ["figures.json", "keys", "summary.json"],
  ]);
  expect(await readRows()).toHaveLength(6);
});

it("sets aside the batches that cannot be read, each with its reason, and keeps all others", async () => {
  const offsets = (dtype: string, values: Float64Array | BigInt64Array) =>
    encodeBatch(
      {
        response_offsets: [dtype, values],
        rollout_logprobs: ["F32", new Float32Array(4).fill(-1)],
        trainer_logprobs: ["F32", new Float32Array(4).fill(-1)],
      },
      { "logratio.schema_version": "1", step: "9", rank: "1" },
    );
  const bad: [number, Buffer, RegExp][] = [
    [1, offsets("F64", Float64Array.of(0, 2, 4)), /response_offsets is float64 \[3\], expected int64/],
    [2, offsets("I64", BigInt64Array.of(0n, 3n, 2n)), /response_offsets does not ascend from 0/],
    [3, offsets("I64", BigInt64Array.of(0n, 3n)), /rollout_logprobs has 4 values, expected 3/],
    [4, Buffer.from("not a batch"), /safetensors/],
  ];
  const sound = [5, 6, 7].map((rank) => given(9, rank, 5));
  const task = await writeSegment(1, [...bad.map(([rank, body]) => ({ step: 9, rank, body })), ...sound]);
  const reply = await sealSegment(task);
  expect(reply).toMatchObject({ batches: 7, refused: 4, reason: expect.stringMatching(bad[0]![2]) });
  expect([await listParts(), (await readRows()).length]).toEqual([["part-00000001.parquet"], 9]);
  const { refused } = runPlaces(folder);
  for (const [rank, body, why] of bad) {
    const path = join(refused, `step_9.rank_${rank}.call_0.safetensors`);
    expect((await readFile(path)).equals(body)).toBe(true);
    expect(await readFile(`${path}.reason.txt`, "utf8")).toMatch(why);
  }
  // Known, so that they are not stored again.
  expect((await readKeys(runPlaces(folder).keys)).size).toBe(7);
});

it("sets aside damaged bytes of the log, and keeps the batches before and behind them", async () => {
  const task = await writeSegment(1, [given(1, 0, 4), given(2, 0, 4), given(3, 0, 4), given(4, 0, 4)]);
  const path = join(runPlaces(folder).own, "00000001.log");
  const raw = await readFile(path);
  const frames = (await scanSegment(path)).frames;
  raw[frames[1]!.start + 9]! ^= 1;
  raw[frames[2]!.offset + 99]! ^= 1;
  await writeFile(path, raw);
  const reply = await sealSegment(task);
  expect(reply).toMatchObject({
    batches: 2,
    refused: 0,
    damagedFiles: 2,
    lost: [{ step: 3, rank: 0, call: 0 }],
  });
  expect(reply.damagedBytes).toBe(frames[3]!.start - frames[1]!.start);
  expect(reply.troubles).toEqual([
    expect.stringMatching(
      /00000001\.log from byte \d+ on are not a batch any more; they may have been acknowledged; kept in /,
    ),
    expect.stringMatching(
      /the batch of step 3, rank 0, call 0, .* changed on the disk; they may have been acknowledged; kept in /,
    ),
  ]);
  expect((await readRows()).map((row) => row.split(" ")[0])).toEqual(["1", "1", "1", "4", "4", "4"]);
  const { refused } = runPlaces(folder);
  const kept = join(refused, `segment_00000001.from_${frames[1]!.start}.damaged`);
  expect((await readFile(kept)).equals(raw.subarray(frames[1]!.start, frames[2]!.start))).toBe(true);
  expect(await readdir(refused)).toHaveLength(4);
  expect((await readKeys(runPlaces(folder).keys)).size).toBe(2);
});

it("makes one part of the batches of many recorders", async () => {
  const batches = [1, 2, 3].map((rank) => {
    const body = makeBatch({ step: 1, rank, sequences: 2, tokens: 4 });
    const header = JSON.parse(body.toString("utf8", 8, 8 + Number(body.readBigUInt64LE()))) as {
      __metadata__: Record<string, string>;
    };
    header.__metadata__.recorder = String(rank).repeat(32);
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return {
      step: 1,
      rank,
      body: Buffer.concat([length, text, body.subarray(8 + Number(body.readBigUInt64LE()))]),
    };
  });
  expect(await sealSegment(await writeSegment(1, batches))).toMatchObject({ batches: 3, refused: 0 });
  expect([await listParts(), (await readRows()).length]).toEqual([["part-00000001.parquet"], 6]);
});
