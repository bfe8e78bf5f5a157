import type { DoctorCause, NextExperiment } from "../../results/diagnosis.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import type { Block, Section } from "../document/document.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";

/** Matches a line that is a command rather than a sentence; sentences begin with a capital. */
const COMMAND = /^(?:\$ |logratio |python3? |pip |export |[A-Z_]+=\S)/;

/** Something that the user must supply first, such as `NEW_RUN`. */
const PLACEHOLDER = /^logratio .*\b[A-Z][A-Z_]{4,}\b/;

/** Splits steps into sentences and commands on separate lines. */
export function splitSteps({
  steps,
}: NextExperiment): readonly { readonly text: string; readonly isCommand: boolean }[] {
  return steps
    .flatMap((step) => step.split("\n"))
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => {
      const isCommand = COMMAND.test(line);
      return { text: isCommand ? line.replace(/^\$ /, "") : line, isCommand };
    });
}

/** The experiment in two lines: what it is, and its first command or else its first step. */
export function experimentLead(next: NextExperiment | null): Block[] {
  if (next === null) return [];
  const lines = splitSteps(next);
  const command = lines.find(({ text, isCommand }) => isCommand && !PLACEHOLDER.test(text));
  if (command !== undefined)
    return [{ kind: "command", label: "next", command: command.text, why: next.title }];
  const [first] = lines;
  const text = first === undefined || first.text === next.title ? next.title : `${next.title}: ${first.text}`;
  return [{ kind: "facts", rows: [["next", text]] }];
}

export function experimentSections({ next_experiment: next, causes }: DoctorReport): Section[] {
  if (next === null) return [];
  const blocks: Block[] = [{ kind: "text", text: `${next.title}.`.replace(/\.\.$/, ".") }];
  for (const { text, isCommand } of splitSteps(next))
    blocks.push(
      isCommand ? { kind: "command", label: "run", command: text } : { kind: "list", items: [text] },
    );
  blocks.push({ kind: "table", table: outcomeTable(next, causes) });
  return [{ id: "next-experiment", title: "Next experiment", blocks }];
}

function outcomeTable({ outcomes }: NextExperiment, causes: readonly DoctorCause[]): Table {
  const titles = new Map(causes.map(({ id, title }) => [id, title]));
  return makeTable("outcomes", "What each result means", [
    textColumn(
      "outcome",
      outcomes.map(({ outcome }) => outcome),
      { wrap: true },
    ),
    textColumn(
      "points to",
      outcomes.map((each) =>
        each.causes.length === 0
          ? "none of these"
          : each.causes.map((id) => titles.get(id) ?? id.replaceAll("_", " ")).join(", "),
      ),
    ),
  ]);
}
