import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBatch } from "../../../../bench/support/serve-load.mjs";
import { openRun } from "../../../input/ingest/index.ts";
import { type ClosedSegment, RunLog } from "../log/index.ts";
import { readKeys } from "../store/key-index.ts";
import { runPlaces } from "../store/places.ts";
import { type SealTask, sealSegment } from "./seal-segment.ts";

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
  expect(again.figures.sequences).toBe(6);
  const figures = JSON.parse(await readFile(runPlaces(folder).figures, "utf8")) as { sequences: number };
  expect(figures.sequences).toBe(6);
  expect(await readRows()).toHaveLength(6);
});
