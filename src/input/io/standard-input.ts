import { fstatSync } from "node:fs";
import { FileSystemError } from "../../core/base/index.ts";

/**
 * The process's standard input.
 *
 * @throws FileSystemError where it is a directory, which Node reads as an empty stream
 */
export function openStandardInput(): AsyncIterable<Uint8Array> {
  if (isDirectory())
    throw new FileSystemError("standard input is a directory, not a file or a pipe", {
      at: { file: "-" },
      likely: "it was given as < DIRECTORY",
      hint: "give the directory as a path, without <",
    });
  return process.stdin;
}

function isDirectory(): boolean {
  try {
    return fstatSync(0).isDirectory();
  } catch {
    // It is closed; reading it reports that.
    return false;
  }
}
