import { quoteForShell } from "../../core/base/index.ts";
import type { SweepReport, VerdictLevel } from "../../results/index.ts";
import type { Block, Document, Section } from "../document/index.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/index.ts";
import { drawDocument, type TerminalOptions } from "../terminal/index.ts";
import { plural } from "../text/index.ts";
import { budgetSentence } from "./budget.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { correctionLegend, correctionTable, droppedTable, inputParts } from "./tables.ts";

export interface SweepOptions {
  readonly rows?: RowChoice;
}

/** With more configs than this, each one's traps are cut to the first few. */
const FEW_CONFIGS = 3;
const MOST_TRAPS = 2;

const LEVELS = {
  "none needed": "normal",
  recommended: "elevated",
  "none fits": "high",
} as const satisfies Record<string, VerdictLevel>;

/** Recommendation, table, who is dropped, configs, what was left out. */
export function buildSweepDocument(
  report: SweepReport,
  { rows: choice = "default" }: SweepOptions = {},
): Document {
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
        blocks: [{ kind: "list", items: [...absent, ...skippedLines(report)], muted: true }],
      },
    ],
  };
}

function configSection(report: SweepReport): Section {
  const { chosen, configs, corrections } = report;
  const row = corrections.find(({ name }) => name === chosen);
  const most = configs.length > FEW_CONFIGS ? MOST_TRAPS : Number.POSITIVE_INFINITY;
  const others = inexpressibleLines(report).map(({ presets, why }): [string, string] => [presets, why]);
  const blocks = configs.map(({ preset, place, language, text, traps }): Block => {
    const left = traps.length - most;
    return {
      kind: "code",
      title: preset,
      place,
      language: language === "flags" ? "sh" : language,
      text,
      traps: left > 0 ? [...traps.slice(0, most), `${plural(left, "more trap")}: --for ${preset}`] : traps,
    };
  });
  return {
    id: "configs",
    title: `Config for ${chosen}`,
    blocks: [
      ...(row === undefined
        ? []
        : [{ kind: "text", text: row.rule, muted: true } as const, flagBlock(row.correction_text)]),
      ...blocks,
      ...(others.length === 0 ? [] : [{ kind: "text", text: "Differs in:", muted: true } as const]),
      { kind: "facts", rows: others },
    ],
  };
}

/**
 * The row as a flag: a correction that no trainer's config can express can still be applied, and swept again with
 * others.
 */
function flagBlock(text: string): Block {
  return {
    kind: "code",
    title: "logratio",
    place: "logratio correct, logratio sweep",
    language: "sh",
    text: `--correction ${quoteForShell(text)}`,
    traps: [],
  };
}

function skippedLines({ skipped_corrections: skipped }: SweepReport): string[] {
  return [...new Set(skipped.map(({ why }) => why))].map((reason) => {
    const names = skipped.filter(({ why }) => why === reason).map(({ name }) => name);
    return `not tried: ${names.join(", ")} (${reason})`;
  });
}

export function renderSweepTerminal(report: SweepReport, options: TerminalOptions & SweepOptions): string {
  return drawDocument(buildSweepDocument(report, options), options);
}

export function renderSweepMarkdown(
  report: SweepReport,
  options: MarkdownOptions & SweepOptions = {},
): string {
  return writeMarkdown(buildSweepDocument(report, options), options);
}
