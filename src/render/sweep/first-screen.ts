/**
 * What a terminal shows of a sweep unless all is asked for: the recommendation, why, the front, one config.
 *
 * @module
 */
import type { SweepReport } from "../../results/index.ts";
import type { Block, Document, Section } from "../document/index.ts";
import { configBlock, flagBlock } from "./config-blocks.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { correctionTable, FRONT_LEGEND } from "./tables.ts";

export interface FirstScreenOptions {
  /** Default: the front, none and the recommended one, a few rows in all. */
  readonly rows?: RowChoice;
  /** Whether the trainers were named: then all of their configs are shown. */
  readonly isForNamed?: boolean;
}

/** The sections of the first screen, in place of all. */
export function firstScreen(
  document: Document,
  report: SweepReport,
  { rows = "few", isForNamed = false }: FirstScreenOptions,
): Document {
  const table = correctionTable(report, chosenRows(report, rows));
  const corrections: Section = {
    id: "corrections",
    title: "",
    blocks: [{ kind: "table", table, legend: () => FRONT_LEGEND }],
  };
  const configs: Section = {
    id: "configs",
    title: `Config for ${report.chosen}`,
    blocks: isForNamed ? namedConfigs(report) : oneConfig(report),
  };
  return { ...document, sections: [corrections, configs] };
}

function namedConfigs(report: SweepReport): Block[] {
  const others = inexpressibleLines(report).map(({ presets, why }): [string, string] => [presets, why]);
  return [
    ...report.configs.map((config) => configBlock(config)),
    ...(report.configs.length === 0 ? neutralConfig(report) : []),
    { kind: "facts", rows: others },
  ];
}

/** Of the trainer that wrote the files; of none where that is not known, or has no settings for it. */
function oneConfig(report: SweepReport): Block[] {
  const { configs, inexpressible, sources } = report;
  const detected = new Set(sources.map(({ trainer }) => trainer));
  const own = configs.find(({ preset }) => detected.has(preset));
  const lacking = inexpressible.filter(({ preset }) => detected.has(preset));
  const others = configs.filter((config) => config !== own).map(({ preset }) => preset);
  return [
    ...(own === undefined ? neutralConfig(report) : [configBlock(own, 2)]),
    {
      kind: "facts",
      rows: [
        ...lacking.map(({ preset, why }): [string, string] => [preset, why]),
        ...(others.length === 0 ? [] : [["others", `--for NAME: ${others.join(", ")}`] as const]),
      ],
    },
  ];
}

function neutralConfig({ chosen, corrections }: SweepReport): Block[] {
  const row = corrections.find(({ name }) => name === chosen);
  return row === undefined ? [] : [flagBlock(row.correction_text)];
}
