/**
 * A run or a study as a folder or a zip of files that opens from a disk or from any web server: the built page, and each
 * answer as a script under its own path.
 *
 * @module
 */

import { createWriteStream } from "node:fs";
import { readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { fileSystemError, isSystemError, UsageError } from "../../../core/base/index.ts";
import { createScratch, makeDirectory } from "../../../input/io/index.ts";
import type { LoggedMetrics } from "../../../results/view.ts";
import type { PreparedStudy } from "../kl/prepared-study.ts";
import { NO_LOGGED_METRICS } from "../logged/read-logged-metrics.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { builtPage } from "../server/static-files.ts";
import { type BundleFile, bundleFiles } from "./bundle-files.ts";

export interface BundleOptions {
  /** The built page; default the one that comes with this package. */
  readonly page?: string;
  /** Whether a file or directory at the target is replaced; default not. */
  readonly replace?: boolean;
  /** What the run's own logger wrote; default nothing. */
  readonly logged?: LoggedMetrics;
}

export interface BundleResult {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes the bundle, as a zip if `target` ends in `.zip`, under a temporary name, then renames it. The answer at
 * `api/PATH` is in `api/PATH.js`. Alternatives of a whole sequence are at `topk/INDEX`, because a file cannot answer
 * for ranges of tokens; answers that a server computes on request are absent. `run` has `bundled` set.
 *
 * @throws UsageError if `target` exists and must not be replaced
 * @throws FileSystemError or NotFoundError if the system refuses; the previous `target` is kept
 */
export async function writeBundle(
  run: PreparedRun | PreparedStudy,
  target: string,
  { page = builtPage(), replace = false, logged = NO_LOGGED_METRICS }: BundleOptions = {},
): Promise<BundleResult> {
  const whole = resolve(target);
  if (!replace) await refuseOccupied(whole, target);
  const scratch = await writing(target, async () => {
    makeDirectory(dirname(whole));
    return createScratch(dirname(whole));
  });
  const counted = { files: 0, bytes: 0 };
  const files = counting(bundleFiles(run, page, logged), counted);
  const made = join(scratch.path, "bundle");
  try {
    if (whole.endsWith(".zip")) {
      await writeZip(made, files, target);
      await writing(target, () => rename(made, whole));
    } else {
      for await (const { path, read } of files) {
        const bytes = await read();
        await writing(target, async () => {
          makeDirectory(dirname(join(made, path)));
          await writeFile(join(made, path), bytes);
        });
      }
      await writing(target, async () => {
        // An existing target is moved aside first, and removed with the scratch directory once the new one has its
        // name.
        const before = join(scratch.path, "before");
        await rename(whole, before).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "ENOENT") throw error;
        });
        await rename(made, whole).catch(async (error: unknown) => {
          await rename(before, whole).catch(() => {});
          throw error;
        });
      });
    }
  } finally {
    await scratch.remove();
  }
  return counted;
}

async function writing<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw isSystemError(cause) ? fileSystemError(cause, "write", { file }) : cause;
  }
}

async function refuseOccupied(whole: string, target: string): Promise<void> {
  const there = await readdir(whole).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : [basename(whole)],
  );
  if (there.length > 0)
    throw new UsageError(`${target} already exists`, { hint: "name a path that does not exist yet" });
}

async function* counting(
  files: AsyncIterable<BundleFile>,
  counted: { files: number; bytes: number },
): AsyncGenerator<BundleFile> {
  for await (const { path, read } of files) {
    counted.files++;
    const reading = async (): Promise<Uint8Array> => {
      const bytes = await read();
      counted.bytes += bytes.length;
      return bytes;
    };
    yield { path, read: reading };
  }
}

/** Files are read when their turn comes: a bundle may be larger than memory. */
async function writeZip(path: string, files: AsyncIterable<BundleFile>, target: string): Promise<void> {
  const zip = new ZipFile();
  const written = pipeline(zip.outputStream as Readable, createWriteStream(path)).catch((cause: unknown) => {
    throw fileSystemError(cause, "write", { file: target });
  });
  // Awaited below, unless reading a file fails first.
  written.catch(() => {});
  const failed = new Promise<never>((_, reject) => zip.on("error", reject));
  for await (const { path: name, read } of files) {
    zip.addReadStreamLazy(name, {}, (give) => {
      read().then(
        (bytes) => give(null, Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)])),
        (error: unknown) => give(error, Readable.from([])),
      );
    });
  }
  zip.end();
  await Promise.race([written, failed]);
}
