/**
 * Output of `logratio --help`: every verb by its job, on one screen of 80 columns and 24 rows.
 *
 * @module
 */
import { Help } from "commander";
import { OTHER_VERBS, VERB_GROUPS } from "./verbs/index.ts";

const WIDTH = 80;
const JOB_COLUMNS = 16;
const VERB_COLUMNS = 12;
const UNBROKEN = "\0";

const USAGE = "Usage: logratio [verb] PATH... [options]     without a verb: report";
const OPTIONS = "--help (its options, examples), --color never|always, --version";
const EXIT_STATUSES = "0 fine, 1 check failed, 2 usage, 3 unreadable, 4 inputs skipped";

export function formatProgramHelp(): string {
  // Keeps a verb and its words together.
  const others = OTHER_VERBS.map(({ name, summary }) => `${name} (${summary})`.replaceAll(" ", UNBROKEN));
  const rows: readonly (readonly [job: string, lines: readonly string[]])[] = [
    ...VERB_GROUPS.map(
      ([job, verbs]) => [job, verbs.map(({ name, summary }) => name.padEnd(VERB_COLUMNS) + summary)] as const,
    ),
    ["else", new Help().boxWrap(others.join(", "), WIDTH - JOB_COLUMNS).split("\n")],
    ["all take", [OPTIONS]],
    ["exit status", [EXIT_STATUSES]],
  ];
  const lines = rows.flatMap(([job, its]) =>
    its.map((line, at) => (at === 0 ? job : "").padEnd(JOB_COLUMNS) + line.replaceAll(UNBROKEN, " ")),
  );
  return [USAGE, "", ...lines, ""].join("\n");
}
