/**
 * The same steps in several formats side by side: reading all of them would count everything twice.
 *
 * @module
 */
import { basename, dirname, sep } from "node:path";
import type { FindingLog } from "../../core/schema/index.ts";
import { seriesFolder } from "./file-numbers.ts";
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
 * format also holds are left out and reported.
 */
export function dropDuplicates(sources: readonly Source[], findings: FindingLog): Source[] {
  const fixed = sources.filter(({ file, report }) => file.relative === "" || report.step === undefined);
  const numbered = sources.filter((source) => !fixed.includes(source));
  const takenBy = new Map<number, Series>();
  const kept = new Set<Source>(fixed);
  for (const series of groupSeries(numbered).sort(moreComplete)) {
    const dropped: Source[] = [];
    let winner: Series | undefined;
    for (const source of series.sources) {
      const holder = takenBy.get(source.report.step!);
      if (holder === undefined || holder.format === series.format) kept.add(source);
      else {
        winner = holder;
        dropped.push(source);
      }
    }
    for (const source of series.sources)
      if (!takenBy.has(source.report.step!)) takenBy.set(source.report.step!, series);
    if (winner === undefined) continue;
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
  return sources.filter((source) => kept.has(source));
}
