import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBatch } from "../../../../bench/support/serve-load.mjs";
import { openRun } from "../../../ingest/open-run.ts";
import { keyText } from "../../../input/batch-log/frame.ts";
import { readKeyLines } from "../../../input/batch-log/key-file.ts";
import { partName, runPlaces, segmentName } from "../../../input/batch-log/places/index.ts";
import { scanSegment } from "../../../input/batch-log/scan-segment.ts";
import { type ClosedSegment, RunLog } from "../log/run-log.ts";
import { answerSealer } from "./answer-sealer.ts";
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

/** The ranks in the record, each once. */
async function readRanks(folder: string): Promise<number[]> {
  const ranks = new Set<number>();
  for await (const batch of (await openRun([folder])).batches())
    for (const rank of batch.ranks) ranks.add(rank);
  return [...ranks].sort();
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
  await until(() => sealer.standstill !== undefined);
  expect(sealer.standstill).toMatchObject({ run: "stuck", batches: 3, isPartial: true });
  // Nothing else is sealed after it began to fail.
  const later = await writeSegment("later", 1);
  await block(later);
  sealer.add(later);
  await until(() => sealer.standstill?.run === "later");
  expect(sealer.standstill).toMatchObject({ batches: 4, isPartial: false });
  await rm(path, { recursive: true });
  await until(() => sealed.includes("stuck 1"));
  expect(sealer.standstill).toMatchObject({ run: "later", batches: 1, isPartial: true });
  await rm(join(later.folder, partName(1)), { recursive: true });
  await until(() => sealed.includes("later 1"));
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

/** A thread that ends at a segment whose batches, without those that are refused by then, this holds for. */
function startMortal(isDeadly: (ranks: readonly number[]) => boolean): void {
  sealer = new Sealer({
    onSealed: async ({ run }, { batches, refused, reason }) =>
      void sealed.push(`${run}: ${batches} sealed, ${refused} of them refused, ${reason}`),
    onFailed: ({ run }) => void failed.push(run),
    retryMs: [1],
    start: (onEnd) => ({
      ask: async (task) => {
        if ("seal" in task && task.seal.run === "deadly") {
          const { folder, segment, fatal } = task.seal;
          const { frames } = await scanSegment(join(runPlaces(folder).own, segmentName(segment)));
          const left = frames.filter(({ head }) => fatal?.has(keyText(head)) !== true);
          if (isDeadly(left.map(({ head }) => head.rank))) {
            onEnd();
            throw new Error("a worker thread ended with code 134");
          }
        }
        return answerSealer(task);
      },
      close: async () => {},
    }),
  });
}

const FATAL = "adding it to the record ended the sealing thread: a worker thread ended with code 134";

it("sets aside the batches that end the thread again and again, and seals those beside them", async () => {
  startMortal((ranks) => ranks.includes(1) || ranks.includes(3));
  const deadly = await writeSegment("deadly", 1, 5);
  for (const task of [deadly, await writeSegment("other", 1)]) sealer.add(task);
  await until(() => sealed.length === 2);
  expect([...sealed].sort()).toEqual([
    `deadly: 5 sealed, 2 of them refused, ${FATAL}`,
    "other: 1 sealed, 0 of them refused, null",
  ]);
  expect(failed).toEqual(["deadly", "deadly", "deadly"]);
  const { folder, own, refused, keys } = runPlaces(deadly.folder);
  expect((await readdir(own)).sort()).toEqual(["figures.json", "keys", "refused", "summary.json"]);
  expect((await readdir(refused)).filter((name) => name.endsWith(".safetensors")).sort()).toEqual([
    "step_1.rank_1.call_0.safetensors",
    "step_1.rank_3.call_0.safetensors",
  ]);
  const kept = await readFile(join(refused, "step_1.rank_1.call_0.safetensors"));
  expect(kept.equals(makeBatch({ step: 1, rank: 1 }))).toBe(true);
  expect((await readKeyLines(keys)).map(({ head }) => head.rank)).toEqual([0, 1, 2, 3, 4]);
  expect(await readRanks(folder)).toEqual([0, 2, 4]);
});

it("seals batches apart that end the thread only together, or sets all aside where that fails too", async () => {
  let tries = 0;
  startMortal((ranks) => ranks.length > 1 && ++tries <= 3);
  const apart = await writeSegment("deadly", 1, 3);
  sealer.add(apart);
  await until(() => sealed.length === 1);
  expect(sealed).toEqual(["deadly: 3 sealed, 0 of them refused, null"]);
  expect((await readdir(apart.folder)).sort()).toEqual([
    ".serve",
    ...[1, 2].map((part) => `part-00000001-${part}.parquet`),
    "part-00000001.parquet",
  ]);
  expect(await readRanks(apart.folder)).toEqual([0, 1, 2]);
  await sealer.end(AbortSignal.abort());
  startMortal((ranks) => ranks.length > 1);
  const together = await writeSegment("deadly", 2, 2);
  sealer.add(together);
  await until(() => sealed.length === 2);
  expect(sealed[1]).toMatch(
    /^deadly: 2 sealed, 2 of them refused, adding its segment to the record ended the sealing thread 4 times: .* code 134$/,
  );
  expect(await readdir(runPlaces(together.folder).own)).not.toContain("00000002.log");
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
