/** What slow calls may cost before the system is no longer asked that way, ms. */
const CREDIT = 20;
/** What a call should take at most, ms: one through another thread costs the processor as much. */
const PER_CALL = 0.1;

/**
 * Calls to the system that the process waits for. Where the system answers from memory, a call takes a few microseconds, and to
 * have another thread make it a hundred: most of the time of a run of thousands of small files. A disk or a network that keeps
 * the process waiting uses up a credit with its first files, and all further calls are for other threads, many at a time.
 */
export class QuickCalls {
  #credit = CREDIT;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the process may wait for a call. */
  get areQuick(): boolean {
    return this.#credit > 0;
  }

  /** Makes calls that take {@link PER_CALL} together on a quick system. */
  run<T>(calls: () => T): T {
    const start = this.#now();
    try {
      return calls();
    } finally {
      // Never more than at first: a file system that becomes slow is found out as soon.
      this.#credit = Math.min(CREDIT, this.#credit + PER_CALL - (this.#now() - start));
    }
  }
}

/** Of this process. */
export const quickCalls = new QuickCalls();
