/**
 * One worker for all open models: only in one process can they be compared without sending their logits.
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

  /** The worker of these options. Each call of this must be followed by one of `release`. */
  static acquire({ python, gpu, threads }: WorkerOptions): SharedWorker {
    const key = JSON.stringify([python, gpu, threads]);
    const found = SharedWorker.#shared.get(key) ?? new SharedWorker({ python, gpu, threads });
    SharedWorker.#shared.set(key, found);
    found.#users++;
    return found;
  }

  /** The current process: started on first use, and again after it died. */
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
