/**
 * A run that grows while it is shown: one pass is kept alive, new files are read into it, and its answers are published
 * again as a cache of their own. Nothing that was read is read again.
 *
 * The files that grow (`PASS_FILES`) are appended to in a folder of their own and linked into each cache. A cache's
 * offsets say how much of them is its, so what comes later, or a process that is killed, changes no cache. Rows lie in
 * the order of arrival. Where that is the order in which a plain read would have them, the cache has the name that a
 * plain read looks for; else it has another, and a plain read makes one that is sorted.
 *
 * @module
 */
import { copyFile, link, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { EmptyInputError } from "../../../../core/base/index.ts";
import { type GrowingRun, growingRun } from "../../../../input/ingest/index.ts";
import { AnswerPass, isUnfinished } from "../cache/build-cache.ts";
import {
  cacheError,
  cachePlaces,
  dropOldCaches,
  publishCache,
  temporaryCache,
} from "../cache/cache-place.ts";
import { digest, type Inputs, stampFile } from "../cache/inputs.ts";
import type { PrepareOptions } from "../cache/options.ts";
import { openPrepared, type PreparedRun } from "../cache/prepared-run.ts";
import { PASS_FILES } from "../pass/run-pass.ts";

/** What a look at the inputs gave. */
export type Looked =
  | { readonly run: PreparedRun }
  /** What was read is not part of the inputs any more: begin anew. */
  | { readonly broken: string }
  /** As it was shown the last time. */
  | { readonly unchanged: true };

export interface LivingRun {
  /**
   * Reads what is new of the inputs and publishes the run with it.
   *
   * @param rests whether a file was the same at the look before
   * @throws what `report` throws for such input; after an error the run is of no use
   */
  look(inputs: Inputs, rests: (path: string) => boolean): Promise<Looked>;
  /** What was published stays. */
  end(): Promise<void>;
}

/** Files of lines are whole at every line end, so nothing but time says that no more will come. */
const LINES = new Set(["jsonl"]);

/** @throws FileSystemError when the cache cannot be written */
export async function beginLivingRun(
  paths: readonly string[],
  options: PrepareOptions,
  key: string,
): Promise<LivingRun> {
  const { read, onProgress, flags = [], cache } = options;
  const places = await cachePlaces(paths, cache);
  const scratch = await temporaryCache(places);
  const folder = scratch.path;
  let pass: AnswerPass;
  try {
    pass = await AnswerPass.start(folder, paths, options);
  } catch (error) {
    await scratch.remove();
    throw cacheError(error, folder);
  }
  const growing: GrowingRun = growingRun(paths, { ...read, ...(onProgress && { onProgress }) });
  const arrived: string[] = [];
  let inOrder = true;
  let shown = "";

  async function publish(
    version: string,
    write: (directory: string) => Promise<string>,
  ): Promise<PreparedRun> {
    const temporary = await temporaryCache(places);
    try {
      for (const name of Object.values(PASS_FILES))
        await shareFile(join(folder, name), join(temporary.path, name));
      const written = await write(temporary.path);
      const directory = await publishCache(temporary, `${key}-${written}`);
      const prepared = await openPrepared(directory, {
        status: "reading",
        growing: basename(folder),
        paths,
        flags,
        reused: false,
        complete: written === version,
      });
      // So that no other process takes the folder for one that was left behind.
      const now = new Date();
      await utimes(folder, now, now);
      await dropOldCaches(directory, key);
      return prepared;
    } catch (error) {
      await temporary.remove();
      throw cacheError(error, temporary.path);
    }
  }

  return {
    async look(inputs, rests) {
      const isFirst = arrived.length === 0;
      const stamps = new Map(inputs.files.map((file) => [file.path, stampFile(file)]));
      const found = await growing.look(stamps, ({ file, format }, stable) => {
        if (isFirst) return true;
        return stable && rests(file) && !(LINES.has(format) && inputs.unsettled.has(file));
      });
      if ("broken" in found) return found;
      if (isFirst && found.news.length === 0) throw new EmptyInputError("nothing is readable yet");
      await pass.read(found.batches()).catch((error: unknown) => {
        throw cacheError(error, folder);
      });
      arrived.push(...found.news.map(({ file }) => file));
      inOrder &&= found.inOrder;
      const version = inOrder
        ? inputs.version
        : `${inputs.version}-as-arrived-${digest(arrived).slice(0, 8)}`;
      const findings = found.findings().list();
      const unfinished = findings.map((finding) => isUnfinished(finding, inputs.unsettled));
      const state = digest([arrived, findings, unfinished, found.waiting]);
      if (state === shown) return { unchanged: true };
      const run = await publish(version, (directory) =>
        pass.write(directory, {
          run: found,
          findings,
          waiting: found.waiting,
          version,
          unsettled: inputs.unsettled,
        }),
      );
      shown = state;
      return { run };
    },
    async end() {
      await pass.close();
      await scratch.remove();
    },
  };
}

/** The same file under both names; where the file system has no such thing, a copy. */
async function shareFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
