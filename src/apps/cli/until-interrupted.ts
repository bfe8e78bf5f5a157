import { onInterrupt } from "../../input/io/index.ts";

/** Runs work that stops at a signal: the first interrupt aborts it; the second ends the process. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const end = onInterrupt(() => controller.abort());
  try {
    return await work(controller.signal);
  } finally {
    end();
  }
}

/** The same for work without a result when aborted: undefined then. */
export async function unlessInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return untilInterrupted(async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  });
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
