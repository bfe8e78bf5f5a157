import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeDamage, scanSegment } from "../../../input/batch-log/scan-segment.ts";
import { type ClosedSegment, RunLog } from "./run-log.ts";

let folder: string;
let closed: ClosedSegment[];
let commits: number[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "log-"));
  [closed, commits] = [[], []];
});
afterEach(() => rm(folder, { recursive: true }));

function openLog(segmentBytes = 1 << 20): RunLog {
  return new RunLog({
    ...{ folder, next: 1, segmentBytes, segmentAgeMs: 3_600_000 },
    onClosed: (segment) => closed.push(segment),
    onCommit: (_, batches) => commits.push(batches),
  });
}

function append(log: RunLog, step: number, text = `body of ${step}`): Promise<void> {
  const body = Buffer.from(text);
  const sha256 = createHash("sha256").update(body).digest("hex");
  const half = Math.floor(body.length / 2);
  return log.append(
    { step, rank: 0, call: 0, sha256 },
    [body.subarray(0, half), body.subarray(half)],
    body.length,
  );
}

describe("a log", () => {
  it("syncs all that wait at once", async () => {
    const log = openLog();
    await Promise.all(Array.from({ length: 40 }, (_, step) => append(log, step)));
    await log.closeSegment();
    expect(commits.reduce((sum, batches) => sum + batches, 0)).toBe(40);
    expect(commits.length).toBeLessThan(10);
    const { frames, damage } = await scanSegment(closed[0]!.path, { checksBodies: true });
    expect([frames.map(({ head }) => head.step), damage]).toEqual([
      Array.from({ length: 40 }, (_, i) => i),
      [],
    ]);
    expect(closed[0]!.batches).toBe(40);
    const raw = await readFile(closed[0]!.path);
    const last = frames.at(-1)!;
    expect(raw.subarray(last.offset, last.offset + last.bytes).toString()).toBe("body of 39");
  });

  it("begins a segment when one is full, and one batch may be larger than that", async () => {
    const log = openLog(100);
    await append(log, 1, "x".repeat(1000));
    await append(log, 2);
    await append(log, 3);
    await log.closeSegment();
    expect(closed.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(closed.map(({ path }) => path.slice(-12))).toEqual([
      "00000001.log",
      "00000002.log",
      "00000003.log",
    ]);
  });

  it("says what the system said, and goes on when it can", async () => {
    const log = openLog();
    const elsewhere = `${folder}-gone`;
    const { rename } = await import("node:fs/promises");
    await rename(folder, elsewhere);
    await expect(append(log, 1)).rejects.toMatchObject({ code: "ENOENT" });
    await rename(elsewhere, folder);
    await append(log, 1);
    await log.closeSegment();
    expect((await scanSegment(closed[0]!.path)).frames).toHaveLength(1);
  });
});

it("leaves a segment alone that has its number already", async () => {
  await writeFile(join(folder, "00000001.log"), "left behind");
  const log = openLog();
  await append(log, 1);
  await log.closeSegment();
  expect(closed.map(({ number }) => number)).toEqual([2]);
  expect(await readFile(join(folder, "00000001.log"), "utf8")).toBe("left behind");
});

describe("a segment", () => {
  it("that was cut off anywhere holds what was whole, and says that the rest was cut off", async () => {
    const log = openLog();
    for (const step of [1, 2, 3]) await append(log, step);
    await log.closeSegment();
    const raw = await readFile(closed[0]!.path);
    const { frames } = await scanSegment(closed[0]!.path);
    const ends = frames.map(({ offset, bytes }) => offset + bytes);
    const path = join(folder, "cut");
    for (let length = 0; length <= raw.length; length++) {
      await writeFile(path, raw.subarray(0, length));
      const scanned = await scanSegment(path, { checksBodies: true });
      const whole = ends.filter((end) => end <= length);
      const start = whole.at(-1) ?? 0;
      expect([length, scanned.frames.length]).toEqual([length, whole.length]);
      expect(
        scanned.damage.map(({ start, end, cutOffAt }) => [start, end, cutOffAt! > length - start]),
      ).toEqual(start < length ? [[start, length, true]] : []);
    }
  });

  it("in which any byte changed holds every batch but that one", async () => {
    const log = openLog();
    for (const step of [1, 2, 3]) await append(log, step);
    await log.closeSegment();
    const raw = await readFile(closed[0]!.path);
    const { frames } = await scanSegment(closed[0]!.path);
    const path = join(folder, "changed");
    for (let at = 0; at < raw.length; at++) {
      const changed = Buffer.from(raw);
      changed[at]! ^= 0x40;
      await writeFile(path, changed);
      const hit = frames.find(({ offset, bytes }) => at < offset + bytes)!;
      const { frames: left, damage } = await scanSegment(path, { checksBodies: true });
      expect([at, left.map(({ head }) => head.step)]).toEqual([
        at,
        [1, 2, 3].filter((step) => step !== hit.head.step),
      ]);
      expect(damage.map(({ start, end }) => [start, end])).toEqual([[hit.start, hit.offset + hit.bytes]]);
      // Where the body changed, it is known which batch it was.
      if (at >= hit.offset) expect(damage[0]!.head).toEqual(hit.head);
    }
  });

  it("says of damaged bytes what is known", async () => {
    const log = openLog();
    for (const step of [1, 2, 3]) await append(log, step);
    await log.closeSegment();
    const { path } = closed[0]!;
    const raw = await readFile(path);
    const [first, second] = (await scanSegment(path)).frames;
    raw[first!.start + 5]! ^= 1;
    raw[second!.offset + 2]! ^= 1;
    await writeFile(path, raw.subarray(0, -4));
    const { damage } = await scanSegment(path, { checksBodies: true });
    const size = first!.bytes + first!.offset;
    expect(damage.map((one) => describeDamage("00000001.log", one))).toEqual([
      `${size} B of 00000001.log from byte 0 on are not a batch any more; they may have been acknowledged`,
      `the batch of step 2, rank 0, call 0, ${size} B of 00000001.log from byte ${size} on, changed on the disk; they may have been acknowledged`,
      `00000001.log ends within the batch of step 3, rank 0, call 0, after ${size - 4} B of ${size} B: its write was interrupted before it was acknowledged, unless something shortened the file`,
    ]);
  });

  it("finds the next batch behind a damaged one that is larger than what is read at once", async () => {
    const log = openLog(1 << 24);
    await append(log, 1, "LRF1".repeat(600_000));
    await append(log, 2);
    await log.closeSegment();
    const { path } = closed[0]!;
    const raw = await readFile(path);
    raw[9]! ^= 1;
    await writeFile(path, raw);
    const { frames, damage } = await scanSegment(path, { checksBodies: true });
    expect([frames.map(({ head }) => head.step), damage.length]).toEqual([[2], 1]);
  });

  it("counts up to the bytes that were acknowledged", async () => {
    const log = openLog();
    for (const step of [1, 2]) await append(log, step);
    await log.closeSegment();
    const { frames } = await scanSegment(closed[0]!.path);
    const first = frames[0]!.offset + frames[0]!.bytes;
    expect((await scanSegment(closed[0]!.path, { bytes: first })).frames).toHaveLength(1);
  });
});
