/**
 * How long to wait before a retry.
 *
 * @module
 */

/** Longest wait chosen here; a server may ask for a longer one. */
const MAX_DELAY_MS = 30_000;

/**
 * Exponential with jitter: `base · 2^attempt`, at most 30 s, times a random factor from ½ to 1, so that clients
 * refused together do not return together.
 *
 * @param attempt - 0 before the first retry
 */
export function backoffMs(attempt: number, baseMs: number, random: () => number = Math.random): number {
  return Math.min(MAX_DELAY_MS, baseMs * 2 ** attempt) * (0.5 + 0.5 * random());
}

/** Milliseconds that a `Retry-After` header asks for (seconds or an HTTP date, RFC 9110); undefined without one. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Waits. @throws the signal's reason */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Whether the same request may succeed after this status. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
