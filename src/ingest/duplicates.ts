/**
 * The same steps in several formats side by side: reading all of them would count everything twice.
 *
 * @module
 */
import { basename, dirname, sep } from "node:path";
import type { FindingLog } from "../core/schema/index.ts";
import { seriesFolder } from "./file-numbers.ts";
import { type Contents, holdSameSequences } from "./same-content.ts";
import type { Source } from "./sources.ts";

interface Series {
  /** Folder of its first file, as the user would name it. */
  readonly folder: string;
  readonly format: string;
  readonly sources: Source[];
}

function groupSeries(sources: readonly Source[]): Series[] {
  const series = new Map<string, Series>();
  for (const source of sources) {
    const { file, format, trainer } = source.report;
    const key = `${seriesFolder(file)}\0${format}\0${trainer}`;
    const known = series.get(key);
    if (known === undefined) series.set(key, { folder: dirname(file), format, sources: [source] });
    else known.sources.push(source);
  }
  return [...series.values()];
}

/**
 * Where files are, relative to others of the same run: `next to them`, or the folder without the shared part of both
 * paths.
 */
function besides(from: string, to: string): string {
  if (from === to) return "next to them";
  const [ours, theirs] = [from.split(sep), to.split(sep)];
  const parted = ours.findIndex((part, i) => part !== theirs[i]);
  const rest = theirs.slice(parted < 0 ? ours.length : parted).join(sep);
  return `in ${rest === "" ? basename(to) : rest}`;
}

/** More steps, then more columns. */
function moreComplete(a: Series, b: Series): number {
  const steps = (s: Series): number => new Set(s.sources.map(({ report }) => report.step)).size;
  const columns = (s: Series): number => Math.max(...s.sources.map(({ report }) => report.found.length));
  return steps(b) - steps(a) || columns(b) - columns(a) || a.folder.localeCompare(b.folder);
}

/**
 * The sources to read of one run that was found in directories: files whose step a more complete series in another
 * format also holds are left out and reported, if the two hold the same sequences.
 */
export async function dropDuplicates(
  sources: readonly Source[],
  contents: Contents,
  findings: FindingLog,
): Promise<Source[]> {
  // A file whose first rows are of one step may hold other steps; `dropSameContent` looks at all of them.
  const fixed = sources.filter(
    ({ file, report, stepIsCertain }) => file.relative === "" || report.step === undefined || !stepIsCertain,
  );
  const numbered = sources.filter((source) => !fixed.includes(source));
  const takenBy = new Map<number, Series>();
  const kept = new Set<Source>(fixed);
  for (const series of groupSeries(numbered).sort(moreComplete)) {
    const dropped: Source[] = [];
    const others: Source[] = [];
    let winner: Series | undefined;
    for (const source of series.sources) {
      const holder = takenBy.get(source.report.step!);
      if (holder === undefined || holder.format === series.format) kept.add(source);
      else if (await isHeld(source, holder, contents)) {
        winner = holder;
        dropped.push(source);
      } else others.push(source);
    }
    for (const source of series.sources)
      if (!takenBy.has(source.report.step!)) takenBy.set(source.report.step!, series);
    for (const source of others) kept.add(source);
    if (others.length > 0) tellOthers(others, findings);
    if (winner !== undefined) tellRepeated(series, winner, dropped, findings);
  }
  return sources.filter((source) => kept.has(source));
}

/** Whether a file of the holder's has the same sequences at the same step. */
async function isHeld(source: Source, holder: Series, contents: Contents): Promise<boolean> {
  const { step, rank } = source.report;
  const same = holder.sources.filter(({ report }) => report.step === step);
  const ofRank = same.filter(({ report }) => report.rank === rank);
  for (const other of ofRank.length > 0 ? ofRank : same)
    if (await holdSameSequences(contents, source, other)) return true;
  return false;
}

function tellRepeated(
  series: Series,
  winner: Series,
  dropped: readonly Source[],
  findings: FindingLog,
): void {
  const { folder, format } = winner;
  findings.add({
    code: "duplicate",
    severity: "info",
    subject: `${series.folder} ${series.format}`,
    count: dropped.length,
    omits: { unit: "file", why: "repeated" },
    at: { file: dropped[0]!.report.file },
    likely: "one run was written in several formats",
    hint: `to read these instead, give their folder: ${series.folder}`,
    describe: (count) =>
      `${count} ${series.format} ${count === 1 ? "file repeats" : "files repeat"} steps of the ${format} files ${besides(series.folder, folder)}, which are read instead`,
  });
}

function tellOthers(others: readonly Source[], findings: FindingLog): void {
  const { file, format } = others[0]!.report;
  findings.add({
    code: "note",
    severity: "warning",
    subject: `other sequences ${format}`,
    count: others.length,
    at: { file },
    likely: "they belong to another run, or to another dump of the same one",
    hint: "give the folder or the files of one of them",
    describe: (count) =>
      `${count} ${format} ${count === 1 ? "file is" : "files are"} of steps that files in another format also have, but ${count === 1 ? "holds" : "hold"} other sequences: both are read`,
  });
}
