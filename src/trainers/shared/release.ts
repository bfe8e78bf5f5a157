/**
 * States of a trainer's code, and which of two came first.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";

/** What of a trainer was read: a release, as on PyPI, or a commit of a trainer that makes none. */
export interface Release {
  /** `0.11.2`; absent if the trainer makes no releases, or none was read. */
  readonly version?: string;
  /** The commit whose formulas and files were read, if these are not the release's. */
  readonly commit?: string;
  /** The day up to which its keys are known: that of the release, else of the newest change that was read. */
  readonly date?: string;
}

/** Where releases begin to differ: the first with a change. A trainer without releases has the change's day alone. */
export interface Since {
  readonly version?: string;
  readonly date: string;
  /** The first release with the change that was read: the change itself may be older. */
  readonly atLatest?: true;
}

/** A release that a config is for, as it was given: a version or a day. */
export type Given = { readonly version: string } | { readonly date: string };

/** `0.11.2 (2026-09-14)`, or `2026-08-21`. */
export function writeRelease({ version, commit, date }: Release): string {
  if (version === undefined) return date ?? commit ?? "";
  return date === undefined ? version : `${version} (${date})`;
}

/** `0.11.2`, or the day where there is no version. */
export function writeSince({ version, date }: Since): string {
  return version ?? date;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
/** A version by PEP 440, of which only the release and a pre-release's mark are compared. */
const VERSION = /^v?(?:\d+!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview|dev)[-_.]?\d*)?/i;

/**
 * What was given as a trainer's version.
 *
 * @throws UsageError for text that is neither a version nor a day
 */
export function parseGiven(text: string): Given {
  const trimmed = text.trim();
  if (DAY.test(trimmed)) return { date: trimmed };
  if (VERSION.test(trimmed)) return { version: trimmed };
  throw new UsageError(`"${text}" is not a version`, {
    hint: "write a release, such as 0.11.2, or the day of a checkout, such as 2026-09-14",
  });
}

/**
 * Whether a release came before a change; undefined if the two cannot be compared, as a version and a change of which
 * only the day is known.
 */
export function isBefore(given: Given, since: Since): boolean | undefined {
  if ("date" in given) return given.date < since.date;
  return since.version === undefined ? undefined : compareVersions(given.version, since.version) < 0;
}

/** Whether a release came after what was read. */
export function isAfter(given: Given, { version, date }: Release): boolean | undefined {
  if ("date" in given) return date === undefined ? undefined : given.date > date;
  return version === undefined ? undefined : compareVersions(given.version, version) > 0;
}

/** Negative if a came before b. A pre-release comes before its release; post-releases and local parts are ignored. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.numbers.length, right.numbers.length); i++) {
    const order = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (order !== 0) return order;
  }
  return Number(right.early) - Number(left.early);
}

function parts(version: string): { readonly numbers: readonly number[]; readonly early: boolean } {
  const [, release = "0", early] = VERSION.exec(version.trim()) ?? [];
  return { numbers: release.split(".").map(Number), early: early !== undefined };
}
