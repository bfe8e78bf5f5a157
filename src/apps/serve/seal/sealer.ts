/**
 * The thread that turns segments into the record, one at a time, so that writing Parquet and summing does not block
 * recorders. A segment that fails is retried later; meanwhile it blocks neither other runs nor, after some tries, the
 * later segments of its own. If one ends the thread every time, its batches are tried one by one, and those that end it
 * are set aside.
 *
 * @module
 */
import { startThread, workerFile } from "../../../analyses/parallel/index.ts";
import { answerSealer, type SealerReply, type SealerTask } from "./answer-sealer.ts";
import { findFatal } from "./find-fatal.ts";
import { refuseSegment } from "./seal-segment.ts";
import type { SealReply, SealTask } from "./seal-task.ts";

export type SealThread = Pick<ReturnType<typeof startThread<SealerTask, SealerReply>>, "ask" | "close">;

const RETRY_MS = [1000, 5000, 15_000, 60_000];
/** From this try on, any failure not caused by the system refuses the batch that causes it. */
const LAST_TRY = 3;
/** While the server shuts down, a segment is tried this often, without long waits. */
const TRIES_AT_END = 3;
const RETRY_AT_END_MS = 500;

export type WaitingTask = Omit<SealTask, "isLast" | "isLastTry" | "alerts"> & {
  /** Number of batches in the segment. */
  readonly batches: number;
};

export interface SealerOptions {
  /** What to evaluate a run's alerts with, read when its turn comes; undefined if that is not possible now. */
  readonly alertTask?: ((folder: string) => Promise<SealTask["alerts"]>) | undefined;
  /** Must not throw. @param ms milliseconds that it took */
  readonly onSealed: (task: SealTask, reply: SealReply, ms: number) => Promise<void>;
  /** Called on a failure; the task is retried. */
  readonly onFailed: (task: WaitingTask, error: unknown) => void;
  /** Milliseconds before the second try, the third, and so on. */
  readonly retryMs?: readonly number[];
  /** Starts the thread; replaced in tests. @param onEnd called when it ends by itself */
  readonly start?: (onEnd: () => void) => SealThread;
}

/** A segment in the queue. */
interface Entry {
  readonly task: WaitingTask;
  tries: number;
  /** How often the thread ended while it sealed this. */
  deaths: number;
  /** The earliest time to try it, by `performance.now`. */
  due: number;
  /** When it first failed, in milliseconds since 1970, and why it failed last. */
  failed?: { readonly since: number; reason: string };
}

/** Why batches are not added to the record. */
export interface Standstill {
  readonly run: string;
  /** Number of waiting batches: of all runs, or of segments that failed often if `isPartial`. */
  readonly batches: number;
  /** Whether other segments were sealed since. */
  readonly isPartial: boolean;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

export class Sealer {
  readonly #options: SealerOptions;
  readonly #queue: Entry[] = [];
  #current: Entry | undefined;
  #thread: SealThread | undefined;
  #running: Promise<void> | undefined;
  #ending: { readonly signal: AbortSignal } | undefined;
  #lastSealed = 0;
  #wake: () => void = () => {};

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Segments not yet in the record, including the current one. */
  get waiting(): readonly WaitingTask[] {
    return this.#queue.map(({ task }) => task);
  }

