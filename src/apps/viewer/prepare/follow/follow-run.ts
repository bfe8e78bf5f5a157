import { isLogratioError } from "../../../../core/base/index.ts";
import { isRemote } from "../../../../input/remote/index.ts";
import { cachePlaces, openCache } from "../cache/cache-place.ts";
import { describeInputs, type Inputs, stampFile } from "../cache/inputs.ts";
import { openPrepared } from "../cache/open-prepared.ts";
import type { PrepareOptions } from "../cache/options.ts";
import { prepareRun } from "../cache/prepare-run.ts";
import type { PreparedRun } from "../cache/prepared-run.ts";
import { beginLivingRun, type LivingRun } from "./living-run.ts";

export interface FollowOptions {
  /** Time between looks at the inputs; default 2 s, and 15 s for a remote store. */
  readonly everyMs?: number;
  readonly signal: AbortSignal;
  /** Receives a new state of the run, and must close the last one. `anew`: row numbers may have changed. */
  readonly onRun: (run: PreparedRun, anew: boolean) => void;
  /** Called with the reason when nothing can be read, and whenever the reason changes. */
  readonly onWaiting?: (error: Error) => void;
  /** Called with the reason when everything is read again. */
  readonly onRebuild?: (why: string) => void;
}

const LOOK_MS = 2000;
const REMOTE_LOOK_MS = 15_000;
/** A file that keeps changing is read anyway after this many looks. */
const MOST_LOOKS = 5;

/**
 * Polls the inputs. Added files are read once they are complete, and only they: what was read before is kept
 * (`living-run.ts`). When a file that was read has changed or vanished, everything is read again, once nothing changes
 * between two looks. Ends with the signal. Waits for inputs that cannot be read yet (nothing there, only half a file).
 *
 * @throws errors that waiting cannot resolve: wrong usage, unexpected errors
 */
export async function followRun(
  paths: readonly string[],
  asked: PrepareOptions,
  {
    everyMs = paths.some(isRemote) ? REMOTE_LOOK_MS : LOOK_MS,
    signal,
    onRun,
    onWaiting,
    onRebuild,
  }: FollowOptions,
): Promise<void> {
  const options: PrepareOptions = { ...asked, following: true, signal };
  const follower = new Follower(paths, options, onRebuild);
  let waited = "";
  try {
    for (; !signal.aborted; await rest(everyMs, signal)) {
      try {
        const found = await follower.look();
        if (found === undefined) continue;
        waited = "";
        if (signal.aborted) await found.run.close();
        else onRun(found.run, found.anew);
      } catch (error) {
        if (signal.aborted) return;
        if (!isLogratioError(error) || error._tag === "UsageError") throw error;
        if (error.message !== waited) onWaiting?.(error);
        waited = error.message;
      }
    }
  } finally {
    await follower.end();
  }
}

class Follower {
  readonly #paths: readonly string[];
  readonly #options: PrepareOptions;
  readonly #onRebuild: ((why: string) => void) | undefined;
  #living: LivingRun | undefined;
  /** What the last look found, file by file. */
  #seen: ReadonlyMap<string, string> = new Map();
  #seenVersion = "";
  /** Version of the inputs when they are shown without a pass that could grow: from a cache, or read as a whole. */
  #asWhole: string | undefined;
  #isFromCache = false;
  /** Version of inputs that could not be read: no use trying again until it changes. */
  #failed: string | undefined;
  /** True if nothing is pending, so that unchanged inputs need no work. */
  #isQuiet = false;
  #hasShown = false;
  #restless = 0;

  constructor(
    paths: readonly string[],
    options: PrepareOptions,
    onRebuild: ((why: string) => void) | undefined,
  ) {
    this.#paths = paths;
    this.#options = options;
    this.#onRebuild = onRebuild;
  }

  async look(): Promise<{ run: PreparedRun; anew: boolean } | undefined> {
    const inputs = await describeInputs(this.#paths, this.#options);
    const before = this.#seen;
    const stamps = new Map(inputs.files.map((file) => [file.path, stampFile(file)]));
    const isSame = inputs.version === this.#seenVersion;
    this.#seen = stamps;
    this.#seenVersion = inputs.version;
    if (isSame && this.#isQuiet) return undefined;
    this.#isQuiet = isSame && inputs.unsettled.size === 0;
    const rests = (path: string): boolean => before.get(path) === stamps.get(path);
    const mayRebuild = (): boolean => isSame || ++this.#restless >= MOST_LOOKS;
    if (this.#living !== undefined) {
      const found = await this.#grow(this.#living, inputs, rests);
      if ("run" in found) return { run: found.run, anew: false };
      if (!("broken" in found) || !mayRebuild()) return undefined;
      this.#onRebuild?.(found.broken);
    } else if (this.#asWhole !== undefined) {
      if (inputs.version === this.#asWhole || !mayRebuild()) return undefined;
      if (this.#isFromCache) this.#onRebuild?.("the cached run cannot be extended (this happens only once)");
    } else {
      const known = await this.#cached(inputs);
      if (known !== undefined) return this.#showWhole(known, inputs);
    }
    this.#restless = 0;
    return this.#begin(inputs);
  }

  async end(): Promise<void> {
    const living = this.#living;
    this.#living = undefined;
    await living?.end();
  }

  /** Reads everything there is. */
  async #begin(inputs: Inputs): Promise<{ run: PreparedRun; anew: boolean } | undefined> {
    const state = `${inputs.version} ${[...inputs.unsettled].join("\n")}`;
    if (state === this.#failed) return undefined;
    await this.end();
    this.#asWhole = undefined;
    this.#failed = state;
    this.#living = await beginLivingRun(this.#paths, this.#options, inputs);
    const found = await this.#grow(this.#living, inputs, () => true);
    this.#failed = undefined;
    if ("run" in found) {
      const anew = this.#hasShown;
      this.#hasShown = true;
      return { run: found.run, anew };
    }
    // Two files that form one run cannot grow by more files.
    await this.end();
    return this.#showWhole(await prepareRun(this.#paths, this.#options), inputs);
  }

  #showWhole(run: PreparedRun, { version }: Inputs): { run: PreparedRun; anew: boolean } {
    this.#asWhole = version;
    this.#isFromCache = run.reused;
    const anew = this.#hasShown;
    this.#hasShown = true;
    return { run, anew };
  }

  /** After an error, what was read is unusable, or may be counted twice. */
  async #grow(
    living: LivingRun,
    inputs: Inputs,
    rests: (path: string) => boolean,
  ): ReturnType<LivingRun["look"]> {
    try {
      return await living.look(inputs, rests);
    } catch (error) {
      this.#isQuiet = false;
      await this.end();
      throw error;
    }
  }

  async #cached(inputs: Inputs): Promise<PreparedRun | undefined> {
    const { cache, flags = [], onNotice } = this.#options;
    const places = await cachePlaces(this.#paths, cache);
    const paths = this.#paths;
    const reuse = (directory: string): Promise<PreparedRun> =>
      openPrepared(directory, { status: "reading", paths, flags, reused: true, complete: true });
    return openCache(places, `${inputs.key}-${inputs.version}`, reuse, onNotice);
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
