/**
 * All runs of a data directory.
 *
 * @module
 */
import { readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { AlertChange } from "../../../analyses/alerts/index.ts";
import { FileSystemError, fileSystemError, isSystemError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { runPlaces } from "../../../input/batch-log/index.ts";
import { isPresent, makeDirectory, removeLeftovers } from "../../../input/io/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { ServedRun } from "../../../results/serve.ts";
import { syncDirectory } from "../log/sync-directory.ts";
import { isTrial } from "../seal/find-fatal.ts";
import { isMerging } from "../seal/part-writer.ts";
import type { SealReply, SealTask } from "../seal/seal-task.ts";
import { Sealer, type Standstill } from "../seal/sealer.ts";
import { lockDirectory } from "./lock.ts";
import { RunAlerts, type RunAlertsOptions } from "./run-alerts.ts";
import { RunGate } from "./run-gate.ts";
import { type KnownRun, listRuns, NO_RUN } from "./run-list.ts";
import { folderName } from "./run-name.ts";
import { type Accepted, type Batch, RunStore } from "./run-store.ts";

/** A run with a batch this recently counts as being written. */
const WRITING_MS = 60_000;
/** Runs without a batch for this long are closed; the next batch opens them again. */
const IDLE_MS = 600_000;

/** A run that is being removed, until it is gone. */
const REMOVED = ".removed-";

export interface DataStoreOptions {
  /** Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Default 1 s: the shortest time until a batch is visible. */
  readonly segmentAgeMs?: number;
  /** Receives lines for the terminal. */
  readonly onNotice: (message: string) => void;
  /** Called when a run's entry in the list has changed, and without one after a removal. */
  readonly onChange: (run?: ServedRun) => void;
  /** Alert rules for every run that is written to. */
  readonly alerts?: RunAlertsOptions | undefined;
  readonly onCommit?: (ms: number, batches: number) => void;
  /** Called when a segment has become part of the record, with the milliseconds it took. */
  readonly onSealed?: (ms: number) => void;
}

interface OpenRun {
  readonly store: Promise<RunStore>;
  lastUse: number;
}

/** Counts since the start. */
export interface StoreCounts {
  stored: number;
  known: number;
  conflicts: number;
  sealed: number;
  refused: number;
  /** Bytes of the log that were not a complete batch, set aside. */
  damaged: number;
  sealFailures: number;
}

export class DataStore {
  readonly directory: string;
  readonly counts: StoreCounts = {
    stored: 0,
    known: 0,
    conflicts: 0,
    sealed: 0,
    refused: 0,
    damaged: 0,
    sealFailures: 0,
  };
  readonly #options: DataStoreOptions;
  readonly #runs = new Map<string, KnownRun>();
  readonly #open = new Map<string, OpenRun>();
  readonly #gate = new RunGate();
  /** The last message about each run, by its path. */
  readonly #told = new Map<string, string>();
  readonly #sealer: Sealer;
  readonly #alerts: RunAlerts | undefined;
  readonly #unlock: () => Promise<void>;
  readonly #sweep: NodeJS.Timeout;
  #isClosed = false;

  private constructor(directory: string, options: DataStoreOptions, unlock: () => Promise<void>) {
    this.directory = directory;
    this.#options = options;
    this.#unlock = unlock;
    const alerts = options.alerts && new RunAlerts(options.alerts);
    this.#alerts = alerts;
    this.#sealer = new Sealer({
      alertTask: alerts && ((folder) => this.#openAlerts(alerts, folder)),
      onSealed: (task, reply, ms) => this.#onSealed(task, reply, ms),
      onFailed: ({ folder, run, segment }, error) => {
        this.counts.sealFailures++;
        this.#tell(
          folder,
          `${printable(run)}: the batches of segment ${segment} are not in the record yet; this is tried again: ${describe(error, folder, "write")}`,
        );
      },
    });
    this.#sweep = setInterval(() => void this.#closeIdle().catch(() => {}), IDLE_MS / 10).unref();
  }

  /**
   * Reads the directory, finishes what a kill interrupted, and resumes turning accepted batches into the record. A run
   * that cannot be opened is reported and retried; the others are served.
   *
   * @throws UsageError if another server is using the directory
   * @throws FileSystemError if the system refuses
   */
  static async open(directory: string, options: DataStoreOptions): Promise<DataStore> {
    makeDirectory(directory);
    const unlock = await lockDirectory(directory);
    try {
      const store = new DataStore(directory, options, unlock);
      await store.#finishRemovals();
      for (const run of await listRuns(directory, (folder, error) => store.#tellTrouble(folder, error)))
        store.#runs.set(run.folder, run);
      for (const run of store.#runs.values()) await store.#resume(run);
      return store;
    } catch (cause) {
      await unlock();
      throw isSystemError(cause) ? fileSystemError(cause, "read", { file: directory }) : cause;
    }
  }

  /** Removes what is left of runs whose removal was interrupted. */
  async #finishRemovals(): Promise<void> {
    for (const name of await readdir(this.directory)) {
      if (!name.startsWith(REMOVED)) continue;
      const path = join(this.directory, name);
      await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
        this.#options.onNotice(`a removed run is still there: ${describe(error, path, "remove")}`),
      );
    }
  }

  /** Passes a run's segments to the sealer, and resumes its alerts. */
  async #resume(run: KnownRun): Promise<void> {
    const path = join(this.directory, run.folder);
    try {
      // What a kill while a segment was sealed left: as large as the segment.
      const { own } = runPlaces(path);
      await removeLeftovers(path);
      await removeLeftovers(own);
      for (const name of await readdir(own))
        if (isMerging(name) || isTrial(name)) await rm(join(own, name), { recursive: true, force: true });
      const wasUnfinished = run.isUnfinished;
      if (wasUnfinished) await this.#openRun(run.folder);
      run.isUnfinished = false;
      await this.#goOnWatching(run, wasUnfinished);
    } catch (error) {
      this.#tellTrouble(run.folder, error);
    }
  }

  #tellTrouble(folder: string, error: unknown): void {
    const path = join(this.directory, folder);
    this.#tell(
      path,
      `${this.#nameRun(folder)}: the run cannot be opened; this is tried again: ${describe(error, path, "read")}`,
    );
  }

  #nameRun(folder: string): string {
    return printable(this.#runs.get(folder)?.name ?? folder);
  }

  /** Reports a message once, until there is another one about the run. */
  #tell(path: string, message: string): void {
    if (this.#told.get(path) === message) return;
    this.#told.set(path, message);
    this.#options.onNotice(message);
  }

  /** Undefined if they cannot be opened: that never keeps batches out of the record. */
  async #openAlerts(alerts: RunAlerts, folder: string): Promise<SealTask["alerts"]> {
    try {
      return await alerts.task(folder);
    } catch (error) {
      this.#tell(
        folder,
        `${this.#nameRun(basename(folder))}: its alerts are not evaluated: ${describe(error, folder, "read")}`,
      );
      return undefined;
    }
  }

  async #onSealed(
    { folder: path, segment, run: name }: SealTask,
    reply: SealReply,
    ms: number,
  ): Promise<void> {
    const {
      figures,
      batches,
      refused,
      reason,
      lost,
      damagedBytes,
      damagedFiles,
      troubles,
      alerts: change,
    } = reply;
    this.#options.onSealed?.(ms);
    const run = this.#runs.get(basename(path));
    if (run !== undefined) {
      // Before the figures, so that a client that sees a step also sees the alert that it raised.
      if (change !== undefined) await this.#applyAlerts(run, change, segment);
      if (figures !== undefined) run.figures = figures;
      run.refused += refused + damagedFiles;
    }
    this.counts.sealed += batches - refused;
    this.counts.refused += refused;
    this.counts.damaged += damagedBytes;
    const kept = join(path, ".serve/refused");
    if (reason !== null)
      this.#options.onNotice(
        `${printable(name)}: ${plural(refused, "batch", "batches")} of ${batches} cannot be read and ${refused === 1 ? "is" : "are"} kept in ${kept}, the first: ${printable(reason)}`,
      );
    for (const trouble of troubles) this.#tell(path, `${printable(name)}: ${printable(trouble)}`);
    if (troubles.length === 0) this.#told.delete(path);
    if (lost.length > 0)
      await this.#open.get(basename(path))?.store.then(
        (store) => store.forget(lost),
        () => {},
      );
    this.#options.onChange(run && this.#describe(run));
  }

  async #applyAlerts(run: KnownRun, change: AlertChange, segment: number): Promise<void> {
    const path = join(this.directory, run.folder);
    try {
      run.alerts = await this.#alerts!.apply(path, change, segment);
    } catch (error) {
      this.#tell(
        path,
        `${this.#nameRun(run.folder)}: its alerts cannot be saved: ${describe(error, path, "write")}`,
      );
    }
  }

  /** The most recently written first. */
  list(): ServedRun[] {
    return [...this.#runs.values()]
      .map((run) => this.#describe(run))
      .sort((a, b) => (b.last_write ?? "").localeCompare(a.last_write ?? ""));
  }

  #describe(run: KnownRun): ServedRun {
    return {
      name: run.name,
      folder: run.folder,
      ...run.figures,
      writing: this.isWriting(run.folder),
      last_write: run.lastWrite === undefined ? null : new Date(run.lastWrite).toISOString(),
      refused: run.refused,
      alerts: run.alerts.length,
      last_alert: run.alerts.at(-1) ?? null,
    };
  }

  /** Resumes watching a run: sends undelivered alerts, and evaluates and sums what no evaluation has covered. */
  async #goOnWatching(run: KnownRun, isWaiting: boolean): Promise<void> {
    const { name, folder, lastPart, areFiguresOld } = run;
    const path = join(this.directory, folder);
    let isSeen = !areFiguresOld;
    if (this.#alerts !== undefined && isPresent(runPlaces(path).alerts)) {
      const { seen } = await this.#alerts.open(path);
      isSeen &&= lastPart <= seen;
    }
    // Waiting segments are evaluated when they are sealed.
    if (isWaiting || isSeen) return;
    this.#sealer.add({
      ...{ run: name, folder: path, segment: lastPart },
      ...{ bytes: 0, batches: 0, repeated: [], isSealed: true },
    });
  }

  has(folder: string): boolean {
    return this.#runs.has(folder);
  }

  isWriting(folder: string): boolean {
    const { lastWrite = 0 } = this.#runs.get(folder) ?? {};
    const path = join(this.directory, folder);
    if (this.#gate.isBusy(folder)) return true;
    return Date.now() - lastWrite < WRITING_MS || this.#sealer.waiting.some((task) => task.folder === path);
  }

  lastWrite(folder: string): number {
    return this.#runs.get(folder)?.lastWrite ?? 0;
  }

  /** Closed segments that are not in the record. */
  get waiting(): { segments: number; bytes: number; batches: number } {
    const { waiting } = this.#sealer;
    return {
      segments: waiting.length,
      bytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
      batches: waiting.reduce((sum, { batches }) => sum + batches, 0),
    };
  }

  /** Set while no segment can be added to the record. */
  get standstill(): Standstill | undefined {
    return this.#sealer.standstill;
  }

  /**
   * Resolves when the batch is durable.
   *
   * @throws UsageError for an invalid run name
   * @throws the system's error; nothing is stored then
   */
  async accept(run: string, batch: Batch): Promise<Accepted> {
    const folder = folderName(run);
    const leave = await this.#gate.enter(folder);
    try {
      if (this.#isClosed) throw new FileSystemError("the server is shutting down");
      return await this.#accept(run, folder, batch);
    } finally {
      leave();
    }
  }

  async #accept(run: string, folder: string, batch: Batch): Promise<Accepted> {
    if (!this.#runs.has(folder)) this.#runs.set(folder, { ...NO_RUN, name: run, folder });
    let store: RunStore;
    try {
      store = await this.#openRun(folder);
    } catch (error) {
      if (this.#runs.get(folder)?.lastWrite === undefined) this.#runs.delete(folder);
      throw error;
    }
    const accepted = await store.accept(batch);
    const known = this.#runs.get(folder)!;
    const isFirst = known.lastWrite === undefined;
    known.lastWrite = Date.now();
    if (accepted.outcome === "stored") this.counts.stored++;
    else if (accepted.outcome === "known") this.counts.known++;
    else this.counts.conflicts++;
    if (isFirst) this.#options.onChange(this.#describe(known));
    return accepted;
  }

  /**
   * Removes a run: renames it first, so that no reader sees half of it. The next start finishes what a kill interrupts.
   *
   * @throws FileSystemError if the system refuses, or batches of the run are arriving
   */
  async remove(folder: string): Promise<void> {
    const path = join(this.directory, folder);
    const removed = this.#gate.alone(folder, () => this.#remove(folder, path));
    if (removed === undefined)
      throw new FileSystemError(`cannot remove ${path}: batches of the run are arriving`, {
        at: { file: path },
      });
    await removed.catch((cause: unknown) => {
      throw isSystemError(cause) ? fileSystemError(cause, "remove", { file: path }) : cause;
    });
  }

  async #remove(folder: string, path: string): Promise<void> {
    const open = this.#open.get(folder);
    await (await open?.store.catch(() => undefined))?.flush();
    await this.#sealer.forget(path);
    await this.#alerts?.forget(path);
    this.#open.delete(folder);
    const hidden = join(this.directory, `${REMOVED}${folder}`);
    // Left by an interrupted removal.
    await rm(hidden, { recursive: true, force: true });
    await rename(path, hidden);
    this.#runs.delete(folder);
    this.#told.delete(path);
    this.#options.onChange();
    await syncDirectory(this.directory);
    await rm(hidden, { recursive: true, force: true });
  }

  /**
   * Turns accepted batches into the record.
   *
   * @param signal gives up on all but the current segment
   * @returns what remains in the log for the next start, by run
   */
  async close(signal: AbortSignal = new AbortController().signal): Promise<readonly UnsealedRun[]> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await this.#gate.settle();
    for (const { store } of this.#open.values()) await store.then((one) => one.flush()).catch(() => {});
    const left = await this.#sealer.end(signal);
    await this.#alerts
      ?.close()
      .catch((error: unknown) =>
        this.#options.onNotice(
          `alerts are left for the next start: ${describe(error, this.directory, "write")}`,
        ),
      );
    await this.#unlock().catch(() => {});
    const counts = new Map<string, number>();
    for (const { run, batches } of left) if (batches > 0) counts.set(run, (counts.get(run) ?? 0) + batches);
    return [...counts].map(([run, batches]) => ({ run, batches }));
  }

  async #openRun(folder: string): Promise<RunStore> {
    const known = this.#open.get(folder);
    if (known !== undefined) {
      known.lastUse = Date.now();
      return known.store;
    }
    const path = join(this.directory, folder);
    const { segmentBytes = 64 << 20, segmentAgeMs = 1000, onCommit } = this.#options;
    const opening = RunStore.open(path, {
      segmentBytes,
      segmentAgeMs,
      ...(onCommit !== undefined && { onCommit }),
      onPending: ({ segment, repeated }) => {
        const { number, bytes, batches } = segment;
        const run = this.#runs.get(folder)?.name ?? folder;
        this.#sealer.add({ run, folder: path, segment: number, bytes, batches, repeated });
      },
    });
    this.#open.set(folder, { store: opening, lastUse: Date.now() });
    opening.catch(() => this.#open.delete(folder));
    return opening;
  }

  async #closeIdle(): Promise<void> {
    for (const run of this.#runs.values())
      if (run.isUnfinished && !this.#open.has(run.folder)) await this.#resume(run);
    for (const [folder, { store, lastUse }] of this.#open) {
      if (Date.now() - lastUse < IDLE_MS || this.isWriting(folder)) continue;
      await this.#gate.alone(folder, async () => {
        await (await store).flush();
        // Opening the run would find what the flush closed, so it stays open until that is sealed.
        if (!this.isWriting(folder)) this.#open.delete(folder);
      });
    }
  }
}

/** A run of which batches are left in the log. */
export interface UnsealedRun {
  readonly run: string;
  readonly batches: number;
}

/** The message of an error, on one line. */
function describe(error: unknown, file: string, doing: string): string {
  const known = isSystemError(error) ? fileSystemError(error, doing, { file: error.path ?? file }) : error;
  return printable(known instanceof Error ? known.message : String(known));
}
