/**
 * What is at a path; undefined when nothing exists there. An inaccessible path is an error: treated as absent, a
 * directory without permission would be reported as missing, and the files in it as free to be overwritten.
 *
 * @module
 */
import { type Stats, statSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { fileSystemError, isSystemError } from "../../core/base/index.ts";

/** ENOTDIR: part of the path is a file, so nothing can be below it. */
const ABSENT = new Set(["ENOENT", "ENOTDIR"]);

/** Whether a system call failed because nothing exists at its path. */
export function isAbsence(error: unknown): boolean {
  return isSystemError(error) && ABSENT.has(error.code);
}

/** @throws FileSystemError */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  return ifPresent(path, "read", stat(path));
}

/** The text of a file. @throws FileSystemError */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  return ifPresent(path, "read", readFile(path, "utf8"));
}

/** The names in a directory. @throws FileSystemError */
export async function listIfPresent(path: string): Promise<string[] | undefined> {
  return ifPresent(path, "list", readdir(path));
}

/** Whether anything is at a path. @throws FileSystemError */
export function isPresent(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (cause) {
    if (isAbsence(cause)) return false;
    throw fileSystemError(cause, "read", { file: path });
  }
}

async function ifPresent<T>(path: string, doing: string, found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (cause) {
    if (isAbsence(cause)) return undefined;
    throw fileSystemError(cause, doing, { file: path });
  }
}
