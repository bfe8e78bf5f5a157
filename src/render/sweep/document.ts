import type { VerdictLevel } from "../../results/report.ts";
import type { SweepReport } from "../../results/sweep.ts";
import type { Document, Section } from "../document/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import { budgetSentence } from "./budget.ts";
import { configBlock, flagBlock, MOST_TRAPS } from "./config-blocks.ts";
import { type FirstScreenOptions, firstScreens } from "./first-screen.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { correctionLegend, correctionTable, droppedTable, inputParts } from "./tables.ts";

export interface SweepOptions {
  readonly rows?: RowChoice;
}

/** If there are more configs than this, only the first few traps of each are shown. */
const FEW_CONFIGS = 3;

const LEVELS = {
  "none needed": "normal",
  recommended: "elevated",
  "none fits": "high",
} as const satisfies Record<string, VerdictLevel>;

/** Recommendation, table, what is dropped, configs, what was left out. */
function buildSweepDocument(report: SweepReport, { rows: choice = "default" }: SweepOptions = {}): Document {
  const { recommendation, run, absent } = report;
  const rows = chosenRows(report, choice);
  const budget = budgetSentence(report);
  const dropped = droppedTable(report, rows);
  return {
    kind: "sweep",
    heading: "Corrections tried on",
    name: run,
    result: recommendation.kind,
    input: inputParts(report),
    verdict: {
      level: LEVELS[recommendation.kind],
      word: recommendation.kind.toUpperCase(),
      text: recommendation.name,
      isHeading: true,
      items: recommendation.reasons,
    },
    lead: [],
    sections: [
      {
        id: "corrections",
        title: "",
        blocks: [
          {
            kind: "table",
            table: correctionTable(report, rows),
            legend: (hidden) => correctionLegend(report, hidden),
          },
        ],
      },
      { id: "budget", title: "", blocks: budget === undefined ? [] : [{ kind: "text", text: budget }] },
      { id: "dropped", title: "", blocks: dropped === undefined ? [] : [{ kind: "table", table: dropped }] },
      configSection(report),
      {
        id: "left-out",
        title: "",
        blocks: [
          {
            kind: "list",
            items: [
              ...absent,
              ...[...new Set(report.skipped_corrections.map(({ why }) => why))].map((reason) => {
                const names = report.skipped_corrections
                  .filter(({ why }) => why === reason)
                  .map(({ name }) => name);
                return `not tried: ${names.join(", ")} (${reason})`;
              }),
            ],
            muted: true,
          },
        ],
      },
    ],
  };
}

function configSection(report: SweepReport): Section {
  const { chosen, configs, corrections } = report;
  const row = corrections.find(({ name }) => name === chosen);
  const most = configs.length > FEW_CONFIGS ? MOST_TRAPS : Number.POSITIVE_INFINITY;
  const others = inexpressibleLines(report).map(({ presets, why }): [string, string] => [presets, why]);
  return {
    id: "configs",
    title: `Config for ${chosen}`,
    blocks: [
      ...(row === undefined
        ? []
        : [{ kind: "text", text: row.rule, muted: true } as const, flagBlock(row.correction_text)]),
      ...configs.map((config) => configBlock(config, most)),
      ...(others.length === 0 ? [] : [{ kind: "text", text: "Differs in:", muted: true } as const]),
      { kind: "facts", rows: others },
    ],
  };
}

/** The terminal, and how much of the sweep to print. */
export interface TerminalSweepOptions extends ScreenOptions, FirstScreenOptions {}

export function renderSweepTerminal(
  report: SweepReport,
  { isForNamed, rows, ...screen }: TerminalSweepOptions,
): string {
  const asked = { ...(rows !== undefined && { rows }), ...(isForNamed !== undefined && { isForNamed }) };
  const document = buildSweepDocument(report, asked);
  return drawScreen(document, screen, firstScreens(document, report, asked));
}

export function renderSweepMarkdown(
  report: SweepReport,
  options: MarkdownOptions & SweepOptions = {},
): string {
  return writeMarkdown(buildSweepDocument(report, options), options);
}
