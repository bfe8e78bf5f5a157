import { isLogratioError } from "../../base/errors.ts";
import { inputsOf } from "./inputs.ts";
import type { PrepareOptions } from "./options.ts";
import { prepareRun } from "./prepare-run.ts";
import type { PreparedRun } from "./prepared-run.ts";

export interface FollowOptions {
  /** Between looks at the inputs; default two seconds. */
  readonly everyMs?: number;
  readonly signal: AbortSignal;
  /** A state of the run that is new; the last one is the receiver's to close. */
  readonly onRun: (run: PreparedRun) => void;
  /** Nothing can be read at present, and why; called when the reason changes. */
  readonly onWaiting?: (error: Error) => void;
}

/** A file that never rests is read every so many looks all the same. */
const MOST_LOOKS = 5;

/**
 * Looks at the inputs again and again and prepares them when files were added or changed, once they rest between two
 * looks. Ends with the signal. Inputs that cannot be read yet (nothing there, only half a file) are waited for.
 *
 * @throws what cannot get better by waiting: wrong usage, foreign errors
 */
export async function followRun(
  paths: readonly string[],
  options: PrepareOptions,
  { everyMs = 2000, signal, onRun, onWaiting }: FollowOptions,
): Promise<void> {
  let shown: string | undefined;
  let complete = true;
  let seen: string | undefined;
  let waited = "";
  let looks = 0;
  for (; !signal.aborted; await rest(everyMs, signal)) {
    try {
      const inputs = await inputsOf(paths, { ...options, following: true });
      const changed = inputs.version !== shown;
      const finished = !complete && inputs.unsettled.size === 0;
      if (!changed && !finished) continue;
      const rests = inputs.version === seen || shown === undefined;
      seen = inputs.version;
      if (!rests && ++looks < MOST_LOOKS) continue;
      looks = 0;
      const run = await prepareRun(paths, { ...options, following: true, signal });
      shown = inputs.version;
      complete = run.complete;
      waited = "";
      if (signal.aborted) await run.close();
      else onRun(run);
    } catch (error) {
      if (signal.aborted) return;
      if (!isLogratioError(error) || error._tag === "UsageError") throw error;
      if (error.message !== waited) onWaiting?.(error);
      waited = error.message;
    }
  }
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
