/**
 * Turns a segment into a part of the record:
 *
 *     frames ─► batches ─► groups of one layout ─► one packed file each ─► part-N.parquet ─► keys ─► remove the segment
 *
 * If interrupted anywhere, it is redone from the start: parts are named by their segment, so none exists twice.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { mkdir, open, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AlertChange } from "../../../analyses/alerts/index.ts";
import { isLogratioError } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { openRun, writeRecord } from "../../../input/ingest/index.ts";
import type { ServedFigures } from "../../../results/index.ts";
import { type FrameHead, scanSegment, segmentName, syncDirectory } from "../log/index.ts";
import { appendKeys, keyText } from "../store/key-index.ts";
import { partName, partSegment, type RunPlaces, runPlaces } from "../store/places.ts";
import { groupBatches, mergeBatches } from "./merge-batches.ts";
import { type PackedBatch, splitBatch } from "./packed-batch.ts";
import { type AlertTask, FigureKeeper } from "./run-figures.ts";

export interface SealTask {
  readonly run: string;
  readonly folder: string;
  readonly segment: number;
  /** Its valid bytes. */
  readonly bytes: number;
  /** Keys of batches that another segment has, as `keyText` writes them. */
  readonly repeated: readonly string[];
  /** No other segment of this run waits to be sealed. */
  readonly isLast: boolean;
  /** The segment is in the record already: only update the verdict and the alerts. */
  readonly isSealed?: boolean;
  /** Present where alert rules are evaluated. */
  readonly alerts?: AlertTask | undefined;
}

export interface SealReply {
  readonly figures: ServedFigures;
  readonly batches: number;
  /** Batches that cannot be read, and the reason for the first: they are in `.serve/refused`. */
  readonly refused: number;
  readonly reason: string | null;
  /** Present where the rules were evaluated. */
  readonly alerts?: AlertChange | undefined;
}

interface Refusal {
  readonly head: FrameHead;
  readonly body: Buffer;
  readonly reason: string;
}

/** Runs whose sums are kept in memory: a server has more runs than are written at a time. */
const KEEPERS_HELD = 16;
const keepers = new Map<string, FigureKeeper>();

export async function sealSegment(task: SealTask): Promise<SealReply> {
  try {
    return await seal(task);
  } catch (error) {
    // Its sums may contain part of the segment.
    keepers.delete(task.folder);
    throw error;
  }
}

async function seal(task: SealTask): Promise<SealReply> {
  if (task.isSealed) return judgeAgain(task);
  const places = runPlaces(task.folder);
  const path = join(places.own, segmentName(task.segment));
  await removeParts(places, task.segment);
  // After removing stale parts: the sums must match the folder.
  const keeper = await openKeeper(places, task);
  const { bodies, refusals } = await readBodies(path, task);
  const writer = new PartWriter(places, task, keeper);
  for (const group of groupBatches(bodies)) await writer.write(group, refusals);
  await keepRefused(places, refusals);
  await syncDirectory(places.folder);
  const { frames } = await scanSegment(path, { bytes: task.bytes });
  const heads = frames.map(({ head }) => head).filter(isNew(task));
  await appendKeys(places.keys, heads, task.segment);
  await unlink(path);
  const figures = await keeper.commit(task.segment, task.isLast);
  return {
    ...{ figures, batches: heads.length, refused: refusals.length, reason: refusals[0]?.reason ?? null },
    alerts: task.alerts && keeper.judgeAlerts(task.alerts),
  };
}

async function judgeAgain(task: SealTask): Promise<SealReply> {
  const keeper = await openKeeper(runPlaces(task.folder), { ...task, segment: task.segment + 1 });
  const figures = await keeper.commit(task.segment, true);
  return {
    ...{ figures, batches: 0, refused: 0, reason: null },
    alerts: task.alerts && keeper.judgeAlerts(task.alerts),
  };
}

/** Writes unsaved sums to disk. */
export async function writeSummaries(): Promise<void> {
  for (const keeper of keepers.values()) await keeper.write();
}

