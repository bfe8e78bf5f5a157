import type { Place } from "../base/errors.ts";

/**
 * Something that reading noticed and the user must be told: never silently repaired, always counted.
 *
 * `info`: worth knowing. `warning`: figures stand but may mean something else. `skipped`: data was left out (exit
 * status 4).
 */
export type Severity = "info" | "warning" | "skipped";

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
  | "note";

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
}

/** Collects findings and adds up those of the same code and subject, so that a million rows make one line. */
export class FindingLog {
  readonly #byKey = new Map<string, Finding>();

  /** `describe` writes the message for the total count; `subject` keeps different columns or files apart. */
  add(finding: Omit<Finding, "message"> & { readonly subject?: string; readonly describe: (count: number) => string }): void {
    const { subject = "", describe, ...rest } = finding;
    const key = `${finding.code}\0${finding.severity}\0${subject}`;
    const before = this.#byKey.get(key);
    const count = (before?.count ?? 0) + finding.count;
    this.#byKey.set(key, { ...(before ?? rest), count, message: describe(count) });
  }

  /** In the order in which they were first seen. */
  list(): Finding[] {
    return [...this.#byKey.values()];
  }
}
