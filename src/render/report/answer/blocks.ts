import { formatNumber } from "../../../core/text/index.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { Block } from "../../document/document.ts";
import { makeTable, type Table, textColumn } from "../../document/table.ts";
import { keyRows } from "./key-rows.ts";
import { answerRows } from "./rows.ts";

/** The answer for Markdown and pages: the rows of a first screen, then its few figures, or the shift that fits. */
export function answerBlocks(report: MismatchReport): Block[] {
  // What stands out has its own list beside them.
  const told = answerRows(report).filter(({ label }) => label !== "also");
  const rows = told.flatMap(({ label, text, quoted = [] }): Block[] => [
    { kind: "facts", rows: [[label, text]] },
    ...(quoted.length === 0 ? [] : [{ kind: "code", language: "text", text: quoted.join("\n") } as const]),
  ]);
  const table = report.assessment.comparable.is_comparable ? keyRowTable(report) : shiftTable(report);
  return [...joinFacts(rows), { kind: "table", table }];
}

/** Facts in a row as one list. */
function joinFacts(blocks: readonly Block[]): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const before = joined.at(-1);
    if (block.kind === "facts" && before?.kind === "facts")
      joined[joined.length - 1] = { kind: "facts", rows: [...before.rows, ...block.rows] };
    else joined.push(block);
  }
  return joined;
}

function keyRowTable(report: MismatchReport): Table {
  const rows = keyRows(report);
  return makeTable("answer-figures", "Figures", [
    textColumn(
      "figure",
      rows.map(({ label }) => label),
    ),
    textColumn(
      "this run",
      rows.map(({ value }) => value),
      { align: "right" },
    ),
    textColumn(
      "usual",
      rows.map(({ usual }) => usual),
    ),
    textColumn(
      "reading",
      rows.map(({ level, isUnreliable }) => (isUnreliable ? "unreliable" : level)),
      { levels: rows.map(({ level }) => level) },
    ),
    textColumn(
      "note",
      rows.map(({ worstTo, note }) =>
        [...(worstTo === "" ? [] : [`may be ${worstTo}`]), ...(note === "" ? [] : [note])].join("; "),
      ),
      { wrap: true },
    ),
  ]);
}

function shiftTable({ assessment }: MismatchReport): Table {
  const { by_shift: tried, shift } = assessment.comparable;
  return makeTable("shifts", "Mean |Δ| with the trainer's column moved", [
    textColumn(
      "moved by",
      tried.map(({ shift: by }) => (by > 0 ? `+${by}` : String(by))),
      { align: "right" },
    ),
    textColumn(
      "mean |Δ|, nats",
      tried.map(({ delta_abs_mean }) => formatNumber(delta_abs_mean)),
      { align: "right" },
    ),
    textColumn(
      "",
      tried.map(({ shift: by }) => (by === shift ? "fits" : "")),
    ),
  ]);
}
