/**
 * Which of the files found are read, and what is said about the others.
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { EmptyInputError, type LogratioError, MissingSideError } from "../../core/base/index.ts";
import type { FindingLog } from "../../core/schema/index.ts";
import { joinParts } from "./join-parts.ts";
import { isCovered } from "./one-policy.ts";
import { OtherFileError } from "./other-files/index.ts";
import { type ExamineOptions, examine, type Failure, isFailure, type Source } from "./sources.ts";
import type { Walk } from "./walk.ts";

export interface Selection {
  readonly sources: readonly Source[];
  readonly failures: readonly Failure[];
  /** Of the failures, those of files that should have been readable. */
  readonly missed: readonly Failure[];
  readonly ignored: readonly string[];
  /** Of the ignored, those that were opened and in which no log-probs were recognized, with what they are. */
  readonly unrecognised: readonly { readonly path: string; readonly what?: string | undefined }[];
}

const LISTED = 5;
/** One JSON object is parsed whole when it is opened; up to this many bytes of them are kept until they are read. */
const MAX_KEPT_BYTES = 2 ** 26;

export function listSome(names: readonly string[], most = LISTED): string {
  return names.length <= most
    ? names.join(", ")
    : `${names.slice(0, most).join(", ")} and ${names.length - most} more`;
}

/** Files in folders where other files of that kind were recognized are missed; others are no recorded data. */
function splitFailures(
  failures: readonly Failure[],
  sources: readonly Source[],
): { missed: Failure[]; other: Failure[] } {
  const kind = (path: string): string => path.replace(/\d+/g, "#");
  const kinds = new Set(sources.map(({ file }) => kind(file.path)));
  const isMissed = ({ file, recognised }: Failure): boolean =>
    recognised || file.relative === "" || kinds.has(kind(file.path));
  return { missed: failures.filter(isMissed), other: failures.filter((failure) => !isMissed(failure)) };
}

/** @param kept sequences of the file that were handed on before it failed, and stay counted */
export function reportSkipped(findings: FindingLog, file: string, error: LogratioError, kept = 0): void {
  const name = basename(file);
  const what =
    kept === 0
      ? `${name} cannot be read`
      : `${name} cannot be read to the end; the ${kept === 1 ? "sequence" : `${kept} sequences`} before ${kept === 1 ? "is" : "are"} kept`;
  findings.add({
    code: "file-skipped",
    severity: "skipped",
    subject: file,
    count: 1,
    omits: { unit: "file", why: "unreadable" },
    at: { ...error.at, file },
    ...(error.likely === undefined ? {} : { likely: error.likely }),
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    describe: () => `${what}: ${error.message}`,
  });
}

/** Lines of code have no place in a list of findings: whoever wants them asks about the file alone. */
function shortenHint(hint: string, file: string): string {
  const [first = "", ...lines] = hint.split("\n");
  return lines.length === 0
    ? first
    : `${first.replace(/:$/, "")}; logratio report ${basename(file)}, given alone, prints the lines`;
}

/** One-sided files beside complete ones lose nothing where those have their steps; named ones do. */
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
    // Those of one folder are told of together: what to do about them is the same.
    subject: isNamed ? source.report.file : `${source.report.trainer}${isLost ? " of other steps" : ""}`,
    count: 1,
    omits: { unit: "file", why: isLost ? "incomparable" : "no_data" },
    at: { file: source.report.file },
    ...(problem.likely === undefined ? {} : { likely: problem.likely }),
    ...(problem.hint === undefined ? {} : { hint: shortenHint(problem.hint, source.report.file) }),
    describe: (count) =>
      `${count} ${count === 1 ? "file" : "files"} without the two sides: ${problem.message}`,
  });
}

