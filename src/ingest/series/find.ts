/**
 * Finds logged metrics among the given paths and in directories.
 *
 * @module
 */
import { realpath } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { isLogratioError, putBefore } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { openFile } from "../../input/io/index.ts";
import { containFileError } from "../contain.ts";
import { walk } from "../walk.ts";
import type { SeriesFile } from "./series.ts";

/** Names of loggers' files. Other files of a directory count as dumps unless they are named themselves. */
const NAMES =
  /^(?:.*metrics.*\.(?:jsonl?|csv|tsv|parquet)|.*history.*\.(?:jsonl?|csv)|wandb-summary\.json|trainer_state\.json|logging\.jsonl|.*\.(?:csv|tsv)|.*tfevents.*|run-.*\.wandb)(?:\.gz)?$/i;
/** verl's file logger names its file after the experiment, so the name does not tell. */
const MAYBE = /\.jsonl$/i;
const VERL = /^\{"step":\d+,"data":\{/;

export interface FoundSeries {
  readonly files: readonly SeriesFile[];
  /** The other paths: files without metrics, and all directories. */
  readonly others: readonly string[];
  /** Whether each of those is a directory. */
  readonly areDirectories: boolean;
}

/** Whether a file of this name in a directory may hold metrics. */
function isSeriesName(path: string): boolean {
  return NAMES.test(basename(path)) || /[/\\]metrics[/\\]/.test(path);
}

/**
 * Reads every file of logged metrics among the paths.
 *
 * @throws NotFoundError when a path does not exist
 */
export async function findSeriesFiles(paths: readonly string[], findings: FindingLog): Promise<FoundSeries> {
  const files = new Map<string, SeriesFile>();
  const others: string[] = [];
  let areDirectories = true;
  // A file that is given along with its directory, or through a link (W&B's latest-run), counts once.
  const add = async (found: SeriesFile): Promise<void> => {
    const path = await realpath(found.file).catch(() => resolve(found.file));
    if (!files.has(path)) files.set(path, found);
  };
  for (const path of paths) {
    if (path === "-") {
      others.push(path);
      areDirectories = false;
      continue;
    }
    const walked = await walk([path]);
    const [only] = walked.files;
    if (only !== undefined && only.relative === "") {
      // System errors are reported when the file is opened as a dump.
      const found = only.pipe
        ? undefined
        : await readFile(path, findings).catch((error: unknown) => {
            if (isLogratioError(error, "LimitError")) throw error;
            return undefined;
          });
      if (found !== undefined) await add(found);
      else {
        others.push(path);
        areDirectories = false;
      }
      continue;
    }
    others.push(path);
    const named = walked.ignored.filter(isSeriesName);
    const written = walked.files
      .map((file) => file.path)
      .filter((file) => isSeriesName(file) || MAYBE.test(file));
    for (const file of withoutSummaries([...named, ...written])) {
      const found =
        isSeriesName(file) || (await beginsAsVerl(file)) ? await readContained(file, findings) : undefined;
      if (found !== undefined) await add(found);
    }
  }
  return { files: [...files.values()], others, areDirectories };
}

/** The last values of a W&B run are in its log too. */
function withoutSummaries(files: readonly string[]): readonly string[] {
  const runs = new Set(files.filter((file) => file.endsWith(".wandb")).map((file) => dirname(file)));
  return files.filter((file) => basename(file) !== "wandb-summary.json" || !runs.has(dirname(dirname(file))));
}

/** Most paths are directories of dumps, in which no file is read as metrics: the readers of loggers' files come late. */
async function readFile(file: string, findings: FindingLog): Promise<SeriesFile | undefined> {
  const { readSeriesFile } = await import("./read.ts");
  return readSeriesFile(file, findings);
}

/** An unreadable file of a directory does not affect the others. */
async function readContained(file: string, findings: FindingLog): Promise<SeriesFile | undefined> {
  return readFile(file, findings).catch((cause: unknown) => {
    const error = containFileError(cause, file);
    findings.add({
      code: "file-skipped",
      severity: "skipped",
      subject: file,
      count: 1,
      at: { file },
      ...(error.likely === undefined ? {} : { likely: error.likely }),
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      describe: () => putBefore(`${basename(file)} cannot be read: `, error.message),
    });
    return undefined;
  });
}

async function beginsAsVerl(path: string): Promise<boolean> {
  const source = await openFile(path).catch(() => undefined);
  if (source === undefined) return false;
  try {
    const head = await source.slice(0, Math.min(64, source.byteLength));
    return VERL.test(Buffer.from(head).toString("latin1"));
  } finally {
    await source.close();
  }
}
