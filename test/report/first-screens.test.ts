/**
 * Whole first screens, as shown on a terminal of 24 rows and 80 columns, of the five kinds of run: bad in some steps,
 * sound, not comparable, faulty but normal-looking, dead. Whoever changes a word on them sees all five.
 */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ColumnsSeen } from "../../src/analyses/doctor/columns/columns-seen.ts";
import { reportRun } from "../../src/analyses/runs/report-run.ts";
import { TESTS } from "../../src/render/report/answer/rows.ts";
import { renderTerminal } from "../../src/render/report/terminal.ts";
import { displayWidth } from "../../src/render/terminal/columns.ts";
import type { MismatchReport } from "../../src/results/report.ts";
import { DOCTOR, LAB, WILD } from "../support/shared-data.ts";

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

interface Screen {
  readonly page: string;
  /** Where the run lies, and the path that a user would give. */
  readonly path: string;
  readonly name: string;
  readonly tokenizer?: string;
  /** What a stranger must be able to read in the first ten seconds. */
  readonly first: RegExp;
}

const SCREENS: readonly Screen[] = [
  {
    page: "bad-in-some-steps",
    path: at("examples/demo/stale"),
    name: "examples/demo",
    tokenizer: at("examples/demo/tokenizer"),
    first: /^△ ELEVATED {2}In steps 10–30; normal since step 50: /,
  },
  {
    page: "sound",
    path: `${LAB}main/npz`,
    name: "lab/main/npz",
    first: /^✓ NORMAL {2}.* in every step\. No test/,
  },
  {
    page: "not-comparable",
    path: `${DOCTOR}case-011/data`,
    name: "case-011/data",
    first: /^✗ NOT COMPARABLE {2}The trainer's log-probs are 1 token late\./,
  },
  {
    page: "faulty-though-it-looks-normal",
    path: `${DOCTOR}case-010/data`,
    name: "case-010/data",
    first: /^▲ FAULT {2}One environment differs: arithmetic \(92 %\)\./,
  },
  {
    page: "dead",
    path: `${WILD}tokens/verl721`,
    name: "verl721",
    first: /^ ✗ BROKEN {3}Since step 59: NaN in the trainer log-probs old_log_probs /,
  },
];

/** The report under the name that a user would have given. */
function renamed(report: MismatchReport, { path, name }: Screen): MismatchReport {
  // The command line finds a tokenizer next to the dumps, and names none.
  const swap = <Of extends { readonly command: string } | null>(of: Of): Of =>
    of === null ? of : { ...of, command: of.command.replaceAll(path, name).replace(/ --tokenizer \S+/, "") };
  return { ...report, next: swap(report.next), correct: swap(report.correct) };
}

for (const { path, page } of SCREENS)
  if (!existsSync(path)) console.warn(`SKIPPED: the first screen ${page}, because ${path} is not there`);

describe("the first screen of a run that is", () => {
  it.each(SCREENS.filter(({ path }) => existsSync(path)))("$page", async (screen) => {
    const { path, name, page, tokenizer, first } = screen;
    const report = await reportRun(path, { threads: 1, ...(tokenizer !== undefined && { tokenizer }) });
    const text = renderTerminal(renamed(report, screen), {
      ...{ width: 80, color: false, unicode: true, sections: "summary" },
      more: `logratio report ${name} --full`,
    });
    const lines = text.trimEnd().split("\n");
    expect(lines[2]).toMatch(first);
    // The prompt takes a row; only a line to paste may be wider than the terminal.
    const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / 80)), 0);
    expect(rows).toBeLessThanOrEqual(23);
    expect(text).not.toContain(dirname(path));
    await expect(text).toMatchFileSnapshot(`../fixtures/first-screens/${page}.txt`);
  });
});

it("what was not tested is said in words, for every column that may be missing", () => {
  const columns = new ColumnsSeen().untested();
  expect(columns.length).toBeGreaterThan(8);
  for (const { column } of columns) expect(TESTS.get(column), column).toMatch(/^[a-z][a-z ]+$/);
});
