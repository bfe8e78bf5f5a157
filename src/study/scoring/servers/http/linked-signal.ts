/**
 * Joins several signals without leaving listeners on long-lived ones, as AbortSignal.any does.
 *
 * @module
 */

import { setMaxListeners } from "node:events";

export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Stops listening to the sources. */
  readonly unlink: () => void;
}

/** Aborted as soon as one of `sources` is, with its reason. */
export function linkSignals(sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const unlinks: (() => void)[] = [];
  for (const source of sources) {
    if (source === undefined) continue;
    const onAbort = (): void => controller.abort(source.reason);
    if (source.aborted) onAbort();
    // One signal ends many requests; Node would report more than 10 listeners as a leak.
    setMaxListeners(0, source);
    source.addEventListener("abort", onAbort, { once: true });
    unlinks.push(() => source.removeEventListener("abort", onAbort));
  }
  return {
    signal: controller.signal,
    unlink: () => {
      for (const unlink of unlinks) unlink();
    },
  };
}
