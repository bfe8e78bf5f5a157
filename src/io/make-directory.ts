import { existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a directory and those above it, where they are not there. Node's own recursive form never returns, and takes no
 * signal, where the system answers "no such file" although the parent is there, as below /proc.
 *
 * @throws the system's error, which `fileSystemError` puts into words
 */
export function makeDirectory(path: string): void {
  const whole = resolve(path);
  if (existsSync(whole)) return;
  const parent = dirname(whole);
  if (parent !== whole) makeDirectory(parent);
  try {
    mkdirSync(whole);
  } catch (error) {
    // Another process may have been quicker.
    if (!existsSync(whole)) throw error;
  }
}
