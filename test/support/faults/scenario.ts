/**
 * What all fault scenarios share.
 *
 * @module
 */
import { readdirSync } from "node:fs";
import { expect } from "vitest";
import type { Call, Ended, Fault } from "./injected.ts";

/** A working program, run undisturbed once and then with faults. */
export interface Scenario {
  readonly name: string;
  /** Makes the inputs in a folder, and runs the program undisturbed. @returns its calls that change files */
  prepare(folder: string): Promise<readonly Call[]>;
  /** Runs it with each of these faults and then without one. @throws if something is lost, torn or counted twice */
  check(faults: readonly Fault[]): Promise<void>;
}

/** A message about the user's disk. */
export const DISK_ERROR =
  /^error: [\s\S]*(?:the disk is full|\(ENOSPC\)|the device reports an input\/output error|\(EIO\))/m;

const TEMPORARY = /(?:^|\/)\.?logratio-[^/]*/;
export const isTemporary = (path: string): boolean => TEMPORARY.test(path);

export function listTemporary(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).filter(isTemporary);
}

/**
 * A file that could not be removed stays until a later run writes there: a permanently failing disk fails removals too.
 */
export const isFailedRemoval = ({ kind, times = 1 }: Fault, hit: Call | undefined): boolean =>
  hit !== undefined &&
  !kind.startsWith("kill") &&
  (/^(?:rm|rmdir|unlink)/.test(hit.op) || (kind === "eio" && times > 1));

/** Lies next to the folder of a trial, since the folder's content is compared. */
export const openLog = (directory: string): string => `${directory}.log`;

/**
 * Checks how a process ends that met a fault: killed; or with status 0 if it could continue, 4 if batches of a server
 * wait in its log for the next start, as it says, else 3 and a message about the disk, since the disk is at fault, not
 * the program.
 *
 * @param hit the call that was affected; undefined if the process ended before it
 */
export function checkEnd(
  { status, signal, err }: Ended,
  { kind }: Fault,
  hit: Call | undefined,
  message: string,
): void {
  if (hit !== undefined && kind.startsWith("kill")) {
    expect(signal, message).toBe("SIGKILL");
    return;
  }
  expect(signal, message).toBe(null);
  expect(status, message).toBeOneOf(hit === undefined ? [0] : [0, 3, 4]);
  if (kind === "bug") return;
  expect(err, message).not.toMatch(/bug:|\n {4}at /);
  if (status === 3) expect(err, message).toMatch(DISK_ERROR);
  if (status === 4) expect(err, message).toMatch(/not in the record and stays? in its log/);
}
