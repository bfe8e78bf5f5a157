import { onInterrupt } from "../../input/io/index.ts";

/** Runs work that stops at a signal, and gives the signal at the first interrupt; the second one ends the process. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = onInterrupt(() => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    end();
  }
}
