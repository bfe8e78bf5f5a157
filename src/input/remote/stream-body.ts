/**
 * A file that a server sends only as a whole, from front to back, within a limit of time.
 *
 * @module
 */
import { FileSystemError } from "../../core/base/index.ts";
import { explainBreak, RETRY, retrying } from "./retry.ts";
import { remoteTimeLimitMs } from "./time-limit.ts";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * The bytes of a response as they arrive.
 *
 * @throws FileSystemError if the response fails or breaks off, if no byte arrives for as long as an attempt may take,
 * or if the whole response takes longer than {@link remoteTimeLimitMs}
 */
export async function* streamBody(
  name: string,
  ask: (signal: AbortSignal) => Promise<Response>,
): AsyncGenerator<Uint8Array> {
  const end = performance.now() + remoteTimeLimitMs();
  const { body } = await retrying(name, (signal) => answerWithin(signal, ask));
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (;;) {
      const bytes = await readWithin(reader, name, end);
      if (bytes === undefined) return;
      yield bytes;
    }
  } finally {
    // A server that keeps sending must not be waited for.
    reader.cancel().catch(() => {});
  }
}

/** A response whose body is not bound by the time in which it had to begin. */
async function answerWithin(
  signal: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const asking = new AbortController();
  const stop = (): void => asking.abort();
  signal.addEventListener("abort", stop);
  try {
    return await ask(asking.signal);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The next bytes; undefined at the end. */
async function readWithin(reader: Reader, name: string, end: number): Promise<Uint8Array | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const left = Math.max(0, end - performance.now());
    const isIdle = left > RETRY.timeoutMs;
    timer = setTimeout(() => reject(tooSlow(name, isIdle)), isIdle ? RETRY.timeoutMs : left);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), late]);
    return done ? undefined : value;
  } catch (error) {
    throw error instanceof FileSystemError ? error : explainBreak(name, error);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(name: string, isIdle: boolean): FileSystemError {
  const seconds = (isIdle ? RETRY.timeoutMs : remoteTimeLimitMs()) / 1000;
  return new FileSystemError(
    isIdle ? `no byte of ${name} came for ${seconds} s` : `${name} was not sent within ${seconds} s`,
    {
      at: { file: name },
      likely: "the server or the network is too slow, or the server never ends its answer",
      hint: isIdle
        ? "try again later, or copy the file here first"
        : "copy the file here first, or set LOGRATIO_REMOTE_TIMEOUT to more seconds",
    },
  );
}
