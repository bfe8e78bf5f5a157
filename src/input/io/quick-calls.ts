/** Milliseconds that slow calls may cost before all further calls go to other threads. */
const CREDIT = 20;
/** Milliseconds of synchronous calls that cost no credit: handing them to a thread would take as long. */
const ALLOWED = 0.1;

/**
 * Synchronous system calls. If the system answers from memory, a call takes a few microseconds, and having another
 * thread make it a hundred: a fifth of the time of a report on thousands of small files. A disk or network that keeps
 * the process waiting uses up a credit with its first files, and all further calls go to other threads, many at a time.
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

  /** Makes calls, which together take at most {@link ALLOWED} on a quick system. */
  run<T>(calls: () => T): T {
    const start = this.#now();
    try {
      return calls();
    } finally {
      // Never above the initial credit, so that a file system that becomes slow is noticed just as soon.
      this.#credit = Math.min(CREDIT, this.#credit + ALLOWED - (this.#now() - start));
    }
  }
}

/** The one instance for this process. */
export const quickCalls = new QuickCalls();
