/**
 * The thread that turns segments into the record, one at a time and in order, so that writing Parquet and summing keeps
 * no recorder waiting.
 *
 * @module
 */
import { startThread, workerFile } from "../../../analyses/parallel/index.ts";
import { answerSealer, type SealerReply, type SealerTask } from "./answer-sealer.ts";
import type { SealReply, SealTask } from "./seal-segment.ts";

type SealThread = Pick<ReturnType<typeof startThread<SealerTask, SealerReply>>, "ask" | "close">;

const RETRY_MS = [1000, 5000, 15_000, 60_000];

export type WaitingTask = Omit<SealTask, "isLast" | "alerts">;

export interface SealerOptions {
  /** What to evaluate a run's alerts with, read when its turn comes. */
  readonly alertTask?: ((folder: string) => Promise<SealTask["alerts"]>) | undefined;
  /** @param ms milliseconds that it took */
  readonly onSealed: (task: SealTask, reply: SealReply, ms: number) => Promise<void>;
  /** Called on a failure; the task is retried. */
  readonly onFailed: (task: SealTask, error: unknown) => void;
}

export class Sealer {
  readonly #options: SealerOptions;
  readonly #queue: WaitingTask[] = [];
  #thread: SealThread | undefined;
  #running: Promise<void> | undefined;
  #isEnding = false;
  #wake: () => void = () => {};

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Segments not yet in the record, including the current one. */
  get waiting(): readonly WaitingTask[] {
    return this.#queue;
  }

  add(task: WaitingTask): void {
    this.#queue.push(task);
    this.#running ??= this.#run();
  }

  /** Drops the segments of a folder that will be removed, after waiting for a current one. */
  async forget(folder: string): Promise<void> {
    for (let at = this.#queue.length - 1; at >= 0; at--)
      if (this.#queue[at]!.folder === folder && (at > 0 || this.#running === undefined))
        this.#queue.splice(at, 1);
    while (this.#queue[0]?.folder === folder) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Seals what is waiting, for at most `mostMs` milliseconds; the next start does the rest. */
  async end(mostMs: number): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), mostMs);
    });
    const done = (async () => {
      await this.#running;
      if (this.#thread !== undefined) await this.#thread.ask({ end: true });
    })().catch(() => {});
    await Promise.race([done, late]);
    clearTimeout(timer);
    this.#queue.length = 0;
    await this.#thread?.close();
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (this.#queue.length > 0) {
      const [next] = this.#queue as [WaitingTask];
      const isLast = !this.#queue.some((other) => other !== next && other.folder === next.folder);
      let task: SealTask = { ...next, isLast };
      try {
        task = { ...task, alerts: await this.#options.alertTask?.(next.folder) };
        this.#thread ??= this.#start();
        const from = performance.now();
        const reply = await this.#thread.ask({ seal: task });
        this.#queue.shift();
        failures = 0;
        await this.#options.onSealed(task, reply as SealReply, performance.now() - from);
      } catch (error) {
        this.#options.onFailed(task, error);
        if (this.#isEnding) break;
        await this.#pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)]!);
      }
    }
    this.#running = undefined;
  }

  #start(): SealThread {
    const url = workerFile("seal-worker", import.meta.url);
    if (url === undefined) return { ask: answerSealer, close: async () => {} };
    return startThread(url, () => {
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
