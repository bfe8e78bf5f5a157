/**
 * Features of the system that tests need and not every system has.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const isWindows = process.platform === "win32";

const NEEDS = {
  /** `sh` and `bash` that take POSIX paths; those of Git for Windows do not know `C:\`. */
  shell: { reason: "no POSIX shell", has: () => !isWindows && spawnSync("bash", ["-c", ":"]).status === 0 },
  /** Windows ends a process at any signal, without asking it. */
  signals: { reason: "signals cannot be handled", has: () => !isWindows },
  links: { reason: "no symbolic links, or no right to make them", has: canLink },
  /** Root can read everything, and Windows has no such mode. */
  modes: { reason: "a file's mode keeps nobody out", has: () => !isWindows && process.getuid?.() !== 0 },
  users: { reason: "no other user to run as", has: () => process.getuid?.() === 0 },
  proc: { reason: "no /proc", has: () => existsSync("/proc/self/status") },
} as const;

export type Need = keyof typeof NEEDS;

function canLink(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "logratio-link-"));
  try {
    symlinkSync("nowhere", join(folder, "link"));
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Whether the system lacks what a test needs; if so, says it visibly: for `it.skipIf(lacks("links", "…"))`.
 *
 * @param what what is then not tested
 */
export function lacks(need: Need, what: string): boolean {
  const { reason, has } = NEEDS[need];
  if (has()) return false;
  console.warn(`SKIPPED: ${what}: ${reason}`);
  return true;
}
