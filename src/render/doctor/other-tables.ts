import { formatChance } from "../../core/text/index.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { weighed } from "./evidence.ts";
import { firstCauses } from "./words.ts";

/** Causes that were tested and not found, and those that could not be tested. */
export function otherTables(report: DoctorReport): Table[] {
  return [ruledOutTable(report), untestedTable(report)].filter(({ rows }) => rows > 0);
}

/** The table of causes that were ruled out; too few data rule nothing out. */
function ruledOutTable(report: DoctorReport): Table {
  const first = firstCauses(report);
  const others =
    report.verdict === "too_few"
      ? []
      : report.causes.filter((cause) => !first.includes(cause) && cause.id !== "healthy");
  return makeTable("ruled-out", "Other causes", [
    textColumn(
      "cause",
      others.map(({ title }) => title),
    ),
    textColumn(
      "probability",
      others.map(({ probability }) => formatChance(probability)),
      { align: "right" },
    ),
    textColumn(
      "evidence against it",
      others.map(({ evidence }) => {
        const strongest = [...evidence].sort((a, b) => a.weight - b.weight)[0];
        return strongest === undefined || strongest.weight >= 0 ? "" : weighed(strongest);
      }),
      { wrap: true },
    ),
  ]);
}

function untestedTable({ untested }: DoctorReport): Table {
  return makeTable("untested", "Not tested: a column is missing", [
    textColumn(
      "column",
      untested.map(({ column }) => column),
    ),
    textColumn(
      "would show",
      untested.map(({ test, how }) => `${test}: ${how}`),
      { wrap: true },
    ),
  ]);
}
