import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBatch } from "../../../../bench/support/serve-load.mjs";
import { partName, runPlaces } from "../../../input/batch-log/index.ts";
import { type ClosedSegment, RunLog } from "../log/index.ts";
import { Sealer, type WaitingTask } from "./sealer.ts";

let directory: string;
let sealed: string[];
let failed: string[];
let sealer: Sealer;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sealer-"));
  [sealed, failed] = [[], []];
  sealer = new Sealer({
    onSealed: async ({ run, segment }) => void sealed.push(`${run} ${segment}`),
    onFailed: ({ run, segment }) => void failed.push(`${run} ${segment}`),
    retryMs: [1],
  });
});
afterEach(async () => {
  await sealer.end(AbortSignal.abort());
  await rm(directory, { recursive: true });
});

async function writeSegment(run: string, segment: number, batches = 1): Promise<WaitingTask> {
  const folder = join(directory, run);
  const closed: ClosedSegment[] = [];
  await mkdir(runPlaces(folder).own, { recursive: true });
  const log = new RunLog({
    ...{ folder: runPlaces(folder).own, next: segment, segmentBytes: 1 << 30, segmentAgeMs: 3_600_000 },
    onClosed: (one) => closed.push(one),
  });
  for (let rank = 0; rank < batches; rank++) {
    const body = makeBatch({ step: segment, rank });
    const sha256 = createHash("sha256").update(body).digest("hex");
    await log.append({ step: segment, rank, call: 0, sha256 }, [body], body.length);
  }
  await log.closeSegment();
  return { run, folder, segment, bytes: closed[0]!.bytes, batches, repeated: [] };
}

/** Something in the way of the segment's part. */
async function block({ folder, segment }: WaitingTask): Promise<string> {
  const path = join(folder, partName(segment));
  await mkdir(path, { recursive: true });
  return path;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

it("keeps no other segment waiting for one that fails, says that, and seals it when it can", async () => {
  const stuck = await writeSegment("stuck", 1, 3);
  const path = await block(stuck);
  for (const task of [stuck, await writeSegment("stuck", 2), await writeSegment("other", 1)])
    sealer.add(task);
  await until(() => sealed.length === 2);
  expect(sealed).toEqual(["other 1", "stuck 2"]);
  expect(sealer.standstill).toBeUndefined();
  // Once nothing else is sealed after it began to fail.
  const later = await writeSegment("later", 1);
  await block(later);
  sealer.add(later);
  await until(() => sealer.standstill !== undefined);
  expect(sealer.standstill).toMatchObject({ run: "later", batches: 4 });
  await rm(path, { recursive: true });
  await until(() => sealed.includes("stuck 1"));
  expect(sealer.standstill).toBeUndefined();
  expect(new Set(failed)).toEqual(new Set(["stuck 1", "later 1"]));
});

it("gives up at the end on what fails again and again, and says what is left", async () => {
  const stuck = await writeSegment("stuck", 1, 3);
  await block(stuck);
  sealer.add(stuck);
  sealer.add(await writeSegment("other", 1));
  expect((await sealer.end(new AbortController().signal)).map(({ run, batches }) => [run, batches])).toEqual([
    ["stuck", 3],
  ]);
  expect(sealed).toEqual(["other 1"]);
  expect(await readdir(runPlaces(stuck.folder).own)).toContain("00000001.log");
});

it("leaves all but the segment at hand to the next start when it is told to", async () => {
  const tasks = [await writeSegment("run", 1), await writeSegment("run", 2), await writeSegment("run", 3)];
  const controller = new AbortController();
  for (const task of tasks) sealer.add(task);
  const ending = sealer.end(controller.signal);
  controller.abort();
  expect((await ending).map(({ segment }) => segment)).toEqual([2, 3]);
  expect(sealed).toEqual(["run 1"]);
});
