/**
 * Selects which of the files found are read, and reports the others.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import {
  EmptyInputError,
  type LogratioError,
  MissingSideError,
  putBefore,
  splitLines,
} from "../core/base/index.ts";
import type { FindingLog } from "../core/schema/index.ts";
import { joinParts } from "./join-parts.ts";
import { isCovered } from "./one-policy.ts";
import { openAhead } from "./open-ahead.ts";
import { OtherFileError } from "./other-files/other-file.ts";
import { type ExamineOptions, examine, type Failure, isFailure, openInput, type Source } from "./sources.ts";
import type { Walk } from "./walk.ts";

export interface Selection {
  readonly sources: readonly Source[];
  readonly failures: readonly Failure[];
  /** The failures of files that should have been readable. */
  readonly missed: readonly Failure[];
  readonly ignored: readonly string[];
  /** Ignored files that were opened but have no recognized log-probs, with what they are. */
  readonly unrecognised: readonly { readonly path: string; readonly what?: string | undefined }[];
}

const LISTED = 5;
/**
 * A file of one JSON object is parsed whole when it is opened; up to this many bytes of such objects are kept until
 * they are read.
 */
const MAX_KEPT_BYTES = 2 ** 26;

export function listSome(names: readonly string[], most = LISTED): string {
  return names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** @param kept sequences of the file that were passed on before it failed, and still count */
export function reportSkipped(findings: FindingLog, file: string, error: LogratioError, kept = 0): void {
  const name = basename(file);
  const what =
    kept === 0
      ? `${name} cannot be read`
      : `${name} cannot be read to the end; the ${kept === 1 ? "sequence" : `${kept} sequences`} before that ${kept === 1 ? "is" : "are"} kept`;
  findings.add({
    code: "file-skipped",
    severity: "skipped",
    subject: file,
    count: 1,
    omits: { unit: "file", why: "unreadable" },
    at: { ...error.at, file },
    ...(error.likely === undefined ? {} : { likely: splitLines(error.likely) }),
    ...(error.hint === undefined ? {} : { hint: splitLines(error.hint) }),
    describe: () => putBefore(`${what}: `, error.message),
  });
}

/** Lines of code do not fit into a list of findings; reading the file alone prints them. */
function shortenHint(hint: string, file: string): string {
  const [first = "", ...lines] = splitLines(hint);
  return lines.length === 0
    ? first
    : `${first.replace(/:$/, "")}; logratio report ${basename(file)}, given alone, prints the lines`;
}

/**
 * One-sided files lose nothing if complete files have their steps; otherwise, and for files that the user named, data
 * is lost.
 */
function reportOneSided(
  findings: FindingLog,
  source: Source,
  problem: LogratioError,
  complete: readonly Source[],
): void {
  const isNamed = source.file.relative === "";
  const isLost = isNamed || (source.onePolicy !== undefined && !isCovered(source, complete));
  findings.add({
    code: "one-sided",
    severity: isLost ? "skipped" : "info",
    // Files of one folder are reported together, since the remedy is the same.
    subject: isNamed ? source.report.file : `${source.report.trainer}${isLost ? " of other steps" : ""}`,
    count: 1,
    omits: { unit: "file", why: isLost ? "incomparable" : "no_data" },
    at: { file: source.report.file },
    ...(problem.likely === undefined ? {} : { likely: problem.likely }),
    ...(problem.hint === undefined ? {} : { hint: shortenHint(problem.hint, source.report.file) }),
    describe: (count) =>
      putBefore(`${count} ${count === 1 ? "file" : "files"} without both sides: `, problem.message),
  });
}

/** Lets sources with equal lists of lines share one list: most files of a run have the same columns. */
function lineSharing(): (source: Source) => Source {
  const known = new Map<string, readonly string[]>();
  const share = (lines: readonly string[]): readonly string[] => {
    // As JSON: a column may have a line break in its name.
    const text = JSON.stringify(lines);
    const first = known.get(text) ?? lines;
    known.set(text, first);
    return first;
  };
  return (source) => {
    const { found, guessed, missing } = source.report;
    const lines = { found: share(found), guessed: share(guessed), missing: share(missing) };
    return { ...source, report: { ...source.report, ...lines } };
  };
}

/** @param examineFile opens a file and recognizes it */
export async function select(
  walked: Walk,
  options: ExamineOptions,
  examineFile: typeof examine = examine,
): Promise<Selection> {
  const { findings } = options;
  const examinedSources: Source[] = [];
  const failures: Failure[] = [];
  let keptBytes = 0;
  const limitKept = (source: Source): Source => {
    if (source.document === undefined || source.file.pipe === true) return source;
    keptBytes += source.report.bytes;
    // A parsed JSON object has no open file: dropping it is enough.
    return keptBytes <= MAX_KEPT_BYTES ? source : { ...source, document: undefined };
  };
  const shareLines = lineSharing();
  const ahead = openAhead(walked.files, (file) => openInput(file, options.stdin));
  try {
    for (const file of walked.files) {
      const examined = await examineFile(file, { ...options, open: ahead.open });
      if (isFailure(examined)) failures.push(examined);
      else examinedSources.push(shareLines(limitKept(examined)));
    }
  } finally {
    await ahead.close();
  }
  const sources = joinParts(examinedSources, findings);
  // A file counts as lost if other files of its kind in the folder were recognized; otherwise it is not
  // recorded data.
  const kind = (path: string): string => path.replace(/\d+/g, "#");
  const kinds = new Set(sources.map(({ file }) => kind(file.path)));
  const isMissed = ({ file, recognised }: Failure): boolean =>
    recognised || file.relative === "" || kinds.has(kind(file.path));
  const missed = failures.filter(isMissed);
  const other = failures.filter((failure) => !isMissed(failure));
  const selection = {
    sources,
    failures: missed.length > 0 ? missed : other,
    missed,
    ignored: [...walked.ignored, ...other.map(({ file }) => file.path)],
    unrecognised: other.map(({ file, error }) => ({
      path: file.path,
      what: error instanceof OtherFileError ? error.what : undefined,
    })),
  };
  if (sources.some(({ problem }) => problem === undefined)) reportUnread(selection, findings);
  return selection;
}

/** Reports files next to those that are read. */
export function reportUnread({ sources, missed }: Selection, findings: FindingLog): void {
  const readable = sources.filter(({ problem }) => problem === undefined);
  for (const source of sources)
    if (source.problem !== undefined) reportOneSided(findings, source, source.problem, readable);
  for (const { file, error } of missed) reportSkipped(findings, file.path, error);
}

/** Lists files of directories that are not read, with the reason, so that the user can judge. */
export function reportIgnored(
  { ignored, markers }: Walk,
  { unrecognised }: Selection,
  findings: FindingLog,
  readApart: readonly string[] = [],
): void {
  const apart = new Set(readApart);
  // A marker file is used, not ignored.
  const byName = ignored.filter((path) => !markers.has(path) && !apart.has(path));
  const others = unrecognised.filter(({ path }) => !apart.has(path));
  const tell = (files: readonly string[], why: "by_name" | "no_data", message: string): void => {
    const [first] = files;
    if (first === undefined) return;
    findings.add({
      code: "no-data",
      severity: "info",
      subject: why,
      count: files.length,
      omits: { unit: "file", why },
      at: { file: first },
      describe: () => message,
    });
  };
  const names = (files: readonly string[], most?: number): string =>
    listSome(
      files.map((file) => basename(file)),
      most,
    );
  // Most data have such files next to them: a short note is enough.
  const beside = byName.length === 1 ? "1 other file is" : `${byName.length} other files are`;
  tell(byName, "by_name", `${beside} not recorded data (${names(byName, 1)})`);
  const opened = others.length === 1 ? "1 file" : `${others.length} files`;
  const kinds = others.map(({ path, what }) =>
    what === undefined ? basename(path) : `${basename(path)}: ${what}`,
  );
  tell(
    others.map(({ path }) => path),
    "no_data",
    `${opened} without rollout and trainer log-probs (${listSome(kinds)})`,
  );
}

/** Why nothing can be read: the first error, the more specific kinds first. */
export function nothingToRead(
  paths: readonly string[],
  walked: Walk,
  { sources, failures }: Selection,
): LogratioError {
  const [half, ...halves] = sources.filter(({ adapter }) => adapter.name === "servers");
  const [second, ...more] = failures;
  if (half !== undefined && halves.length + more.length === 0 && second !== undefined)
    return noSecondHalf(half, second);
  // The missing side of one half does not explain why the other file cannot be read.
  const odd = sources.find(({ adapter, problem }) => problem !== undefined && adapter.name !== "servers");
  const problem = odd?.problem ?? sources.find((source) => source.problem !== undefined)?.problem;
  return (
    problem ??
    failures[0]?.error ??
    new EmptyInputError(`no recorded data under ${paths.join(", ")}`, {
      at: { file: paths[0] ?? "" },
      ...describeIgnored(walked),
    })
  );
}

function describeIgnored({ ignored, outside }: Walk): { likely: string; hint: string } {
  if (outside.length > 0) {
    const links = outside.length === 1 ? "the link there leads" : `the ${outside.length} links there lead`;
    return {
      likely: `${links} out of the directories that may be read, or nowhere: ${listSome(outside)}`,
      hint: "copy the files, or give the place that holds them as a root, too: logratio mcp ROOT…",
    };
  }
  if (ignored.length > 0 && ignored.every((path) => path.endsWith(".lrs"))) {
    const what =
      ignored.length === 1 ? "the file there is a part" : `the ${ignored.length} files there are parts`;
    return {
      likely: `${what} that logratio summarize wrote, without sequences and tokens`,
      hint: "to report on parts, run logratio merge GIVEN; doctor, sweep and divergence read parts of their own; view and show need the dumps",
    };
  }
  return {
    likely:
      ignored.length === 0
        ? "the folder is empty"
        : `no file there has the name of a data file: ${listSome(ignored)}`,
    hint: "npz, npy, torch .pt, pickles, safetensors, Parquet, JSON and JSONL are read, each also in gzip or zstd",
  };
}

/**
 * Whether the trainer has marked this file's folder as complete, or never marks folders. A file that the user named
 * itself is read as it is.
 */
export function isComplete({ adapter, file }: Source, markers: ReadonlySet<string>): boolean {
  const { completeWhen } = adapter;
  if (completeWhen === undefined || file.relative === "") return true;
  return markers.has(join(dirname(file.path), completeWhen));
}

/** Reports files in folders that their trainer has not yet marked as complete. */
export function reportIncomplete(
  sources: readonly Source[],
  markers: ReadonlySet<string>,
  findings: FindingLog,
): void {
  for (const source of sources) {
    if (isComplete(source, markers)) continue;
    const { adapter, file } = source;
    findings.add({
      code: "note",
      severity: "warning",
      subject: `${adapter.completeWhen}`,
      count: 1,
      at: { file: file.path },
      likely: "the step was still being written, or the trainer stopped during it",
      describe: (count) =>
        `${count} ${adapter.name} ${count === 1 ? "file is" : "files are"} in a folder without the ${adapter.completeWhen} marker: the step may be incomplete`,
    });
  }
}

/** The error for two files of which only one has log-probs. */
function noSecondHalf({ report }: Source, { file, error }: Failure): LogratioError {
  return new MissingSideError(
    `${report.file} has one policy's log-probs, and ${file.path} cannot be its second side: ${error.message}`,
    {
      at: { file: file.path },
      likely: "the file holds text or results, not token ids with log-probs",
      hint: "give a file with the second engine's scores of the same tokens: ids and a log-prob for each",
    },
  );
}
