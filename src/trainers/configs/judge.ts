/**
 * Which release of its trainer a config is judged by, and with which keys.
 *
 * @module
 */
import type { LintFinding, LintJudged } from "../../results/lint.ts";
import type { NamedDialect } from "../shared/dialect.ts";
import { type Given, isAfter, isBefore, parseGiven, writeRelease, writeSince } from "../shared/release.ts";

/** A version, and where it was found: `--trainer-version`, `requirements.txt, line 3`. */
export interface FoundVersion {
  readonly version: string;
  readonly from: string;
}

export interface Judgement {
  /** The keys of that release. */
  readonly dialect: NamedDialect;
  readonly judged: LintJudged;
  /** What was given; absent if nothing was, or if it cannot be placed among the releases that are known. */
  readonly given?: Given;
  readonly findings: readonly LintFinding[];
}

/**
 * The newest keys if nothing is known of the version, else those of its release.
 *
 * @param settingsOf the number of settings that the config has under the keys of a dialect, which decides where a change
 * may be older than the first release that was read with it
 * @throws UsageError if the version is none
 */
export function judge(
  newest: NamedDialect,
  found: FoundVersion | undefined,
  settingsOf: (dialect: NamedDialect) => number,
): Judgement {
  const { read } = newest;
  const assumed: LintJudged = {
    release: read.version ?? read.date ?? read.commit ?? "",
    ...(read.version !== undefined && read.date !== undefined && { date: read.date }),
  };
  if (found === undefined) return { dialect: newest, judged: assumed, findings: [] };
  const given = parseGiven(found.version);
  const told = (dialect: NamedDialect, ...findings: LintFinding[]): Judgement => ({
    dialect,
    judged: { release: found.version, from: found.from },
    given,
    findings,
  });
  if (isAfter(given, read) === true)
    return { dialect: newest, judged: assumed, given, findings: [newerFinding(newest, found)] };
  const rows = [newest, ...newest.earlier];
  const before = rows.map(({ since }) => since !== undefined && isBefore(given, since));
  const at = before.findIndex((isEarlier) => isEarlier !== true);
  if (before.includes(undefined))
    return { dialect: newest, judged: assumed, findings: [unplacedFinding(newest, found)] };
  if (at < 0) return told(rows.at(-1)!, olderFinding(rows.at(-1)!, found));
  const [later, own] = [rows[at - 1], rows[at]!];
  return told(later?.since?.atLatest && settingsOf(later) > settingsOf(own) ? later : own);
}

function newerFinding({ read, title }: NamedDialect, { version, from }: FoundVersion): LintFinding {
  return {
    severity: "note",
    code: "newer-release",
    message: `${title} ${version} (${from}) is newer than ${writeRelease(read)}, the newest that was read and what this is judged by`,
    why: "keys may have come, gone, or changed their meaning since",
  };
}

function olderFinding({ since, title }: NamedDialect, { version, from }: FoundVersion): LintFinding {
  return {
    severity: "warning",
    code: "older-release",
    message: `${title} ${version} (${from}) is older than ${since && writeSince(since)}, the oldest whose settings are known here`,
    why: "what is said of the settings is what they do since",
  };
}

function unplacedFinding(
  { read, title, since, earlier }: NamedDialect,
  { version, from }: FoundVersion,
): LintFinding {
  const days = [since, ...earlier.map((one) => one.since)].flatMap((one) => (one ? writeSince(one) : []));
  return {
    severity: "note",
    code: "version-unplaced",
    message: `${title} ${version} (${from}) cannot be placed: its changes are known by their day (${days.join(", ")}); judged by ${writeRelease(read)}`,
    instead: "--trainer-version with the day of your checkout, such as 2026-08-20",
  };
}

/** `OpenRLHF 0.11.1`, or `as of 0.11.2, OpenRLHF` where the release is assumed. */
export function subject({ title }: NamedDialect, { release, from }: LintJudged): string {
  return from === undefined ? `as of ${release}, ${title}` : `${title} ${release}`;
}
