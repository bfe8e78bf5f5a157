/**
 * Places to which reading is confined: `logratio mcp` starts a verb for a client that may read only below some
 * directories. Where a path leads through links is decided here, where files are opened: a check before the verb would
 * not see the links inside a directory, and a link can be exchanged after any check.
 * @module
 */
import { fstatSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { FileSystemError } from "../../core/base/index.ts";

/** An environment variable, so that threads have it too. */
const VARIABLE = "LOGRATIO_READ_BELOW";

/** Directories that this process made, such as temporary ones, and reads again. */
const own = new Set<string>();

let parsed: { readonly text: string; readonly roots: readonly string[] } | undefined;

/** The real paths below which this process may read; undefined where it may read everything. */
function readRoots(): readonly string[] | undefined {
  const text = process.env[VARIABLE];
  if (text === undefined) return undefined;
  if (parsed?.text !== text) parsed = { text, roots: JSON.parse(text) as string[] };
  return parsed.roots;
}

/**
 * The environment for a process that may read only below these real paths.
 *
 * @param roots real paths: none of their parts is a link
 */
export function confinedEnvironment(roots: readonly string[]): Readonly<Record<string, string>> {
  return { [VARIABLE]: JSON.stringify(roots) };
}

export function isConfined(): boolean {
  return readRoots() !== undefined;
}

/** Lets a confined process read below a directory that it made itself. */
export function admitOwn(directory: string): void {
  if (isConfined()) own.add(realpathSync(directory));
}

function isBelow(path: string, root: string): boolean {
  const rest = relative(root, path);
  return rest === "" || !(rest === ".." || rest.startsWith(`..${sep}`) || isAbsolute(rest));
}

/** Whether a real path may be read. */
function isReadable(real: string): boolean {
  const roots = readRoots();
  return roots === undefined || [...roots, ...own].some((root) => isBelow(real, root));
}

/** Whether a path leads, through all its links, to a place that may be read; false also where it leads nowhere. */
export async function leadsInside(path: string): Promise<boolean> {
  if (!isConfined()) return true;
  return realpath(path).then(isReadable, () => false);
}

/** The error for a path that may not be read. It reveals nothing about the place that the path leads to. */
function leadsOutside(path: string): FileSystemError {
  return new FileSystemError(`${path} leads out of the directories that may be read, or nowhere`, {
    at: { file: path },
    likely: "it is a link, or lies behind one",
    hint: "copy the file here, or give the place that holds it as a root, too: logratio mcp ROOT…",
  });
}

/** @throws FileSystemError when a path may not be read */
export async function refuseOutside(path: string): Promise<void> {
  if (!(await leadsInside(path))) throw leadsOutside(path);
}

/**
 * Checks the file that was opened, not what lies at its path by now.
 *
 * @throws FileSystemError when it may not be read
 */
export function checkOpened(path: string, descriptor: number): void {
  if (isConfined() && !isReadable(findOpened(path, descriptor) ?? "")) throw leadsOutside(path);
}

/** The real path of an open file; undefined where something else lies there by now. */
function findOpened(path: string, descriptor: number): string | undefined {
  try {
    if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    // No /proc, as in some containers.
  }
  try {
    const real = realpathSync(path);
    const [opened, found] = [fstatSync(descriptor, { bigint: true }), lstatSync(real, { bigint: true })];
    return opened.dev === found.dev && opened.ino === found.ino ? real : undefined;
  } catch {
    return undefined;
  }
}

/** A file for a library that opens paths itself. */
export interface PinnedFile {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * A path for a library that opens it itself, perhaps several times. In a confined process it names the file that was
 * checked, if the system can do that, even when another file takes its name later.
 *
 * @throws FileSystemError when it may not be read
 */
export async function pinFile(path: string): Promise<PinnedFile> {
  if (!isConfined()) return { path, release: async () => {} };
  await refuseOutside(path);
  if (process.platform !== "linux") return { path, release: async () => {} };
  const handle: FileHandle = await open(path);
  try {
    checkOpened(path, handle.fd);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { path: `/proc/self/fd/${handle.fd}`, release: () => handle.close() };
}
