import type { SweepConfig, SweepReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import {
  clip,
  drawTable,
  makeSurface,
  type Style,
  type Surface,
  type TerminalOptions,
  wrap,
  wrapParts,
} from "../terminal/index.ts";
import { budgetSentence } from "./budget.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { droppedTable, inputParts, settingLegend, settingTable } from "./tables.ts";

export interface SweepTerminalOptions extends TerminalOptions {
  readonly rows?: RowChoice;
}

/** With more configs than this on the screen, each one's traps are cut to the first few. */
const FEW_CONFIGS = 3;
const MOST_TRAPS = 2;

const WORDS = {
  "none needed": { word: "NONE NEEDED", style: "level-normal" },
  recommended: { word: "RECOMMENDED", style: "level-elevated" },
  "none fits": { word: "NONE FITS", style: "level-high" },
} as const satisfies Record<string, { word: string; style: Style }>;

/** The sweep as lines for a terminal: recommendation, table, who is dropped, configs. No line is over `width`. */
export function renderSweepTerminal(report: SweepReport, options: SweepTerminalOptions): string {
  const surface = makeSurface(options);
  const rows = chosenRows(report, options.rows ?? "default");
  const settings = settingTable(report, rows);
  const dropped = droppedTable(report, rows);
  const budget = budgetSentence(report);
  const lines = [
    ...drawTitle(report, surface),
    "",
    ...drawRecommendation(report, surface),
    ...drawSection(settings, surface),
    ...dim(settingLegend(report, drawTable(settings, surface).leftOut), surface, 2),
    ...(budget === undefined ? [] : ["", ...wrap(surface.text(unbroken(budget)), surface.width)]),
    ...(dropped === undefined ? [] : drawSection(dropped, surface)),
    ...drawConfigs(report, surface),
    ...drawLeftOut(report, surface),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function drawTitle(report: SweepReport, surface: Surface): string[] {
  const run = clip(surface.text(report.run), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const parts = inputParts(report).map(surface.text);
  const [first = "", ...rest] = wrapParts([run, ...parts], surface.unicode ? " · " : ", ", surface.width);
  return [
    surface.style(run, "bold") + surface.style(first.slice(run.length), "dim"),
    ...rest.map((line) => surface.style(line, "dim")),
  ];
}

function drawRecommendation({ recommendation }: SweepReport, surface: Surface): string[] {
  const { word, style } = WORDS[recommendation.kind];
  const bullet = surface.unicode ? "• " : "* ";
  return [
    `${surface.style(word, style)}  ${surface.style(surface.text(recommendation.setting), "bold")}`,
    ...recommendation.reasons.flatMap((reason) =>
      wrap(surface.text(unbroken(reason)), surface.width - 2).map(
        (line, at) => (at === 0 ? bullet : "  ") + line,
      ),
    ),
  ];
}

function drawSection(table: Table, surface: Surface): string[] {
  const { lines, leftOut } = drawTable(table, surface);
  const noRoom = leftOut.length === 0 ? "" : surface.text(`  no room for ${leftOut.join(", ")}`);
  return [
    "",
    surface.style(surface.text(table.title), "bold") + surface.style(noRoom, "dim"),
    ...(table.note === undefined ? [] : dim(table.note, surface, 2)),
    ...lines,
  ];
}

function drawConfigs(report: SweepReport, surface: Surface): string[] {
  const { chosen, configs, inexpressible, settings } = report;
  const rule = settings.find(({ name }) => name === chosen)?.rule;
  if (configs.length === 0 && inexpressible.length === 0) return [];
  const most = configs.length > FEW_CONFIGS ? MOST_TRAPS : Number.POSITIVE_INFINITY;
  return [
    "",
    surface.style(surface.text(`Config for ${chosen}`), "bold"),
    ...(rule === undefined ? [] : dim(rule, surface, 2)),
    ...configs.flatMap((config) => drawConfig(config, most, surface)),
    ...(inexpressible.length === 0 ? [] : ["", ...dim("Not exactly this in:", surface, 2)]),
    ...inexpressibleLines(report).flatMap(({ presets, why }) => dim(`${presets}: ${why}`, surface, 4)),
  ];
}

/** Config lines are for pasting: neither wrapped nor indented beyond their margin, only clipped where they must be. */
function drawConfig({ preset, place, text, traps }: SweepConfig, most: number, surface: Surface): string[] {
  const caution = surface.unicode ? "△ " : "! ";
  return [
    "",
    `  ${surface.style(surface.text(preset), "bold")}  ${surface.style(surface.text(place), "dim")}`,
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => `    ${surface.text(line)}`),
    ...traps
      .slice(0, most)
      .flatMap((trap) =>
        wrap(surface.text(trap), surface.width - 6).map((line, at) =>
          surface.style(`    ${at === 0 ? caution : " ".repeat(caution.length)}${line}`, "caution"),
        ),
      ),
    ...(traps.length > most
      ? dim(`${traps.length - most} more warnings: --for ${preset}`, surface, 4 + caution.length)
      : []),
  ];
}

function drawLeftOut({ absent, skipped_settings }: SweepReport, surface: Surface): string[] {
  const whys = [...new Set(skipped_settings.map(({ why }) => why))];
  const skipped = whys.map((why) => {
    const names = skipped_settings.filter((setting) => setting.why === why).map(({ name }) => name);
    return `not tried: ${names.join(", ")} (${why})`;
  });
  const all = [...absent, ...skipped];
  return all.length === 0 ? [] : ["", ...all.flatMap((line) => dim(line, surface, 0))];
}

/** A number stays on the line of its per cent sign. */
function unbroken(text: string): string {
  return text.replace(/(\d) %/g, "$1\u00a0%");
}

function dim(text: string, surface: Surface, indent: number): string[] {
  return wrap(surface.text(text), surface.width - indent).map(
    (line) => " ".repeat(indent) + surface.style(line, "dim"),
  );
}