/** @param examineFile opens a file and says what it is */
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
    // Nothing is open behind a JSON object that was parsed: letting go of it is enough.
    return keptBytes <= MAX_KEPT_BYTES ? source : { ...source, document: undefined };
  };
  for (const file of walked.files) {
    const examined = await examineFile(file, options);
    if (isFailure(examined)) failures.push(examined);
    else examinedSources.push(limitKept(examined));
  }
  const sources = joinParts(examinedSources, findings);
  const { missed, other } = splitFailures(failures, sources);
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

/** What lies beside the files that are read, and is not. */
export function reportUnread({ sources, missed }: Selection, findings: FindingLog): void {
  const readable = sources.filter(({ problem }) => problem === undefined);
  for (const source of sources)
    if (source.problem !== undefined) reportOneSided(findings, source, source.problem, readable);
  for (const { file, error } of missed) reportSkipped(findings, file.path, error);
}

/** Files of directories that are not read, and why that loses nothing: the reader judges. */
export function reportIgnored(
  { ignored, markers }: Walk,
  { unrecognised }: Selection,
  findings: FindingLog,
): void {
  // A marker is heeded, not ignored.
  const byName = ignored.filter((path) => !markers.has(path));
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
  // Such files lie beside most data: one word on them is enough.
  const others = byName.length === 1 ? "1 other file is" : `${byName.length} other files are`;
  tell(byName, "by_name", `${others} not recorded data (${names(byName, 1)})`);
  const opened = unrecognised.length === 1 ? "1 file" : `${unrecognised.length} files`;
  const kinds = unrecognised.map(({ path, what }) =>
    what === undefined ? basename(path) : `${basename(path)}: ${what}`,
  );
  tell(
    unrecognised.map(({ path }) => path),
    "no_data",
    `${opened} without rollout and trainer log-probs (${listSome(kinds)})`,
  );
}

/** Why nothing can be read: the first reason, the more telling kinds first. */
export function nothingToRead(
  paths: readonly string[],
  walked: Walk,
  { sources, failures }: Selection,
): LogratioError {
  const [half, ...halves] = sources.filter(({ adapter }) => adapter.name === "servers");
  const [second, ...more] = failures;
  if (half !== undefined && halves.length + more.length === 0 && second !== undefined)
    return noSecondHalf(half, second);
  // What a half of a pair lacks is no reason why the other file cannot be read.
  const odd = sources.find(({ adapter, problem }) => problem !== undefined && adapter.name !== "servers");
  const problem = odd?.problem ?? sources.find((source) => source.problem !== undefined)?.problem;
  return (
    problem ??
    failures[0]?.error ??
    new EmptyInputError(`no recorded data under ${paths.join(", ")}`, {
      at: { file: paths[0] ?? "" },
      ...describeIgnored(walked.ignored),
    })
  );
}

function describeIgnored(ignored: readonly string[]): { likely: string; hint: string } {
  if (ignored.length > 0 && ignored.every((path) => path.endsWith(".lrs"))) {
    const what =
      ignored.length === 1 ? "the file there is a part" : `the ${ignored.length} files there are parts`;
    return {
      likely: `${what} that logratio summarize wrote, without sequences and tokens`,
      hint: "logratio merge GIVEN is the report of parts; doctor, sweep and divergence read theirs; view and show need the dumps",
    };
  }
  return {
    likely:
      ignored.length === 0
        ? "the folder is empty"
        : `the files there do not look like data, by their names: ${listSome(ignored)}`,
    hint: "npz, npy, torch .pt, pickles, safetensors, Parquet, JSON and JSONL are read, each also in gzip or zstd",
  };
}

/**
 * Whether the trainer says that all files beside this one are whole, or never says such a thing. A file that was named
 * itself is taken as it is: who names it knows what is in it.
 */
export function isComplete({ adapter, file }: Source, markers: ReadonlySet<string>): boolean {
  const { completeWhen } = adapter;
  if (completeWhen === undefined || file.relative === "") return true;
  return markers.has(join(dirname(file.path), completeWhen));
}

/** Files in folders whose trainer has not said yet that they are complete. */
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

/** Two files, and only one of them has log-probs. */
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
