/**
 * All runs of a data directory.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileSystemError, isSystemError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { makeDirectory } from "../../../input/io/index.ts";
import type { ServedRun } from "../../../results/index.ts";
import { syncDirectory } from "../log/index.ts";
import { Sealer } from "../seal/sealer.ts";
import { lockDirectory } from "./lock.ts";
import { runPlaces } from "./places.ts";
import { RunAlerts, type RunAlertsOptions } from "./run-alerts.ts";
import { type KnownRun, listRuns, NO_RUN } from "./run-list.ts";
import { folderName } from "./run-name.ts";
import { type Accepted, type Batch, RunStore } from "./run-store.ts";

/** A run with a batch this recently counts as being written. */
const WRITING_MS = 60_000;
/** Runs without a batch for this long are closed; the next batch opens them again. */
const IDLE_MS = 600_000;

export interface DataStoreOptions {
  /** Default 64 MiB. */
  readonly segmentBytes?: number;
  /** Default 1 s: the least time until a batch can be seen. */
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
  /** Bytes cut off segments at the start. */
  torn: number;
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
    torn: 0,
    sealFailures: 0,
  };
  readonly #options: DataStoreOptions;
  readonly #runs = new Map<string, KnownRun>();
  readonly #open = new Map<string, OpenRun>();
  readonly #removing = new Map<string, Promise<void>>();
  readonly #sealer: Sealer;
  readonly #alerts: RunAlerts | undefined;
  readonly #unlock: () => Promise<void>;
  readonly #sweep: NodeJS.Timeout;

  private constructor(directory: string, options: DataStoreOptions, unlock: () => Promise<void>) {
    this.directory = directory;
    this.#options = options;
    this.#unlock = unlock;
    const alerts = options.alerts && new RunAlerts(options.alerts);
    this.#alerts = alerts;
    this.#sealer = new Sealer({
      alertTask: alerts && ((folder) => alerts.task(folder)),
      onSealed: async ({ folder, segment }, { figures, batches, refused, reason, alerts: change }, ms) => {
        options.onSealed?.(ms);
        const run = this.#byPath(folder);
        if (run !== undefined) {
          // Before the figures, so that whoever sees a step sees the alert that it raised.
          if (change !== undefined) run.alerts = await alerts!.apply(folder, change, segment);
          run.figures = figures;
          run.refused += refused;
        }
        this.counts.sealed += batches;
        this.counts.refused += refused;
        if (reason !== null)
          options.onNotice(
            `${run?.name ?? folder}: ${plural(refused, "batch", "batches")} of ${batches} cannot be read and ${refused === 1 ? "is" : "are"} kept in ${join(folder, ".serve/refused")}, the first: ${reason}`,
          );
        options.onChange(run && this.#describe(run));
      },
      onFailed: ({ folder, segment }, error) => {
        this.counts.sealFailures++;
        options.onNotice(
          `${folder}: segment ${segment} could not be added to the record yet and will be tried again: ${(error as Error).message}`,
        );
      },
    });
    this.#sweep = setInterval(() => void this.#closeIdle().catch(() => {}), IDLE_MS / 10).unref();
  }

  /**
   * Reads the directory, cuts off torn ends, and resumes making the record of accepted batches.
   *
   * @throws UsageError when another server has the directory
   * @throws FileSystemError where the system refuses
   */
  static async open(directory: string, options: DataStoreOptions): Promise<DataStore> {
    makeDirectory(directory);
    const unlock = await lockDirectory(directory);
    try {
      const store = new DataStore(directory, options, unlock);
      for (const run of await listRuns(directory)) store.#runs.set(run.folder, run);
      for (const run of store.#runs.values()) {
        if (run.isUnfinished) await store.#openRun(run.folder);
        await store.#goOnWatching(run);
      }
      return store;
    } catch (cause) {
      await unlock();
      throw isSystemError(cause) ? fileSystemError(cause, "read", { file: directory }) : cause;
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

  /** Resumes watching a run: sends undelivered alerts, and evaluates what no look has seen. */
  async #goOnWatching({ name, folder, lastPart, isUnfinished }: KnownRun): Promise<void> {
    const path = join(this.directory, folder);
    if (this.#alerts === undefined || !existsSync(runPlaces(path).alerts)) return;
    const { seen } = await this.#alerts.open(path);
    if (isUnfinished || lastPart <= seen) return;
    this.#sealer.add({
      ...{ run: name, folder: path, segment: lastPart },
      ...{ bytes: 0, repeated: [], isSealed: true },
    });
  }

  has(folder: string): boolean {
    return this.#runs.has(folder);
  }

  isWriting(folder: string): boolean {
    const { lastWrite = 0 } = this.#runs.get(folder) ?? {};
    const path = join(this.directory, folder);
    return Date.now() - lastWrite < WRITING_MS || this.#sealer.waiting.some((task) => task.folder === path);
  }

  lastWrite(folder: string): number {
    return this.#runs.get(folder)?.lastWrite ?? 0;
  }

  /** Closed segments that are not in the record. */
  get waiting(): { segments: number; bytes: number } {
    const { waiting } = this.#sealer;
    return { segments: waiting.length, bytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /**
   * Resolves when the batch is durable.
   *
   * @throws UsageError for a run name that is not accepted
   * @throws the system's error; nothing is stored then
   */
  async accept(run: string, batch: Batch): Promise<Accepted> {
    const folder = folderName(run);
    await this.#removing.get(folder);
    if (!this.#runs.has(folder)) {
      this.#runs.set(folder, { ...NO_RUN, name: run, folder });
    }
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

  /** Removes a run: renames it first, so that nobody reads half of it. */
  remove(folder: string): Promise<void> {
    const removed = this.#remove(folder).finally(() => this.#removing.delete(folder));
    this.#removing.set(folder, removed);
    return removed;
  }

  async #remove(folder: string): Promise<void> {
    const path = join(this.directory, folder);
    const open = this.#open.get(folder);
    await (await open?.store)?.flush();
    await this.#sealer.forget(path);
    await this.#alerts?.forget(path);
    this.#open.delete(folder);
    const hidden = join(this.directory, `.removed-${folder}`);
    await rename(path, hidden);
    await syncDirectory(this.directory);
    await rm(hidden, { recursive: true, force: true });
    this.#runs.delete(folder);
    this.#options.onChange();
  }

  /** Makes accepted batches durable and, as far as time allows, part of the record. */
  async close(mostMs = 10_000): Promise<void> {
    clearInterval(this.#sweep);
    for (const { store } of this.#open.values()) await (await store).flush();
    await this.#sealer.end(mostMs);
    await this.#alerts?.close();
    await this.#unlock();
  }

  #byPath(path: string): KnownRun | undefined {
    return [...this.#runs.values()].find(({ folder }) => join(this.directory, folder) === path);
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
        const { number, bytes } = segment;
        const run = this.#runs.get(folder)?.name ?? folder;
        this.#sealer.add({ run, folder: path, segment: number, bytes, repeated });
      },
    });
    const store = opening.then(({ store: opened, torn }) => {
      this.counts.torn += torn;
      if (torn > 0)
        this.#options.onNotice(
          `${folder}: ${torn} bytes of a batch that was never acknowledged were cut off the log`,
        );
      return opened;
    });
    this.#open.set(folder, { store, lastUse: Date.now() });
    store.catch(() => this.#open.delete(folder));
    return store;
  }

  async #closeIdle(): Promise<void> {
    for (const [folder, { store, lastUse }] of this.#open) {
      if (Date.now() - lastUse < IDLE_MS || this.isWriting(folder)) continue;
      await (await store).flush();
      this.#open.delete(folder);
    }
  }
}
