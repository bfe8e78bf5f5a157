import type { Place } from "../base/errors.ts";
import { joinLines, type Lines, splitLines } from "../base/lines.ts";
import { formatCount } from "../text/format.ts";

/**
 * Severity of what reading noticed: nothing is repaired silently, and everything is counted.
 *
 * `info`: worth knowing. `warning`: figures are computed but may mean something else. `skipped`: data was left out
 * (exit status 4).
 */
export type Severity = "info" | "warning" | "skipped";

/** What a finding is about. */
export type FindingCode =
  | "sentinel"
  | "suspicious-zero"
  | "non-finite"
  | "positive-logprob"
  | "non-binary-mask"
  | "mask-guessed"
  | "empty-mask"
  | "length-mismatch"
  | "bad-row"
  | "partial-line"
  | "file-skipped"
  | "one-sided"
  | "texts-part"
  | "sides-differ"
  | "duplicate"
  | "identical-rows"
  | "no-data"
  | "constant-logprobs"
  | "same-columns"
  | "shifted-columns"
  | "padding-side"
  | "zero-logprobs"
  | "padding-counted"
  | "masks-disagree"
  | "logged-differs"
  | "ids-differ"
  | "token-id"
  | "invalid-text"
  | "retokenised"
  | "no-response"
  | "empty-text"
  | "unknown-token"
  | "text-differs"
  | "policy-skipped"
  | "text-refused"
  | "vocabulary"
  | "note";

/** The unit of a count of what is left out of every figure. */
export type OmittedUnit = "token" | "sequence" | "batch" | "file" | "input";

/**
 * Why data is left out of every figure: `unreadable` should have been read; `incomparable` has no counterpart on the
 * other side; `repeated` is counted once elsewhere; `no_data` holds nothing to count; `by_name` is a file next to the
 * data whose name says that it is something else (a README, a tokenizer); `requested` was left out by a flag; `waiting`
 * was received by `logratio serve` and is not in the record yet.
 */
export type OmissionReason =
  | "unreadable"
  | "incomparable"
  | "repeated"
  | "no_data"
  | "by_name"
  | "requested"
  | "waiting";

/** Set by findings whose `count` is of data that was left out. */
export interface Omission {
  readonly unit: OmittedUnit;
  readonly why: OmissionReason;
}

/** One fact as two joined files state it, each for its own side. */
export interface StatedSides {
  /** A sampling parameter by its name in the record (`temperature`, `topP`, …), or `weights`. */
  readonly fact: string;
  readonly rollout: number | string;
  readonly trainer: number | string;
}

/** A counted observation about the input. */
export interface Finding {
  /** The kind of finding, for programs. */
  readonly code: FindingCode;
  /** `skipped` makes the exit status 4; the others do not. */
  readonly severity: Severity;
  /** What was found, with numbers; one sentence without a full stop. */
  readonly message: string;
  /** Tokens, rows or files concerned, as the message says. */
  readonly count: number;
  /** The first place where it occurred. */
  readonly at: Place;
  /** The probable cause, without a full stop. */
  readonly likely?: string;
  /** What to try next, in the imperative. */
  readonly hint?: string;
  /** Absent if nothing was left out. */
  readonly omits?: Omission;
  /** For `sides-differ`, what they differ in. */
  readonly sides?: StatedSides;
}

/** `1 row cannot be read: …`, `3 rows cannot be read, the first: …`. */
export function unreadableRows(count: number, why: string): string {
  const first = count === 1 ? "row cannot be read" : "rows cannot be read, the first";
  return `${formatCount(count)} ${first}: ${why}`;
}

type Counted = Omit<Finding, "message" | "likely" | "hint"> & {
  readonly likely?: Lines;
  readonly hint?: Lines;
  readonly describe: (count: number) => Lines;
};

/**
 * A finding as plain data that can still be added to others: its words for one, and for several with a placeholder for
 * the count.
 */
export interface FindingData extends Omit<Finding, "message"> {
  readonly subject: string;
  readonly one: string;
  /** The count's placeholder is {@link PLAIN} or, with commas, {@link GROUPED}. */
  readonly many: string;
}

/** An improbable count, to find its place in a sentence. */
const STAND_IN = 987_654_321;
const PLAIN = "\u0001";
const GROUPED = "\u0002";

function openWords(describe: (count: number) => Lines): Pick<FindingData, "one" | "many"> {
  const many = joinLines(describe(STAND_IN))
    .replaceAll(formatCount(STAND_IN), GROUPED)
    .replaceAll(String(STAND_IN), PLAIN);
  return { one: joinLines(describe(1)), many };
}

function closeWords({ one, many }: FindingData): (count: number) => Lines {
  return (count) =>
    splitLines(
      count === 1 ? one : many.replaceAll(GROUPED, formatCount(count)).replaceAll(PLAIN, String(count)),
    );
}

/** Cause and advice with their own line breaks, for callers that already have them as text. */
function joinAdvice({ likely, hint }: Counted): Pick<Finding, "likely" | "hint"> {
  return {
    ...(likely === undefined ? {} : { likely: joinLines(likely) }),
    ...(hint === undefined ? {} : { hint: joinLines(hint) }),
  };
}

function splitAdvice({ likely, hint }: FindingData): Pick<Counted, "likely" | "hint"> {
  return {
    ...(likely === undefined ? {} : { likely: splitLines(likely) }),
    ...(hint === undefined ? {} : { hint: splitLines(hint) }),
  };
}

/** Collects findings and adds those of the same code and subject, so that a million rows make one line. */
export class FindingLog {
  readonly #byKey = new Map<string, { readonly first: Counted; count: number }>();

  /**
   * `describe` writes the message for the total count; `subject` keeps different columns or files apart. The first of
   * the added findings determines place and words.
   */
  add(finding: Counted & { readonly subject?: string }): void {
    const key = `${finding.code}\0${finding.severity}\0${finding.subject ?? ""}`;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, { first: finding, count: finding.count });
    else known.count += finding.count;
  }

  /** Adds all findings of another log after these. */
  addAll(other: FindingLog): void {
    for (const [key, { first, count }] of other.#byKey) {
      const known = this.#byKey.get(key);
      if (known === undefined) this.#byKey.set(key, { first, count });
      else known.count += count;
    }
  }

  /** Like {@link list}, as data for {@link addData} of another log. */
  toData(): FindingData[] {
    return [...this.#byKey].map(([key, { first, count }]) => {
      const { describe, likely: _, hint: __, ...finding } = first;
      // The key begins with code and severity, which are fields.
      const subject = key.slice(finding.code.length + finding.severity.length + 2);
      return { ...finding, ...joinAdvice(first), count, subject, ...openWords(describe) };
    });
  }

  addData(findings: readonly FindingData[]): void {
    for (const finding of findings) {
      const { one: _, many: __, ...rest } = finding;
      this.add({ ...rest, ...splitAdvice(finding), describe: closeWords(finding) });
    }
  }

  /** In order of first occurrence. */
  list(): Finding[] {
    return [...this.#byKey.values()].map(({ first, count }) => {
      const { code, severity, at, omits, sides } = first;
      const more = {
        ...joinAdvice(first),
        ...(omits === undefined ? {} : { omits }),
        ...(sides === undefined ? {} : { sides }),
      };
      return { code, severity, message: joinLines(first.describe(count)), count, at, ...more };
    });
  }
}
