import { type Transferable, Worker } from "node:worker_threads";
import { unpackError } from "./error-transport.ts";
import type { Answer, Question } from "./messages.ts";

/** A worker thread that answers each task once (`answerTasks` is its other end). */
export interface Thread<Task, Reply> {
  /** Rejected with the error that the task threw, or if the thread ended before answering. */
  ask(task: Task, transfer?: readonly Transferable[]): Promise<Reply>;
  /** Ends the thread; rejects unanswered tasks. */
  close(): Promise<void>;
}

interface Pending<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The compiled worker `name.js` next to a module, or its source if Node itself runs TypeScript; undefined if a loader
 * runs TypeScript sources, because worker threads lack it.
 *
 * @param beside the module's `import.meta.url`; default this module
 */
export function workerFile(name: string, beside: string = import.meta.url): URL | undefined {
  if (!beside.endsWith(".ts")) return new URL(`./${name}.js`, beside);
  const native = (process.features as { typescript?: unknown }).typescript;
  return native ? new URL(`./${name}.ts`, beside) : undefined;
}

/** Starts a thread. It keeps the process alive only while it has tasks to answer. */
export function startThread<Task, Reply>(url: URL, onEnd: () => void = () => {}): Thread<Task, Reply> {
  const worker = new Worker(url);
  const pending = new Map<number, Pending<Reply>>();
  let nextId = 0;
  let ended: Error | undefined;

  const end = (error: Error): void => {
    if (ended !== undefined) return;
    ended = error;
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
    onEnd();
  };
  worker.unref();
  worker.on("message", (answer: Answer<Reply>) => {
    const asked = pending.get(answer.id);
    if (!asked) return;
    pending.delete(answer.id);
    if (pending.size === 0) worker.unref();
    if ("reply" in answer) asked.resolve(answer.reply);
    else asked.reject(unpackError(answer.error));
  });
  worker.on("messageerror", (error) => {
    end(error);
    void worker.terminate();
  });
  worker.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
  worker.on("exit", (code) => end(new Error(`a worker thread ended with code ${code}`)));

  return {
    ask(task, transfer = []) {
      if (ended !== undefined) return Promise.reject(ended);
      return new Promise((resolve, reject) => {
        const id = nextId++;
        const question: Question<Task> = { id, task };
        worker.postMessage(question, transfer);
        pending.set(id, { resolve, reject });
        worker.ref();
      });
    },
    async close() {
      await worker.terminate();
    },
  };
}
