/**
 * What a terminal shows of a sweep unless everything is requested: the recommendation, why, the front, one config.
 *
 * @module
 */
import type { SweepReport } from "../../results/sweep.ts";
import type { Block, Document, Section } from "../document/document.ts";
import { configBlock, flagBlock, MOST_TRAPS } from "./config-blocks.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { correctionTable, FRONT_LEGEND } from "./tables.ts";

export interface FirstScreenOptions {
  /** Default: the front, no correction and the recommended one; a few rows in all. */
  readonly rows?: RowChoice;
  /** Whether the user named the trainers: then all of their configs are shown. */
  readonly isForNamed?: boolean;
}

/**
 * First screens, the fullest first: on a small terminal the other trainers are dropped, then the traps and the table,
 * since the recommendation and its config are the answer. Anything requested by a flag stays.
 */
export function firstScreens(
  document: Document,
  report: SweepReport,
  { rows, isForNamed = false }: FirstScreenOptions,
): Document[] {
  const table = correctionTable(report, chosenRows(report, rows ?? "few"));
  const corrections: Section = {
    id: "corrections",
    title: "",
    blocks: [{ kind: "table", table, legend: () => FRONT_LEGEND }],
  };
  const configs = (blocks: readonly Block[]): Section => ({
    id: "configs",
    title: `Config for ${report.chosen}`,
    blocks,
  });
  const withTable = (blocks: readonly Block[]): Document => ({
    ...document,
    sections: [corrections, configs(blocks)],
  });
  if (isForNamed) return [withTable(namedConfigs(report))];
  const brief = ownConfig(report, 0);
  return [
    withTable([...ownConfig(report), ...otherTrainers(report)]),
    withTable(ownConfig(report)),
    withTable(brief),
    // Its title would repeat the recommendation.
    ...(rows === undefined ? [{ ...document, sections: [{ ...configs(brief), title: "" }] }] : []),
  ];
}

function namedConfigs(report: SweepReport): Block[] {
  const others = inexpressibleLines(report).map(({ presets, why }): [string, string] => [presets, why]);
  return [
    ...report.configs.map((config) => configBlock(config)),
    ...(report.configs.length === 0 ? neutralConfig(report) : []),
    { kind: "facts", rows: others },
  ];
}

/** The config for the trainer that wrote the files; none if that is unknown or has no settings for the correction. */
export function ownConfig(report: SweepReport, traps = MOST_TRAPS): Block[] {
  const { inexpressible, sources } = report;
  const detected = new Set(sources.map(({ trainer }) => trainer));
  const own = ofDetected(report);
  const lacking = inexpressible.filter(({ preset }) => detected.has(preset));
  return [
    ...(own === undefined ? neutralConfig(report) : [configBlock(own, traps)]),
    { kind: "facts", rows: lacking.map(({ preset, why }): [string, string] => [preset, why]) },
  ];
}

function ofDetected({ configs, sources }: SweepReport): SweepReport["configs"][number] | undefined {
  return configs.find(({ preset }) => sources.some(({ trainer }) => trainer === preset));
}

function otherTrainers(report: SweepReport): Block[] {
  const own = ofDetected(report);
  const others = report.configs.filter((config) => config !== own).map(({ preset }) => preset);
  return others.length === 0
    ? []
    : [{ kind: "facts", rows: [["others", `--for NAME: ${others.join(", ")}`]] }];
}

function neutralConfig({ chosen, corrections }: SweepReport): Block[] {
  const row = corrections.find(({ name }) => name === chosen);
  return row === undefined ? [] : [flagBlock(row.correction_text)];
}
