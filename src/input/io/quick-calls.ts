/** What slow calls may cost before the system is no longer asked that way, ms. */
const CREDIT = 20;
/** Milliseconds of each run of calls that cost nothing: to hand them to a thread would take as long. */
const ALLOWED = 0.1;

/**
 * Calls to the system that the process waits for. Where the system answers from memory, a call takes a few microseconds, and to
 * have another thread make it a hundred: a fifth of the time of a report on thousands of small files. A disk or a network that keeps
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

  /** Makes calls, which take no more than {@link ALLOWED} together on a quick system. */
  run<T>(calls: () => T): T {
    const start = this.#now();
    try {
      return calls();
    } finally {
      // Never more than at first: a file system that becomes slow is noticed just as soon.
      this.#credit = Math.min(CREDIT, this.#credit + ALLOWED - (this.#now() - start));
    }
  }
}

/** Of this process. */
export const quickCalls = new QuickCalls();
