import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileSystemError } from "../../core/base/index.ts";

/**
 * Makes a directory and those above it, where they are not there. Node's own recursive form never returns, and takes no
 * signal, where the system answers "no such file" although the parent is there, as below /proc.
 *
 * @throws FileSystemError or NotFoundError where the system refuses
 */
export function makeDirectory(path: string): void {
  const whole = resolve(path);
  if (existsSync(whole)) return;
  const parent = dirname(whole);
  if (parent !== whole) makeDirectory(parent);
  try {
    mkdirSync(whole);
  } catch (cause) {
    // Another process may have been quicker.
    if (!existsSync(whole)) throw fileSystemError(cause, "make the directory", { file: path });
  }
}
