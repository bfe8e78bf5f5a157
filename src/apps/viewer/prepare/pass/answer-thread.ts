/**
 * The answers of a large run, built in a thread of their own: it takes batch after batch while this one reads and sums
 * the next, and diagnoses the run while this one writes the report.
 *
 * @module
 */
import { availableParallelism } from "node:os";
import { moveArrays, startThread, type Thread, workerFile } from "../../../../analyses/parallel/index.ts";
import { memoryLimit } from "../../../../core/base/index.ts";
import type { RowSums } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { Diagnosis } from "../../../../results/diagnosis.ts";
import {
  AnswerBuilder,
  type Answering,
  type AnswerOptions,
  type BuiltAnswers,
  type ReportParts,
} from "./answer-builder.ts";
import type { AnswerReply, AnswerTask } from "./answer-messages.ts";
import type { RunRead } from "./run-read.ts";

/** Bytes of input from which on a thread is worth starting: that takes a fifth of a second, in which half a million tokens are read. */
const THREAD_BYTES = 2 ** 23;
/** Batches per thread: one in progress, one waiting. */
const BATCHES_HELD = 2;

/** How the thread is started. */
export interface AnswerWorkers {
  /** Undefined if no thread can run it. */
  readonly url: URL | undefined;
  readonly start: (url: URL) => Thread<AnswerTask, AnswerReply>;
}

/** @param bytes of all inputs, as far as they are known */
export async function startAnswers(
  options: AnswerOptions,
  bytes: number,
  { url, start }: AnswerWorkers = {
    url: availableParallelism() > 1 ? workerFile("answer-worker", import.meta.url) : undefined,
    start: startThread,
  },
): Promise<Answering> {
  if (url === undefined || bytes < THREAD_BYTES) return AnswerBuilder.start(options);
  return AnswerThread.start(start(url), options);
}

class AnswerThread implements Answering {
  readonly #thread: Thread<AnswerTask, AnswerReply>;
  /** One promise per batch in flight, oldest first; never rejected. */
  readonly #held: Promise<void>[] = [];
  #failure: { readonly error: unknown } | undefined;

  private constructor(thread: Thread<AnswerTask, AnswerReply>) {
    this.#thread = thread;
  }

  static async start(thread: Thread<AnswerTask, AnswerReply>, options: AnswerOptions): Promise<AnswerThread> {
    const answers = new AnswerThread(thread);
    // Not awaited: reading begins while the thread starts.
    answers.#hold(thread.ask({ kind: "start", options, memoryLimit: memoryLimit() }));
    return answers;
  }

  async add(batch: RecordBatch, sums: RowSums, truths?: readonly (string | undefined)[]): Promise<void> {
    while (this.#held.length >= BATCHES_HELD) await this.#held.shift();
    this.#check();
    const { value, buffers } = moveArrays({ batch, sums });
    this.#hold(this.#thread.ask({ kind: "add", ...value, truths }, buffers));
  }

  async flush(): Promise<void> {
    await this.#ask({ kind: "flush" });
  }

  async diagnose(read: RunRead, sampleTokens?: number): Promise<Diagnosis> {
    return (await this.#ask({ kind: "diagnose", read, sampleTokens })) as Diagnosis;
  }

  async finish(parts: ReportParts): Promise<BuiltAnswers> {
    return (await this.#ask({ kind: "finish", parts })) as BuiltAnswers;
  }

  async close(): Promise<void> {
    try {
      // After an error, too, which was reported when it occurred.
      await Promise.all(this.#held);
      if (this.#failure === undefined) await this.#thread.ask({ kind: "close" });
    } finally {
      await this.#thread.close();
    }
  }

  /**
   * The thread's reply once everything in flight is done; throws the first error among it. Sent before this returns:
   * the caller writes a report next, half a second without a turn of the event loop.
   */
  async #ask(task: AnswerTask): Promise<AnswerReply> {
    const reply = this.#thread.ask(task);
    reply.catch(() => {});
    await this.#settle();
    return reply;
  }

  #hold(reply: Promise<AnswerReply>): void {
    this.#held.push(
      reply.then(
        () => {},
        (error: unknown) => {
          this.#failure ??= { error };
        },
      ),
    );
  }

  /** Waits for everything in flight. */
  async #settle(): Promise<void> {
    await Promise.all(this.#held.splice(0));
    this.#check();
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