async function openKeeper(places: RunPlaces, { run, segment }: SealTask): Promise<FigureKeeper> {
  const held = keepers.get(places.folder);
  const keeper =
    held === undefined || held.has(segment) ? await FigureKeeper.open(places, run, segment) : held;
  keepers.delete(places.folder);
  keepers.set(places.folder, keeper);
  for (const [folder, old] of keepers) {
    if (keepers.size <= KEEPERS_HELD) break;
    keepers.delete(folder);
    await old.write();
  }
  return keeper;
}

function isNew({ repeated }: SealTask): (head: FrameHead) => boolean {
  const known = new Set(repeated);
  return (head) => !known.has(keyText(head));
}

async function readBodies(
  path: string,
  task: SealTask,
): Promise<{ bodies: PackedBatch[]; refusals: Refusal[] }> {
  const { frames } = await scanSegment(path, { bytes: task.bytes });
  const raw = await readFile(path);
  const bodies: PackedBatch[] = [];
  const refusals: Refusal[] = [];
  for (const { head, offset, bytes } of frames.filter(({ head }) => isNew(task)(head))) {
    const body = raw.subarray(offset, offset + bytes);
    if (createHash("sha256").update(body).digest("hex") !== head.sha256) {
      refusals.push({ head, body, reason: "its bytes changed on the disk after they were received" });
      continue;
    }
    try {
      bodies.push(splitBatch(head, body));
    } catch (error) {
      refusals.push({ head, body, reason: (error as Error).message });
    }
  }
  return { bodies, refusals };
}

class PartWriter {
  #count = 0;

  constructor(
    readonly places: RunPlaces,
    readonly task: SealTask,
    readonly keeper: FigureKeeper,
  ) {}

  /** Writes one part; if that fails, batch by batch, so that one bad batch does not lose the others. */
  async write(group: readonly PackedBatch[], refusals: Refusal[]): Promise<void> {
    try {
      await this.#writePart(group);
    } catch (error) {
      // Failures of the disk or bugs are retried later; only errors in the data refuse a batch.
      if (!isLogratioError(error) || error._tag === "FileSystemError") throw error;
      if (group.length > 1) {
        for (const batch of group) await this.write([batch], refusals);
        return;
      }
      const [{ head, body }] = group as [PackedBatch];
      refusals.push({ head, body, reason: error.message });
    }
  }

  async #writePart(group: readonly PackedBatch[]): Promise<void> {
    const merged = join(this.places.own, `merging-${this.task.segment}.safetensors`);
    const base = partName(this.task.segment);
    const name = this.#count === 0 ? base : base.replace(/\.parquet$/, `-${this.#count}.parquet`);
    try {
      await writeFile(merged, mergeBatches(group));
      const run = await openRun([merged], { onePolicy: true });
      const batches: RecordBatch[] = [];
      for await (const batch of run.batches())
        batches.push({ ...batch, provenance: { ...batch.provenance, file: name } });
      const files = await writeRecord(join(this.places.folder, name), iterate(batches));
      this.#count += files.length;
      for (const file of files) await syncFile(file);
      for (const batch of batches) this.keeper.add(batch);
    } finally {
      await rm(merged, { force: true });
    }
  }
}

async function* iterate<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes the parts of an interrupted seal. */
async function removeParts({ folder }: RunPlaces, segment: number): Promise<void> {
  for (const name of await readdir(folder))
    if (partSegment(name) === segment) await unlink(join(folder, name));
}

async function keepRefused({ refused }: RunPlaces, refusals: readonly Refusal[]): Promise<void> {
  if (refusals.length === 0) return;
  await mkdir(refused, { recursive: true });
  for (const { head, body } of refusals) {
    const { step, rank, call } = head;
    const path = join(refused, `step_${step}.rank_${rank}.call_${call}.safetensors`);
    await writeFile(path, body);
    await syncFile(path);
  }
  await syncDirectory(refused);
}
