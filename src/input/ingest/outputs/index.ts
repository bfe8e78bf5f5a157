/**
 * The one rule for what is written, whichever verb writes it: nothing that is read is ever replaced, and nothing that
 * logratio did not write is replaced unless the user says so.
 *
 * Files are compared by what they are (device and inode), so a link to an input is that input. All is asked before
 * anything is read.
 *
 * @module
 */

import { constants, type Stats } from "node:fs";
import { access, lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileSystemError, isLogratioError, UsageError } from "../../../core/base/index.ts";
import { statIfPresent } from "../../io/index.ts";
import { isDataName } from "../walk.ts";
import {
  type Existing,
  identifyDirectory,
  identifyFile,
  type OutputKind,
  STUDY_NAMES,
  specialFile,
} from "./kinds.ts";

export { isLogLine, type OutputKind } from "./kinds.ts";

export interface OutputsOptions {
  /** Every path that the command reads: files and directories; `-` and what does not exist are passed over. */
  readonly inputs: readonly string[];
  /** `--force`: foreign files may be replaced; inputs never are. */
  readonly force?: boolean | undefined;
}

/** Asks whether an output may be written. Each throws UsageError where it may not, and touches nothing. */
export interface Outputs {
  /**
   * A file that is replaced, or for a log appended to.
   *
   * @param flag names it in messages: `--html`
   * @throws FileSystemError or NotFoundError where its directory is not there or may not be written to
   */
  file(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** A directory that is written as a whole (a bundle), or files in it (a study, a cache). */
  directory(flag: string, path: string, kind: OutputKind): Promise<void>;
  /** Only whether the directory is, or lies in, one that is read, or would replace a file. */
  folder(flag: string, path: string): Promise<void>;
  /** A file that is only known once it is open, as device and inode. */
  isInput(stats: Pick<Stats, "dev" | "ino">): boolean;
}

interface Input {
  readonly path: string;
  readonly real: string;
  readonly isDirectory: boolean;
}

export async function openOutputs({ inputs, force = false }: OutputsOptions): Promise<Outputs> {
  const known = (await Promise.all(inputs.map(findInput))).filter((input) => input !== undefined);
  const directories = known.filter(({ isDirectory }) => isDirectory);
  let files: Promise<ReadonlyMap<string, string>> | undefined;
  /** By device and inode, all files that are named or lie below a directory that is. */
  const readFiles = (): Promise<ReadonlyMap<string, string>> => {
    files ??= listFiles(known);
    return files;
  };
  const named = new Set<string>();
  for (const { path, isDirectory } of known) if (!isDirectory) named.add(formatKey(await stat(path)));

  const refuseInput = (flag: string, path: string, what: string, hint: string): never => {
    throw new UsageError(`${flag} ${path} would replace ${what}`, {
      at: { file: path },
      likely: `the name of the output was left out, or is that of an input`,
      hint,
    });
  };
  const inputsAsTyped = inputs.join(" ");
  const suggestion = (flag: string, path: string, kind: OutputKind): string =>
    kind.endsWith("page")
      ? `did you forget the name of the page? ${flag} ${kind.split(" ")[0]}.html ${[path, ...inputs].join(" ")}`
      : `give the output another name: ${inputsAsTyped} ${flag} ${SUGGESTED[kind] ?? "NAME"}`;

  const file: Outputs["file"] = async (flag, path, kind) => {
    await refuseInside(flag, path, kind, directories);
    // A log that cannot be written still leaves what is printed: its writer says so when it comes to that.
    const mayFail = kind === "divergence log";
    const stats = await statOutput(path).catch((error: unknown) => {
      if (mayFail && isLogratioError(error, "FileSystemError")) return undefined;
      throw error;
    });
    if (stats === undefined) return mayFail ? undefined : checkDirectoryFor(path, kind);
    if (stats.isDirectory())
      throw new UsageError(`${flag} ${path} is a directory, but the output is a file`, {
        at: { file: path },
        hint: `name a file in it: ${flag} ${join(path, SUGGESTED[kind] ?? "NAME")}`,
      });
    if (!stats.isFile()) {
      // What is appended to may be a pipe; a rename would replace the device itself.
      if (mayFail) return;
      throw new UsageError(`${flag}: ${specialFile(path, stats)}, which the output would replace`, {
        at: { file: path },
        hint: "name a file",
      });
    }
    const existing: Existing =
      stats.size === 0 ? { kind, what: "an empty file", isData: false } : await identifyFile(path);
    const below = (await readFiles()).get(formatKey(stats));
    const isOwnPage = existing.kind === kind && kind.endsWith("page") && !named.has(formatKey(stats));
    if (below !== undefined && !isOwnPage) {
      refuseInput(
        flag,
        path,
        resolve(below) === resolve(path)
          ? "what this command reads"
          : `what this command reads: it is the same file as ${below}`,
        suggestion(flag, path, kind),
      );
    }
    if (existing.kind === kind || force) return mayFail ? undefined : checkDirectoryFor(path, kind);
    const doing = kind === "divergence log" ? "append to" : "replace";
    const holds = existing.isData ? `a file that holds data (${existing.what})` : existing.what;
    throw new UsageError(`${flag} ${path} would ${doing} ${holds}, not ${articled(kind)} of logratio's`, {
      at: { file: path },
      hint: existing.isData
        ? `${suggestion(flag, path, kind)}; or add --force to replace it`
        : "give another name, or add --force to replace it",
    });
  };

  const folder: Outputs["folder"] = async (flag, path) => {
    const real = await resolveRealPath(path);
    for (const input of directories) {
      if (!isBelow(real, input.real)) continue;
      throw new UsageError(
        `${flag} ${path} ${real === input.real ? "is" : "lies in"} a directory that is read`,
        {
          at: { file: path },
          likely: "the next run would read this output as input",
          hint: `give a directory beside it: ${flag} ${join(dirname(input.path), `${basename(real)}-out`)}`,
        },
      );
    }
    const stats = await statOutput(path);
    if (stats !== undefined && !stats.isDirectory())
      throw new UsageError(`${flag} ${path} is a file, but the output is a directory`, {
        at: { file: path },
        hint: "name a directory, existing or not",
      });
  };

  const directory: Outputs["directory"] = async (flag, path, kind) => {
    await folder(flag, path);
    const real = await resolveRealPath(path);
    // A bundle takes the directory's name as a whole; a study only its own names in it.
    const holds = known.find((input) => isBelow(input.real, real) && takes(kind, relative(real, input.real)));
    if (holds !== undefined)
      refuseInput(flag, path, `what this command reads: ${holds.path}`, "name another directory");
    const names = (await statOutput(path)) === undefined ? [] : await namesIn(path);
    if (names.length === 0 || kind === "cache") return;
    const existing = await identifyDirectory(path, names);
    if (existing.kind === kind) return;
    const clashes = kind !== "study" || names.some((name) => STUDY_NAMES.includes(name));
    if (!clashes) return;
    const mayGo = kind === "study" || existing.what.startsWith("a bundle");
    if (force && mayGo) return;
    throw new UsageError(
      `${flag} ${path} would replace ${existing.what}, not ${articled(kind)} of logratio's`,
      {
        at: { file: path },
        hint: mayGo
          ? "name a directory that does not exist yet, or add --force to replace this one"
          : "name a directory that does not exist yet; a foreign directory is never replaced",
      },
    );
  };

  return { file, directory, folder, isInput: ({ dev, ino }) => named.has(`${dev}:${ino}`) };
}

const SUGGESTED: Partial<Record<OutputKind, string>> = {
  "report page": "report.html",
  "doctor page": "doctor.html",
  "analyze page": "analysis.html",
  "kl page": "kl.html",
  record: "record.parquet",
  "corrected record": "corrected.parquet",
  "corrected arrays": "weights.npz",
  "divergence log": "divergence.jsonl",
  "event file": "events",
  "metrics log": "metrics.jsonl",
  "gauges file": "mismatch.prom",
  bundle: "view.zip",
};

function articled(kind: OutputKind): string {
  return kind === "corrected arrays" ? kind : `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function takes(kind: OutputKind, below: string): boolean {
  if (kind === "bundle") return true;
  return kind === "study" && STUDY_NAMES.includes(below.split(sep)[0]!);
}

/** Data in a directory that is read would be part of the run the next time. */
async function refuseInside(
  flag: string,
  path: string,
  kind: OutputKind,
  directories: readonly Input[],
): Promise<void> {
  if (kind.endsWith("page") || !isDataName(basename(path))) return;
  const real = join(await resolveRealPath(dirname(path)), basename(path));
  for (const input of directories) {
    const below = relative(input.real, real);
    if (!isBelow(real, input.real) || below.split(sep).some((name) => name.startsWith("."))) continue;
    throw new UsageError(`${flag} ${path} lies in ${input.path}, which is read`, {
      at: { file: path },
      likely: "the next run would read this output as input",
      hint: `write it elsewhere: ${flag} ${SUGGESTED[kind] ?? basename(path)}`,
    });
  }
}

function isBelow(path: string, directory: string): boolean {
  const below = relative(directory, path);
  return below === "" || (!below.startsWith(`..${sep}`) && below !== ".." && resolve(below) !== below);
}

async function findInput(path: string): Promise<Input | undefined> {
  if (path === "-") return undefined;
  const stats = await statIfPresent(path);
  return stats && { path, real: await realpath(path), isDirectory: stats.isDirectory() };
}

async function listFiles(inputs: readonly Input[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const seen = new Set<string>();
  const enter = async (folder: string): Promise<void> => {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      // What cannot be looked at is not read either: the walk says so, and leaves it out.
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isDirectory() === true) await enter(path);
      else if (stats?.isFile() === true) files.set(formatKey(stats), path);
    }
  };
  for (const { path, isDirectory } of inputs) {
    if (isDirectory) await enter(path);
    else files.set(formatKey(await stat(path)), path);
  }
  return files;
}

function formatKey({ dev, ino }: Pick<Stats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}

/** Undefined where nothing is there; a link that leads nowhere counts as nothing. */
async function statOutput(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      throw fileSystemError(cause, "write", { file: path });
    const link = await lstat(path).catch(() => undefined);
    if (link?.isSymbolicLink() === true)
      throw new UsageError(`${path} is a broken symbolic link`, {
        at: { file: path },
        hint: "remove it, or give another name",
      });
    return undefined;
  }
}

/** Of what need not be there: the part that is, and the rest as it was given. */
async function resolveRealPath(path: string): Promise<string> {
  const whole = resolve(path);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined) return real;
  const parent = dirname(whole);
  return parent === whole ? whole : join(await resolveRealPath(parent), basename(whole));
}

/** Kinds whose writers make the directory. */
const MAKES_DIRECTORY: readonly OutputKind[] = ["corrected arrays", "bundle", "event file"];

/** Told now, and not after an hour of reading. */
async function checkDirectoryFor(path: string, kind: OutputKind): Promise<void> {
  let directory = dirname(resolve(path));
  while (MAKES_DIRECTORY.includes(kind) && (await statOutput(directory)) === undefined)
    directory = dirname(directory);
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    if (!(await stat(directory)).isDirectory())
      throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  } catch (cause) {
    throw fileSystemError(cause, "write", { file: path });
  }
}

async function namesIn(path: string): Promise<readonly string[]> {
  return readdir(path).catch((cause: unknown) => {
    throw fileSystemError(cause, "list", { file: path });
  });
}
