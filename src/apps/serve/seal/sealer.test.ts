import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeBatch } from "../../../../bench/support/serve-load.mjs";
import { partName, readKeyLines, runPlaces } from "../../../input/batch-log/index.ts";
import { type ClosedSegment, RunLog } from "../log/index.ts";
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

it("sets aside the batches of a segment that ends the thread again and again, and seals the others", async () => {
  const reasons: (string | null)[] = [];
  let starts = 0;
  sealer = new Sealer({
    onSealed: async ({ run }, { batches, refused, reason }) => {
      sealed.push(`${run}: ${batches} sealed, ${refused} of them refused`);
      reasons.push(reason);
    },
    onFailed: ({ run }) => void failed.push(run),
    retryMs: [1],
    start: (onEnd) => {
      starts++;
      return {
        ask: async (task) => {
          if (!("seal" in task) || task.seal.run !== "deadly") return answerSealer(task);
          onEnd();
          throw new Error("a worker thread ended with code 134");
        },
        close: async () => {},
      };
    },
  });
  const deadly = await writeSegment("deadly", 1, 2);
  for (const task of [deadly, await writeSegment("other", 1)]) sealer.add(task);
  await until(() => sealed.length === 2);
  expect([...sealed].sort()).toEqual([
    "deadly: 2 sealed, 2 of them refused",
    "other: 1 sealed, 0 of them refused",
  ]);
  expect(failed).toEqual(["deadly", "deadly", "deadly"]);
  expect(starts).toBeGreaterThanOrEqual(3);
  expect(reasons).toContainEqual(expect.stringMatching(/ended the sealing thread 3 times: .* code 134$/));
  const { own, refused, keys } = runPlaces(deadly.folder);
  expect(await readdir(own)).not.toContain("00000001.log");
  expect((await readdir(refused)).filter((name) => name.endsWith(".safetensors")).sort()).toEqual([
    "step_1.rank_0.call_0.safetensors",
    "step_1.rank_1.call_0.safetensors",
  ]);
  const kept = await readFile(join(refused, "step_1.rank_1.call_0.safetensors"));
  expect(kept.equals(makeBatch({ step: 1, rank: 1 }))).toBe(true);
  expect((await readKeyLines(keys)).map(({ head }) => head.rank)).toEqual([0, 1]);
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
