/**
 * The Python process, one request at a time.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { delimiter } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type LogratioError, UsageError, VersionError } from "../../../core/base/index.ts";
import { encodeFrame, type Frame, type FrameArray, FrameReader } from "./frames.ts";
import { deathError, makeError, startError } from "./worker-errors.ts";

export interface WorkerOptions {
  /** The interpreter; default LOGRATIO_PYTHON, else `python3`. */
  readonly python?: string | undefined;
  /** GPUs that the worker may use, in the form of CUDA_VISIBLE_DEVICES: `0`, `0,1`; `none` for none. */
  readonly gpu?: string | undefined;
  /** Number of CPU threads. */
  readonly threads?: number | undefined;
}

export interface Asked {
  readonly op: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly arrays?: Readonly<Record<string, FrameArray>>;
  /** Part of a sentence, in case the worker dies: `scoring 12 texts`. */
  readonly doing: string;
  /** Called for frames before the last. */
  readonly onFrame?: (frame: Frame) => void;
  readonly signal?: AbortSignal | undefined;
}

interface Running {
  readonly request: number;
  readonly doing: string;
  readonly onFrame: (frame: Frame) => void;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (error: unknown) => void;
}

const PROTOCOL = 1;
const KEPT_LOG = 8192;
/** Milliseconds that a worker has to end by itself. */
const LAST_WORDS = 5000;

/** The folder of the Python files that come with this program and use the same version of the protocol. */
const PYTHON_FILES = fileURLToPath(new URL("../../../../python", import.meta.url));

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #python: string;
  #log = "";
  #running: Running | undefined;
  #requests = 0;
  /** Why it no longer accepts requests. */
  #ended: LogratioError | undefined;
  /** The last request that was queued: the next one waits for it. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(child: ChildProcess, python: string) {
    this.#child = child;
    this.#python = python;
  }

  /** @throws UnsupportedError when there is no such Python, or PyTorch or transformers is missing */
  static async start(options: WorkerOptions): Promise<WorkerProcess> {
    const python = options.python ?? (process.env.LOGRATIO_PYTHON || "python3");
    const child = spawn(python, ["-m", "logratio.scoring.worker"], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, ...describeEnvironment(options) },
    });
    const worker = new WorkerProcess(child, python);
    const hello = await worker.#listen();
    const { protocol, error } = hello.header;
    if (error === undefined && protocol === PROTOCOL) return worker;
    await worker.close();
    if (error !== undefined) throw makeError(error);
    throw new VersionError(
      `the Python worker speaks version ${String(protocol)} of the protocol, not ${PROTOCOL}`,
      {
        found: Number(protocol),
        supported: PROTOCOL,
        likely: "another installation of logratio comes first on PYTHONPATH",
        hint: "pip install --upgrade logratio",
      },
    );
  }

  get isAlive(): boolean {
    return this.#ended === undefined;
  }

  /** @throws the worker's error reply; UnsupportedError if it dies; the signal's reason */
  ask(asked: Asked): Promise<Frame> {
    const answer = this.#turn.then(() => this.#ask(asked));
    this.#turn = answer.catch(() => undefined);
    return answer;
  }

  async close(): Promise<void> {
    this.#ended ??= new UsageError("the Python worker is closed");
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.stdin?.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), LAST_WORDS);
    await exited;
    clearTimeout(timer);
  }

  async #ask({ op, header, arrays, doing, onFrame = () => undefined, signal }: Asked): Promise<Frame> {
    signal?.throwIfAborted();
    if (this.#ended !== undefined) throw this.#ended;
    const request = ++this.#requests;
    const cancel = (): void => this.#write(encodeFrame({ op: "cancel", request }));
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      return await new Promise<Frame>((resolve, reject) => {
        this.#running = { request, doing, onFrame, resolve, reject };
        this.#write(encodeFrame({ ...header, op, request }, arrays));
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      this.#running = undefined;
      signal?.removeEventListener("abort", cancel);
    }
  }

  #write(bytes: Buffer): void {
    // A closed pipe is also reported by `exit`, with the reason.
    (this.#child.stdin as Writable).write(bytes, () => undefined);
  }

  /** Waits for its first frame. */
  #listen(): Promise<Frame> {
    return new Promise((resolve, reject) => {
      this.#running = { request: 0, doing: "starting", onFrame: resolve, resolve, reject };
      const child = this.#child;
      const reader = new FrameReader();
      (child.stdin as Writable).on("error", () => undefined);
      (child.stderr as Readable).setEncoding("utf8").on("data", (text: string) => {
        this.#log = (this.#log + text).slice(-KEPT_LOG);
      });
      (child.stdout as Readable).on("data", (chunk: Buffer) => {
        try {
          for (const frame of reader.push(chunk)) this.#take(frame);
        } catch (error) {
          this.#end(error as LogratioError);
          child.kill("SIGKILL");
        }
      });
      child.once("error", (cause) => this.#end(startError(this.#python, cause)));
      // Not `exit`: the pipes may still hold the rest of a reply, or the reason.
      child.once("close", (status, signal) => {
        const doing = this.#running?.doing ?? "idle";
        this.#end(deathError({ python: this.#python, status, signal, log: this.#log, doing }));
      });
    });
  }

  #take(frame: Frame): void {
    const running = this.#running;
    const { request = 0, error, done, text } = frame.header;
    if (running === undefined || request !== running.request) return;
    if (error !== undefined && text === undefined && request !== 0) running.reject(makeError(error));
    else if (done === true) running.resolve(frame);
    else running.onFrame(frame);
  }

  #end(error: LogratioError): void {
    this.#ended ??= error;
    this.#running?.reject(this.#ended);
  }
}

function describeEnvironment({ gpu, threads }: WorkerOptions): Record<string, string> {
  const { PYTHONPATH } = process.env;
  return {
    PYTHONPATH: PYTHONPATH ? `${PYTHON_FILES}${delimiter}${PYTHONPATH}` : PYTHON_FILES,
    // Nothing is downloaded: a checkpoint consists only of what its directory contains.
    HF_HUB_OFFLINE: "1",
    TOKENIZERS_PARALLELISM: "false",
    ...(gpu !== undefined && { CUDA_VISIBLE_DEVICES: gpu === "none" ? "" : gpu }),
    ...(threads !== undefined && { OMP_NUM_THREADS: String(threads) }),
  };
}
