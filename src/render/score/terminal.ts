import type { ScoreReport } from "../../results/index.ts";
import { makeTable, type Table, type TableColumn, textColumn } from "../document/index.ts";
import { clip, drawTable, makeSurface, type TerminalOptions, wrap } from "../terminal/index.ts";

/** What `logratio score` did, as lines for a terminal, none longer than `width` columns. */
export function renderScoreTerminal(report: ScoreReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const { metrics } = report;
  const count = (value: number, noun: string): string =>
    `${value.toLocaleString("en")} ${noun}${value === 1 ? "" : "s"}`;
  const title = [
    report.study,
    count(metrics.texts, "text"),
    count(metrics.problems, "problem"),
    count(metrics.masked_in_tokens, "token"),
  ].map(surface.text);
  const notes = [...new Set(Object.values(report.policies).flatMap((policy) => policy.notes))];
  const lines = [
    surface.style(title.join(surface.unicode ? " · " : ", "), "bold"),
    "",
    ...drawTable(table(report), surface).lines,
    ...notes.flatMap((note) =>
      wrap(surface.text(note), surface.width - 2).map((line) => surface.style(`  ${line}`, "dim")),
    ),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function table({ policies }: ScoreReport): Table {
  const rows = Object.values(policies);
  const counts = (
    header: string,
    priority: number,
    of: (row: (typeof rows)[number]) => string,
  ): TableColumn => textColumn(header, rows.map(of), { priority, align: "right" });
  return makeTable("policies", "Policies", [
    textColumn("policy", Object.keys(policies)),
    textColumn(
      "gives",
      rows.map(({ gives }) => gives ?? "not opened"),
      { priority: 3 },
    ),
    counts("scored", 1, ({ scored }) => scored.toLocaleString("en")),
    counts("kept", 2, ({ kept }) => kept.toLocaleString("en")),
    counts("refused", 1, ({ refused }) => refused.toLocaleString("en")),
    counts("seconds", 2, ({ seconds }) => seconds.toFixed(1)),
    textColumn(
      "at",
      rows.map(({ at }) => at),
      { priority: 4 },
    ),
  ]);
}
