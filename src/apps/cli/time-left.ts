/** Milliseconds over which the reading speed is measured. */
const WINDOW_MS = 6000;
const LEAST_MS = 3000;
/** Allowed ratio between the estimates of the window's halves; beyond it, neither can be trusted. */
const MOST_APART = 1.5;

/** Before this share, mostly start-up has been measured. */
const LEAST_SHARE = 0.05;

interface Seen {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Estimates how long reading will take from the recent speed: the first seconds are spent on starting, and files
 * differ. Unknown while the speed is unsteady, and once all bytes were read, because what follows reads nothing.
 */
export class TimeLeft {
  #seen: Seen[] = [];

  /** Returns seconds, or null. @param now milliseconds */
  update(bytesRead: number, bytesTotal: number, now: number): number | null {
    this.#seen.push({ at: now, bytes: bytesRead });
    this.#seen = this.#seen.filter(({ at }) => at >= now - WINDOW_MS);
    const [first] = this.#seen;
    const last = this.#seen.at(-1)!;
    if (bytesRead >= bytesTotal || bytesRead < LEAST_SHARE * bytesTotal) return null;
    if (first === undefined || last.at - first.at < LEAST_MS) return null;
    const middle = this.#seen.find(({ at }) => at >= (first.at + last.at) / 2)!;
    const left = (from: Seen, to: Seen): number =>
      ((bytesTotal - bytesRead) * (to.at - from.at)) / (to.bytes - from.bytes) / 1000;
    const [early, late] = [left(first, middle), left(middle, last)];
    const apart = Math.max(early, late) / Math.min(early, late);
    return apart <= MOST_APART ? left(first, last) : null;
  }
}
