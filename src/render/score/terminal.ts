import type { ScoreReport } from "../../results/index.ts";
import { makeTable, type Table, type TableColumn, textColumn } from "../document/index.ts";
import { clip, drawTable, makeSurface, type TerminalOptions, wrap } from "../terminal/index.ts";
import { formatCount, formatFixed, plural } from "../text/index.ts";

/** What `logratio score` did, as lines for a terminal, none longer than `width` columns. */
export function renderScoreTerminal(report: ScoreReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const { metrics } = report;
  const title = [
    report.study,
    plural(metrics.texts, "text"),
    plural(metrics.problems, "problem"),
    plural(metrics.masked_in_tokens, "token"),
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
    counts("scored", 1, ({ scored }) => formatCount(scored)),
    counts("kept", 2, ({ kept }) => formatCount(kept)),
    counts("refused", 1, ({ refused }) => formatCount(refused)),
    counts("seconds", 2, ({ seconds }) => formatFixed(seconds, 1)),
    textColumn(
      "at",
      rows.map(({ at }) => at),
      { priority: 4 },
    ),
  ]);
}
