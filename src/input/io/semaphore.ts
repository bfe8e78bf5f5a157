/**
 * Limits how many requests run at once.
 *
 * @module
 */

export interface Semaphore {
  /** Runs `task` when a slot is free. @throws the signal's reason when it is aborted while waiting */
  run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Waiter {
  readonly go: () => void;
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting = new Set<Waiter>();

  function wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        waiting.delete(waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        go: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      waiting.add(waiter);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  function release(): void {
    // A slot is passed on, not freed: first come, first served.
    const [next] = waiting;
    if (next === undefined) {
      free++;
      return;
    }
    waiting.delete(next);
    next.go();
  }

  return {
    async run(task, signal) {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await wait(signal);
      try {
        return await task();
      } finally {
        release();
      }
    },
  };
}
