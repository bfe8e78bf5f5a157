import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileSystemError } from "../../core/base/index.ts";

/**
 * Makes a directory and its missing parents. Node's own recursive form never returns, and ignores signals, when the
 * system answers "no such file" although the parent exists, as below /proc.
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
    // Another process may have made it first.
    if (!existsSync(whole)) throw fileSystemError(cause, "make the directory", { file: path });
  }
}
