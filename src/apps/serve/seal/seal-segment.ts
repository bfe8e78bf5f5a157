/**
 * Turns a segment into a part of the record:
 *
 *     frames ─► batches ─► groups of one layout ─► one packed file each ─► part-N.parquet ─┐
 *     batches that cannot be read, damaged bytes ─► refused/ ────────────────────────────┴─► keys ─► remove the segment
 *                                                                                                    └─► figures, alerts
 *
 * Each step is on disk before the next begins, and the segment goes last: interrupted anywhere, every batch is in the
 * log, or in the record or `refused/`. It is then redone from the start: parts are named by their segment, so none exists
 * twice. Figures come after that, and cannot fail it.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { isSystemError } from "../../../core/base/index.ts";
import {
  appendKeys,
  type Damage,
  describeDamage,
  type FrameHead,
  keyText,
  runPlaces,
  scanSegment,
  segmentName,
} from "../../../input/batch-log/index.ts";
import { memorySource } from "../../../input/io/index.ts";
import { syncDirectory } from "../log/sync-directory.ts";
import { checkPackedBatch } from "./check-packed-batch.ts";
import { groupBatches } from "./merge-batches.ts";
import { type PackedBatch, splitBatch } from "./packed-batch.ts";
import { PartWriter, removeParts } from "./part-writer.ts";
import { keepRefused, type Refusal } from "./refusals.ts";
import type { SealReply, SealTask } from "./seal-task.ts";
import { SegmentFigures } from "./segment-figures.ts";

interface Contents {
  readonly raw: Buffer;
  readonly bodies: readonly PackedBatch[];
  readonly refusals: Refusal[];
  readonly damage: readonly Damage[];
  /** Of all batches whose bytes are whole and that no other segment has. */
  readonly heads: readonly FrameHead[];
}

/**
 * Seals one segment, or only updates the figures of one that is sealed.
 *
 * @throws whatever makes sealing impossible now; the segment is then unchanged, and the task can be repeated
 */
export async function sealSegment(task: SealTask): Promise<SealReply> {
  const figures = new SegmentFigures(task);
  try {
    if (task.isSealed) return await figures.judgeAgain();
    const places = runPlaces(task.folder);
    const path = join(places.own, segmentName(task.segment));
    const contents = await readContents(path, task);
    // Its parts are all that is left of it.
    if (contents === undefined) return await figures.judgeAgain(`${path} is gone: nothing was added from it`);
    await removeParts(places, task.segment);
    // After removing stale parts: the sums must match the folder.
    await figures.open();
    const { bodies, refusals, damage } = contents;
    const writer = new PartWriter(places, task, (batch) => figures.add(batch));
    // Where no batch ends the thread alone, all of them together did.
    const groups = task.fatal?.size === 0 ? bodies.map((batch) => [batch]) : groupBatches(bodies);
    for (const group of groups) await writer.write(group, refusals);
    const counts = await settle(contents, task);
    return {
      ...(await figures.commit()),
      ...counts,
      ...describeLosses(task, damage, figures.troubles),
    };
  } catch (error) {
    // Its sums may contain part of the segment.
    figures.drop();
    throw error;
  }
}

/**
 * Moves all batches of a segment to `refused/`, without looking into them.
 *
 * @throws the system's error; the segment is then unchanged
 */
export async function refuseSegment(task: SealTask, reason: string): Promise<SealReply> {
  const places = runPlaces(task.folder);
  const path = join(places.own, segmentName(task.segment));
  const nothing = { figures: undefined, batches: 0, refused: 0, reason: null };
  const contents = task.isSealed
    ? undefined
    : await readContents(path, task, () => Promise.reject(new Error(reason)));
  if (contents === undefined)
    return { ...nothing, ...describeLosses(task, [], [`its figures are not updated: ${reason}`]) };
  await removeParts(places, task.segment);
  return { ...nothing, ...(await settle(contents, task)), ...describeLosses(task, contents.damage, []) };
}

/** Makes durable what is in the record or refused, and removes the segment. */
async function settle(
  { raw, refusals, damage, heads }: Contents,
  { folder, segment }: SealTask,
): Promise<Pick<SealReply, "batches" | "refused" | "reason">> {
  const places = runPlaces(folder);
  await keepRefused(places, segment, raw, { refusals, damage });
  await syncDirectory(places.folder);
  await appendKeys(places.keys, heads, segment);
  await syncDirectory(places.own);
  await unlink(join(places.own, segmentName(segment)));
  return { batches: heads.length, refused: refusals.length, reason: refusals[0]?.reason ?? null };
}

function describeLosses(
  { segment, folder }: SealTask,
  damage: readonly Damage[],
  troubles: readonly string[],
): Pick<SealReply, "lost" | "damagedBytes" | "damagedFiles" | "troubles"> {
  const changed = damage.filter(({ cutOffAt }) => cutOffAt === undefined);
  const kept = `; kept in ${runPlaces(folder).refused}`;
  return {
    lost: changed.flatMap(({ head }) => head ?? []),
    damagedBytes: damage.reduce((sum, { start, end }) => sum + end - start, 0),
    damagedFiles: changed.length,
    troubles: [...damage.map((one) => describeDamage(segmentName(segment), one) + kept), ...troubles],
  };
}

/**
 * @param check throws where a batch is to be refused
 * @returns undefined where the segment is gone
 */
async function readContents(
  path: string,
  task: SealTask,
  check: typeof checkPackedBatch = checkPackedBatch,
): Promise<Contents | undefined> {
  const known = new Set(task.repeated);
  try {
    const { frames, damage } = await scanSegment(path, { bytes: task.bytes });
    const raw = await readFile(path);
    const contents = {
      raw,
      bodies: [] as PackedBatch[],
      refusals: [] as Refusal[],
      damage: [...damage],
      heads: [] as FrameHead[],
    };
    for (const { head, start, offset, bytes } of frames) {
      const body = raw.subarray(offset, offset + bytes);
      if (createHash("sha256").update(body).digest("hex") !== head.sha256) {
        contents.damage.push({ start, end: offset + bytes, head });
        continue;
      }
      if (known.has(keyText(head))) continue;
      contents.heads.push(head);
      const fatal = task.fatal?.get(keyText(head));
      if (fatal !== undefined) {
        contents.refusals.push({ head, body, reason: fatal });
        continue;
      }
      try {
        await check(memorySource("the batch", body), head);
        contents.bodies.push(splitBatch(head, body));
      } catch (error) {
        contents.refusals.push({ head, body, reason: (error as Error).message });
      }
    }
    return contents;
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return undefined;
    throw error;
  }
}
