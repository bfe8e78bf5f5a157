/**
 * Standard output and standard error, where a write may fail: a file on a full disk, a reader that has closed the pipe.
 *
 * @module
 */

import { fstatSync, writeSync } from "node:fs";
import { fileSystemError } from "../../core/base/index.ts";

type Stream = NodeJS.WriteStream & { readonly fd: number };

/** Files and devices other than terminals; Node writes to these once, and takes a part of a text for the whole. */
function isFile({ fd, isTTY }: Stream): boolean {
  if (isTTY) return false;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() || stats.isCharacterDevice() || stats.isBlockDevice();
  } catch {
    return false;
  }
}

function writeAllSync(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) from += writeSync(fd, bytes, from);
}

let outputIsFile: boolean | undefined;
let errorIsFile: boolean | undefined;

/**
 * Writes to standard output. When the reader has closed the pipe (`| head`), the rest is discarded.
 *
 * @throws FileSystemError where it is a file that cannot be written, as on a full disk
 */
export function writeOutput(text: string): void {
  outputIsFile ??= isFile(process.stdout as Stream);
  if (!outputIsFile) {
    process.stdout.write(text);
    return;
  }
  try {
    writeAllSync(1, text);
  } catch (cause) {
    throw fileSystemError(cause, "write", { file: "standard output" });
  }
}

/** Writes to standard error. Where that fails there is nowhere to say so, and the work goes on. */
export function writeMessage(text: string): void {
  errorIsFile ??= isFile(process.stderr as Stream);
  if (!errorIsFile) {
    process.stderr.write(text);
    return;
  }
  try {
    writeAllSync(2, text);
  } catch {
    // The exit status still tells.
  }
}

/**
 * Listens for pipes that are closed, which says nothing about the result: the exit status stays the verb's own.
 *
 * @param onFailure any other failure of standard output
 */
export function listenForClosedPipes(onFailure: (error: NodeJS.ErrnoException) => void): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") onFailure(error);
  });
  process.stderr.on("error", () => {});
}