  /** Set while a segment has failed often. */
  get standstill(): Standstill | undefined {
    const stuck = this.#queue.filter(({ tries, failed }) => tries >= LAST_TRY && failed !== undefined);
    const isOld = ({ failed }: Entry): boolean => failed!.since <= this.#lastSealed;
    const first = stuck.find((entry) => !isOld(entry)) ?? stuck[0];
    if (first === undefined) return undefined;
    const isPartial = isOld(first);
    const batches = (isPartial ? stuck : this.#queue).reduce((sum, { task }) => sum + task.batches, 0);
    return { run: first.task.run, batches, isPartial, ...first.failed! };
  }

  add(task: WaitingTask): void {
    this.#queue.push({ task, tries: 0, deaths: 0, due: 0 });
    this.#running ??= this.#run();
    this.#wake();
  }

  /** Drops the segments of a folder that will be removed, after waiting for a current one. */
  async forget(folder: string): Promise<void> {
    const drop = (): void => {
      for (let at = this.#queue.length - 1; at >= 0; at--) {
        const entry = this.#queue[at]!;
        if (entry.task.folder === folder && entry !== this.#current) this.#queue.splice(at, 1);
      }
    };
    drop();
    while (this.#current?.task.folder === folder) await new Promise((resolve) => setTimeout(resolve, 20));
    // The current segment, if it failed.
    drop();
  }

  /**
   * Seals what is waiting. Gives up on a segment that fails several times, and on all but the current one at the signal:
   * they stay in the log for the next start.
   *
   * @returns what it gave up on
   */
  async end(signal: AbortSignal): Promise<readonly WaitingTask[]> {
    this.#ending = { signal };
    for (const entry of this.#queue) {
      entry.tries = 0;
      entry.due = 0;
    }
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    this.#wake();
    await this.#running;
    const left = this.waiting;
    this.#queue.length = 0;
    await this.#thread?.ask({ end: true }).catch(() => {});
    // Nothing runs in it now: otherwise DuckDB's own threads would abort the process.
    await this.#thread?.close();
    return left;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const now = performance.now();
      const entry = this.#choose(now);
      if (entry === "never") break;
      if (typeof entry === "number") await this.#pause(entry - now);
      else await this.#try(entry);
    }
    this.#running = undefined;
  }

  /** The next segment that is due; else the time when one will be, or that there is none. */
  #choose(now: number): Entry | number | "never" {
    if (this.#ending?.signal.aborted === true) return "never";
    const isEnding = this.#ending !== undefined;
    const held = new Set<string>();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#queue) {
      const { task, tries, due } = entry;
      if (isEnding && tries >= TRIES_AT_END) continue;
      if (due <= now && !held.has(task.folder)) return entry;
      if (due > now) next = Math.min(next, due);
      // In order, as long as its failure may be temporary: out of order, the run's sums are read again.
      if (tries < LAST_TRY) held.add(task.folder);
    }
    return next === Number.POSITIVE_INFINITY ? "never" : next;
  }

  async #try(entry: Entry): Promise<void> {
    const { task: waiting, tries } = entry;
    const isLast = !this.#queue.some((other) => other !== entry && other.task.folder === waiting.folder);
    this.#current = entry;
    try {
      const alerts = await this.#options.alertTask?.(waiting.folder);
      const task = { ...waiting, isLast, isLastTry: tries + 1 >= LAST_TRY, alerts };
      const from = performance.now();
      const reply = await this.#seal(entry, task);
      this.#drop(entry);
      this.#lastSealed = Date.now();
      await this.#options.onSealed(task, reply, performance.now() - from);
    } catch (error) {
      const { retryMs = RETRY_MS } = this.#options;
      const delay =
        this.#ending === undefined ? retryMs[Math.min(tries, retryMs.length - 1)]! : RETRY_AT_END_MS;
      entry.tries++;
      entry.due = performance.now() + delay;
      const reason = error instanceof Error ? error.message : String(error);
      entry.failed = { since: entry.failed?.since ?? Date.now(), reason };
      this.#options.onFailed(waiting, error);
    } finally {
      this.#current = undefined;
    }
  }

  async #seal(entry: Entry, task: SealTask): Promise<SealReply> {
    if (entry.deaths < LAST_TRY) return this.#ask(entry, task);
    // Either its figures end the thread, or batches that survived one by one do not survive together.
    if (task.isSealed || entry.deaths > LAST_TRY) return setAside(entry, task);
    const fatal = await findFatal(task, (trial) => this.#findDeath(trial));
    return this.#ask(entry, { ...task, fatal });
  }

  /** Why the thread ended while sealing this; undefined if it did not. @throws any other obstacle to sealing it */
  async #findDeath(task: SealTask): Promise<string | undefined> {
    const entry = { deaths: 0 };
    try {
      await this.#ask(entry, task);
    } catch (error) {
      if (entry.deaths === 0) throw error;
      return `adding it to the record ended the sealing thread: ${error instanceof Error ? error.message : String(error)}`;
    }
    return undefined;
  }

  async #ask(entry: Pick<Entry, "deaths">, task: SealTask): Promise<SealReply> {
    this.#thread ??= this.#start();
    const thread = this.#thread;
    try {
      return (await thread.ask({ seal: task })) as SealReply;
    } catch (error) {
      if (this.#thread !== thread) entry.deaths++;
      throw error;
    }
  }

  #drop(entry: Entry): void {
    const at = this.#queue.indexOf(entry);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  #start(): SealThread {
    const { start = startSealThread } = this.#options;
    return start(() => {
      this.#thread = undefined;
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function startSealThread(onEnd: () => void): SealThread {
  const url = workerFile("seal-worker", import.meta.url);
  return url === undefined ? { ask: answerSealer, close: async () => {} } : startThread(url, onEnd);
}

/**
 * Sets aside the batches of a segment that the thread does not survive: otherwise it would be retried, and the log
 * kept, forever.
 */
function setAside({ deaths, failed }: Entry, task: SealTask): Promise<SealReply> {
  const reason = `adding its segment to the record ended the sealing thread ${deaths} times: ${failed?.reason ?? "unknown"}`;
  return refuseSegment(task, reason);
}
