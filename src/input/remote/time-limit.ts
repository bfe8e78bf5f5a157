import { UsageError } from "../../core/base/index.ts";

/** Large files at 30 MB/s: 100 GB take an hour. */
const DEFAULT_SECONDS = 3600;
/** The longest time that a timer accepts. */
const MOST_SECONDS = 2_147_483;

/**
 * The total time in milliseconds that one request may take with all its attempts, or a file that a server sends only as
 * a whole; `LOGRATIO_REMOTE_TIMEOUT` sets it in seconds.
 *
 * @throws UsageError when that is not a positive number
 */
export function remoteTimeLimitMs(): number {
  const given = process.env.LOGRATIO_REMOTE_TIMEOUT;
  if (given === undefined || given === "") return DEFAULT_SECONDS * 1000;
  const seconds = Number(given);
  if (!(seconds > 0 && seconds <= MOST_SECONDS)) {
    throw new UsageError(
      `LOGRATIO_REMOTE_TIMEOUT must be a number of seconds above 0 and up to ${MOST_SECONDS}, not "${given}"`,
    );
  }
  return seconds * 1000;
}
