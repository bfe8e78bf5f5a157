/**
 * The figures of a run while one of its segments is sealed. Whatever goes wrong in them is reported, and never keeps a
 * batch out of the record: the next segment or the next start reads the parts again.
 *
 * @module
 */
import type { RecordBatch } from "../../../core/schema/index.ts";
import { runPlaces } from "../../../input/batch-log/index.ts";
import { FigureKeeper } from "./run-figures.ts";
import type { SealReply, SealTask } from "./seal-task.ts";

/** Runs whose sums are kept in memory: a server has more runs than are written at a time. */
const KEEPERS_HELD = 16;
const keepers = new Map<string, FigureKeeper>();

export class SegmentFigures {
  readonly #task: SealTask;
  #keeper: FigureKeeper | undefined;
  readonly troubles: string[] = [];

  constructor(task: SealTask) {
    this.#task = task;
  }

  /** Called once the folder contains no part of the segment. */
  async open(): Promise<void> {
    await this.#contain(async () => {
      this.#keeper = await openKeeper(this.#task);
    });
  }

  add(batch: RecordBatch): void {
    void this.#contain(() => this.#keeper?.add(batch));
  }

  /** Called once the segment is in the record. */
  async commit(): Promise<Pick<SealReply, "figures" | "alerts">> {
    const { segment, isLast, alerts } = this.#task;
    let done: Pick<SealReply, "figures" | "alerts"> = { figures: undefined };
    await this.#contain(async () => {
      const keeper = this.#keeper;
      if (keeper === undefined) return;
      const figures = await keeper.commit(segment, isLast);
      done = { figures, alerts: alerts && keeper.judgeAlerts(alerts) };
      this.troubles.push(...keeper.takeTroubles());
    });
    return done;
  }

  /** Updates the figures of a segment that is already in the record. @param trouble reported with them */
  async judgeAgain(trouble?: string): Promise<SealReply> {
    if (trouble !== undefined) this.troubles.push(trouble);
    await this.#contain(async () => {
      this.#keeper = await openKeeper({ ...this.#task, segment: this.#task.segment + 1 });
    });
    return {
      ...(await this.commit()),
      ...{ batches: 0, refused: 0, reason: null, lost: [], damagedBytes: 0, damagedFiles: 0 },
      troubles: this.troubles,
    };
  }

  /** Forgets the sums: they may contain part of a segment that is not in the record. */
  drop(): void {
    this.#keeper = undefined;
    keepers.delete(this.#task.folder);
  }

  async #contain(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.drop();
      this.troubles.push(`its figures cannot be updated now: ${(error as Error).message}`);
    }
  }
}

/** Writes unsaved sums to disk; those of a run that fail are read again from its parts. */
export async function writeSummaries(): Promise<void> {
  for (const keeper of keepers.values()) await keeper.write().catch(() => {});
}

async function openKeeper({ run, folder, segment }: SealTask): Promise<FigureKeeper> {
  const held = keepers.get(folder);
  const keeper =
    held === undefined || held.has(segment) ? await FigureKeeper.open(runPlaces(folder), run, segment) : held;
  keepers.delete(folder);
  keepers.set(folder, keeper);
  for (const [other, old] of keepers) {
    if (keepers.size <= KEEPERS_HELD) break;
    keepers.delete(other);
    await old.write().catch(() => {});
  }
  return keeper;
}
