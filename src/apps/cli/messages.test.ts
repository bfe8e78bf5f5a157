import { expect, it } from "vitest";
import { FormatError } from "../../core/base/errors.ts";
import { FindingLog } from "../../core/schema/findings.ts";
import {
  formatBug,
  formatError,
  formatFinding,
  formatLine,
  formatWarning,
  writtenFiles,
} from "./messages.ts";
import type { Terminal } from "./terminal.ts";

const terminal = { paint: (_: string, text: string) => text } as Terminal;
const ESC = String.fromCharCode(27);
/** As a name of a run, a file, a policy, a metric. */
const NAME = `grpo\nwarning: /data/secret: 12 batches cannot be read\nerror: forged${ESC}[2J`;
const SHOWN = "grpo\\nwarning: /data/secret: 12 batches cannot be read\\nerror: forged\\x1b[2J";

const findings = new FindingLog();
findings.add({
  code: "note",
  severity: "warning",
  count: 1,
  at: { file: NAME },
  likely: NAME,
  hint: NAME,
  describe: () => NAME,
});

it.each([
  ["a warning", formatWarning(NAME, terminal), 1],
  ["a line", formatLine(NAME), 1],
  ["a written file", writtenFiles(NAME), 1],
  ["a bug", formatBug(new Error(NAME), terminal), 2],
  [
    "an error",
    formatError(new FormatError(NAME, { at: { file: NAME }, likely: NAME, hint: NAME }), terminal),
    4,
  ],
  ["a finding", formatFinding(findings.list()[0]!, terminal), 3],
])("%s stays on its line, whatever name it quotes", (_, text, lines) => {
  expect(text).toContain(SHOWN);
  expect(text).not.toContain(ESC);
  expect(text.split("\n")).toHaveLength(lines + 1);
});

it("lists of lines are printed as lines", () => {
  const error = new FormatError(["the columns are:", "  a", `  ${NAME}`], { hint: ["write", "  b"] });
  expect(formatError(error, terminal)).toBe(
    `error: the columns are:\n  a\n  ${SHOWN}\n  try     write\n            b\n`,
  );
});
