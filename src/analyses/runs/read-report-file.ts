import { FormatError, SchemaError, VersionError } from "../../core/base/index.ts";
import { readTextIfPresent, statIfPresent } from "../../input/io/index.ts";
import { type MismatchReport, REPORT_SCHEMA_VERSION } from "../../results/report.ts";
import { SERIES_SCHEMA_VERSION, type SeriesReport } from "../../results/series.ts";

const MOST_BYTES = 256 * 2 ** 20;

/** The parts of a report that a gate reads: whatever else a newer version adds or omits does not matter to it. */
const NEEDED: Readonly<Record<string, "object" | "list">> = {
  metrics: "object",
  intervals: "object",
  verdict: "object",
  identity: "object",
  trust: "object",
  excluded: "object",
  per_step: "list",
  findings: "list",
};

/**
 * Reads a report that `logratio report --json` wrote to a file, in place of the run; undefined for any other file.
 * else.
 *
 * @throws VersionError for another version of the format, SchemaError if a part is missing
 */
export async function readReportFile(file: string): Promise<MismatchReport | SeriesReport | undefined> {
  if (!/\.json$/i.test(file)) return undefined;
  const stats = await statIfPresent(file);
  if (stats === undefined || !stats.isFile()) return undefined;
  const text = stats.size > MOST_BYTES ? undefined : await readTextIfPresent(file);
  // Large files are dumps; a report has its kind among the first keys.
  if (text === undefined || !/^\s*\{\s*"schemaVersion":\s*\d+,\s*"kind":\s*"(report|series)"/.test(text))
    return undefined;
  return checkReport(parse(text, file), file);
}

function parse(text: string, file: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new FormatError("a report of logratio that does not parse as JSON", {
      at: { file },
      likely: "cut off while it was written",
      hint: "write it again with logratio report --json",
      cause,
    });
  }
}

function checkReport(value: Record<string, unknown>, file: string): MismatchReport | SeriesReport {
  const known = value.kind === "report" ? REPORT_SCHEMA_VERSION : SERIES_SCHEMA_VERSION;
  if (value.schemaVersion !== known)
    throw new VersionError(
      `version ${String(value.schemaVersion)} of a report, this logratio reads ${known}`,
      {
        at: { file },
        hint: "write it again with logratio report --json",
      },
    );
  const needed = value.kind === "report" ? NEEDED : { files: "list", series: "list", findings: "list" };
  for (const [key, form] of Object.entries(needed)) {
    const part = value[key];
    const isThere = form === "list" ? Array.isArray(part) : typeof part === "object" && part !== null;
    if (!isThere)
      throw new SchemaError(`a report without ${key}`, {
        at: { file },
        hint: "write it again with logratio report --json",
      });
  }
  return value as unknown as MismatchReport | SeriesReport;
}
