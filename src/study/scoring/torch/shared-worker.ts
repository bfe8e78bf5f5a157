/**
 * One worker for all open models, which can be compared without sending their logits only in one process.
 *
 * @module
 */
import { type WorkerOptions, WorkerProcess } from "./worker-process.ts";

export class SharedWorker {
  readonly #options: WorkerOptions;
  #process: Promise<WorkerProcess> | undefined;
  #users = 0;

  private constructor(options: WorkerOptions) {
    this.#options = options;
  }

  static readonly #shared = new Map<string, SharedWorker>();

  /** The worker for these options. Each call must be followed by one of `release`. */
  static acquire({ python, gpu, threads }: WorkerOptions): SharedWorker {
    const key = JSON.stringify([python, gpu, threads]);
    const found = SharedWorker.#shared.get(key) ?? new SharedWorker({ python, gpu, threads });
    SharedWorker.#shared.set(key, found);
    found.#users++;
    return found;
  }

  /** The current process, started on first use and restarted if it died. */
  process(): Promise<WorkerProcess> {
    const start = (): Promise<WorkerProcess> => WorkerProcess.start(this.#options);
    this.#process = this.#process?.then((current) => (current.isAlive ? current : start()), start) ?? start();
    return this.#process;
  }

  /** Ends the process when nobody uses it. */
  async release(): Promise<void> {
    if (--this.#users > 0) return;
    const process = await this.#process?.catch(() => undefined);
    this.#process = undefined;
    await process?.close();
  }
}
