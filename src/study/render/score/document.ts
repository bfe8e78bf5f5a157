import { formatCount, formatFixed, plural } from "../../../core/text/index.ts";
import {
  type Document,
  makeTable,
  type Table,
  type TableColumn,
  textColumn,
} from "../../../render/document/index.ts";
import { drawDocument, type TerminalOptions } from "../../../render/terminal/index.ts";
import type { ScoreReport } from "../../results/score.ts";

/** The scored texts, by policy. */
function buildScoreDocument(report: ScoreReport): Document {
  const { metrics, policies } = report;
  return {
    kind: "score",
    heading: "Scores of",
    name: report.study,
    input: [
      plural(metrics.texts, "text"),
      plural(metrics.problems, "problem"),
      plural(metrics.masked_in_tokens, "token"),
    ],
    lead: [],
    sections: [
      { id: "policies", title: "", blocks: [{ kind: "table", table: policyTable(report) }] },
      {
        id: "notes",
        title: "",
        blocks: [
          {
            kind: "list",
            items: [...new Set(Object.values(policies).flatMap(({ notes }) => notes))],
            muted: true,
          },
        ],
      },
    ],
  };
}

function policyTable({ policies }: ScoreReport): Table {
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

export function renderScoreTerminal(report: ScoreReport, options: TerminalOptions): string {
  return drawDocument(buildScoreDocument(report), options);
}
