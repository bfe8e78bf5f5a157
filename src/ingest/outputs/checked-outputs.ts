/**
 * Applies the rule to one file or directory at a time.
 *
 * @module
 */
import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isLogratioError, UsageError } from "../../core/base/index.ts";
import { isDataName } from "../walk.ts";
import { findInput, formatKey, type Input, isBelow, listFiles } from "./inputs.ts";
import {
  type Existing,
  identifyDirectory,
  identifyFile,
  type OutputKind,
  STUDY_NAMES,
  specialFile,
} from "./kinds.ts";
import { checkDirectoryFor, namesIn, resolveRealPath, statOutput } from "./places.ts";

export class CheckedOutputs {
  readonly #inputsAsTyped: readonly string[];
  readonly #force: boolean;
  readonly #known: readonly Input[];
  readonly #directories: readonly Input[];
  /** Input files that were named, by device and inode. */
  readonly #named: ReadonlySet<string>;
  /** All files that were named or are in a named directory, likewise; looked up when first needed. */
  #files: Promise<ReadonlyMap<string, string>> | undefined;

  private constructor(
    inputs: readonly string[],
    force: boolean,
    known: readonly Input[],
    named: ReadonlySet<string>,
  ) {
    this.#inputsAsTyped = inputs;
    this.#force = force;
    this.#known = known;
    this.#directories = known.filter(({ isDirectory }) => isDirectory);
    this.#named = named;
  }

  static async open(inputs: readonly string[], force: boolean): Promise<CheckedOutputs> {
    const known = (await Promise.all(inputs.map(findInput))).filter((input) => input !== undefined);
    const named = new Set<string>();
    for (const { path, isDirectory } of known) if (!isDirectory) named.add(formatKey(await stat(path)));
    return new CheckedOutputs(inputs, force, known, named);
  }

  isInput(stats: Pick<Stats, "dev" | "ino">): boolean {
    return this.#named.has(formatKey(stats));
  }

  async file(flag: string, path: string, kind: OutputKind): Promise<void> {
    await refuseInside(flag, path, kind, this.#directories);
    // An unwritable log does not prevent the printed output: its writer reports the error later.
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
      // Appending to a pipe is fine; a rename would replace the device itself.
      if (mayFail) return;
      throw new UsageError(`${flag}: ${specialFile(path, stats)}, which the output would replace`, {
        at: { file: path },
        hint: "name a file",
      });
    }
    await this.#checkExisting(flag, path, kind, stats);
    if (!mayFail) await checkDirectoryFor(path, kind);
  }

  /** Whether an existing file may be replaced or appended to. */
  async #checkExisting(flag: string, path: string, kind: OutputKind, stats: Stats): Promise<void> {
    const existing: Existing =
      stats.size === 0 ? { kind, what: "an empty file", isData: false } : await identifyFile(path);
    this.#files ??= listFiles(this.#known);
    const below = (await this.#files).get(formatKey(stats));
    const isOwnPage = existing.kind === kind && kind.endsWith("page") && !this.isInput(stats);
    if (below !== undefined && !isOwnPage) {
      refuseInput(
        flag,
        path,
        resolve(below) === resolve(path)
          ? "what this command reads"
          : `what this command reads: it is the same file as ${below}`,
        this.#suggest(flag, path, kind),
      );
    }
    if (existing.kind === kind || this.#force) return;
    const doing = kind === "divergence log" ? "append to" : "replace";
    const holds = existing.isData ? `a file that holds data (${existing.what})` : existing.what;
    throw new UsageError(`${flag} ${path} would ${doing} ${holds}, not ${articled(kind)} of logratio's`, {
      at: { file: path },
      hint: existing.isData
        ? `${this.#suggest(flag, path, kind)}; or add --force to replace it`
        : "give another name, or add --force to replace it",
    });
  }

  #suggest(flag: string, path: string, kind: OutputKind): string {
    return kind.endsWith("page")
      ? `did you forget the name of the page? ${flag} ${kind.split(" ")[0]}.html ${[path, ...this.#inputsAsTyped].join(" ")}`
      : `give the output another name: ${this.#inputsAsTyped.join(" ")} ${flag} ${SUGGESTED[kind] ?? "NAME"}`;
  }

  async folder(flag: string, path: string): Promise<void> {
    const real = await resolveRealPath(path);
    for (const input of this.#directories) {
      if (!isBelow(real, input.real)) continue;
      throw new UsageError(
        `${flag} ${path} ${real === input.real ? "is" : "lies in"} a directory that is read`,
        {
          at: { file: path },
          likely: "the next run would read this output as input",
          hint: `give a directory next to it: ${flag} ${join(dirname(input.path), `${basename(real)}-out`)}`,
        },
      );
    }
    const stats = await statOutput(path);
    if (stats !== undefined && !stats.isDirectory())
      throw new UsageError(`${flag} ${path} is a file, but the output is a directory`, {
        at: { file: path },
        hint: "name a directory, existing or not",
      });
  }

  async directory(flag: string, path: string, kind: OutputKind): Promise<void> {
    await this.folder(flag, path);
    const real = await resolveRealPath(path);
    // A bundle replaces the directory; a study only its own files in it.
    const holds = this.#known.find(
      (input) => isBelow(input.real, real) && takes(kind, relative(real, input.real)),
    );
    if (holds !== undefined)
      refuseInput(flag, path, `what this command reads: ${holds.path}`, "name another directory");
    const names = (await statOutput(path)) === undefined ? [] : await namesIn(path);
    if (names.length === 0 || kind === "cache") return;
    const existing = await identifyDirectory(path, names);
    if (existing.kind === kind) return;
    const clashes = kind !== "study" || names.some((name) => STUDY_NAMES.includes(name));
    if (!clashes) return;
    const mayGo = kind === "study" || existing.what.startsWith("a bundle");
    if (this.#force && mayGo) return;
    throw new UsageError(
      `${flag} ${path} would replace ${existing.what}, not ${articled(kind)} of logratio's`,
      {
        at: { file: path },
        hint: mayGo
          ? "name a directory that does not exist yet, or add --force to replace this one"
          : "name a directory that does not exist yet; a directory that logratio did not write is never replaced",
      },
    );
  }
}

function refuseInput(flag: string, path: string, what: string, hint: string): never {
  throw new UsageError(`${flag} ${path} would replace ${what}`, {
    at: { file: path },
    likely: `the name of the output was left out, or is that of an input`,
    hint,
  });
}

const SUGGESTED: Partial<Record<OutputKind, string>> = {
  "report page": "report.html",
  "doctor page": "doctor.html",
  "compare page": "compare.html",
  "gate page": "gate.html",
  "gate test report": "gate.xml",
  "gate baseline": "baseline.yaml",
  "analyze page": "analysis.html",
  "kl page": "kl.html",
  part: "part.lrs",
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

/** Data written to an input directory would be part of the next run. */
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
