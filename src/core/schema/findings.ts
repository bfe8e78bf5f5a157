import type { Place } from "../base/index.ts";
import { formatCount } from "../text/index.ts";

/**
 * Something that reading noticed and the user must be told: never silently repaired, always counted.
 *
 * `info`: worth knowing. `warning`: figures stand but may mean something else. `skipped`: data was left out (exit
 * status 4).
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
  | "duplicate"
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

/** In what a finding counts what it left out of every figure. */
export type OmittedUnit = "token" | "sequence" | "file" | "input";

/**
 * Why data is in no figure: `unreadable` should have been read; `incomparable` has no counterpart on the other side;
 * `repeated` is counted once elsewhere; `no_data` holds nothing to count; `by_name` is a file beside the data whose name
 * says that it is something else (a README, a tokenizer); `requested` was left out by a flag.
 */
export type OmissionReason = "unreadable" | "incomparable" | "repeated" | "no_data" | "by_name" | "requested";

/** Said by findings whose `count` is of what was left out. */
export interface Omission {
  readonly unit: OmittedUnit;
  readonly why: OmissionReason;
}

/** Something about the input that its reader should know, counted. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What was found, with numbers; one sentence, no trailing stop. */
  readonly message: string;
  /** Tokens, rows or files concerned, as the message says. */
  readonly count: number;
  /** The first place where it was seen. */
  readonly at: Place;
  readonly likely?: string;
  readonly hint?: string;
  /** Absent where nothing was left out. */
  readonly omits?: Omission;
}

/** `1 row cannot be read: …`, `3 rows cannot be read, the first: …`. */
export function unreadableRows(count: number, why: string): string {
  const first = count === 1 ? "row cannot be read" : "rows cannot be read, the first";
  return `${formatCount(count)} ${first}: ${why}`;
}

type Counted = Omit<Finding, "message"> & { readonly describe: (count: number) => string };

/** Collects findings and adds up those of the same code and subject, so that a million rows make one line. */
export class FindingLog {
  readonly #byKey = new Map<string, { readonly first: Counted; count: number }>();

  /**
   * `describe` writes the message for the total count; `subject` keeps different columns or files apart. Of findings
   * that are added up, the first gives place and words.
   */
  add(finding: Counted & { readonly subject?: string }): void {
    const key = `${finding.code}\0${finding.severity}\0${finding.subject ?? ""}`;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, { first: finding, count: finding.count });
    else known.count += finding.count;
  }

  /** Adds all of another log, as if its findings had come after these. */
  addAll(other: FindingLog): void {
    for (const [key, { first, count }] of other.#byKey) {
      const known = this.#byKey.get(key);
      if (known === undefined) this.#byKey.set(key, { first, count });
      else known.count += count;
    }
  }

  /** In the order in which they were first seen. */
  list(): Finding[] {
    return [...this.#byKey.values()].map(({ first, count }) => {
      const { code, severity, at, likely, hint, omits } = first;
      const advice = {
        ...(likely === undefined ? {} : { likely }),
        ...(hint === undefined ? {} : { hint }),
        ...(omits === undefined ? {} : { omits }),
      };
      return { code, severity, message: first.describe(count), count, at, ...advice };
    });
  }
}
