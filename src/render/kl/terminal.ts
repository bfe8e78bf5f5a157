import type { KlAnswer, KlReport } from "../../results/index.ts";
import type { Table } from "../document/index.ts";
import {
  clip,
  drawTable,
  makeSurface,
  pad,
  type Surface,
  sparkline,
  type TerminalOptions,
  wrap,
  wrapParts,
} from "../terminal/index.ts";
import { formatColumn } from "../text/index.ts";
import { checkpointTable, rlProbeTable } from "./checkpoint-tables.ts";
import { findingLines } from "./finding-lines.ts";
import { progressionLines } from "./progression-tables.ts";
import { tablesAfter, tablesBefore } from "./sections.ts";
import { inputParts, keyLine, methodLines, SUPPORT, unbroken } from "./summary.ts";
import { drawCase } from "./terminal-case.ts";
import { drawSpike } from "./terminal-spikes.ts";
import { dash } from "./values.ts";

const LABEL = 16;
const PICTURE = 32;
const MOST_ROWS = 10;
const MOST_SPIKES = 5;

/** The study as lines for a terminal, none longer than `width`: the answers, checkpoints, tokens, tests, one text. */
export function renderKlTerminal(report: KlReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const section = (table: Table): string[] => (table.rows === 0 ? [] : drawSection(table, surface));
  const [study] = report.cases;
  const lines = [
    ...drawTitle(report, surface),
    ...drawAnswers(report, surface),
    ...section(checkpointTable(report)),
    ...tablesBefore(report, MOST_ROWS).flatMap(section),
    ...drawSpikes(report, surface),
    ...drawProgression(report, surface),
    ...tablesAfter(report).flatMap(section),
    ...section(rlProbeTable(report)),
    ...(study === undefined ? [] : drawCase(study, report, surface)),
    ...drawMethod(report, surface),
    ...drawList("Findings", findingLines(report), surface),
    ...drawList("Limitations", report.caveats, surface),
    ...drawList("Not available", report.absent, surface),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function drawTitle(report: KlReport, surface: Surface): string[] {
  const name = clip(surface.text(report.study), Math.max(8, Math.floor(surface.width / 2)), surface.ellipsis);
  const parts = inputParts(report).map(surface.text);
  const [first = "", ...rest] = wrapParts([name, ...parts], surface.unicode ? " · " : ", ", surface.width);
  return [
    surface.style(name, "bold") + surface.style(first.slice(name.length), "dim"),
    ...rest.map((line) => surface.style(line, "dim")),
    ...wrap(surface.text(keyLine(report)), surface.width),
  ];
}

function drawAnswers({ answers }: KlReport, surface: Surface): string[] {
  return answers.length === 0 ? [] : ["", ...answers.flatMap((answer) => drawAnswer(answer, surface))];
}

function drawAnswer({ question, answer, support }: KlAnswer, surface: Surface): string[] {
  const { word, level, signs } = SUPPORT[support];
  const sign = pad(signs[surface.unicode ? 0 : 1], 2);
  const tail = surface.text(`(${word})`);
  const heads = wrap(surface.text(question), surface.width - 3);
  const body = wrap(`${surface.text(unbroken(answer))} ${tail}`, surface.width - 3);
  return [
    ...heads.map((line, at) =>
      at === 0
        ? `${surface.style(sign, `level-${level}`)} ${surface.style(line, "bold")}`
        : `   ${surface.style(line, "bold")}`,
    ),
    ...body.map((line) => `   ${line}`),
  ];
}

function drawSpikes(report: KlReport, surface: Surface): string[] {
  const { top_spikes: spikes, metrics, reference } = report;
  if (spikes.length === 0) return [];
  const checkpoint = metrics.last_checkpoint;
  return [
    "",
    surface.style(surface.text(`Largest spikes at ${checkpoint}`), "bold"),
    ...spikes
      .slice(0, MOST_SPIKES)
      .flatMap((spike, at) =>
        drawSpike(spike, { mark: `${at + 1}.`, context: true, checkpoint, reference }, surface),
      ),
  ];
}

/** Sparklines of KL, spikes and entropy, then what there is to say of them. */
function drawProgression(report: KlReport, surface: Surface): string[] {
  const { progression } = report;
  if (progression === null) return [];
  const columns = Math.min(PICTURE, progression.steps.length * 3, surface.width - LABEL - 30);
  const series = [
    ["mean KL", progression.mean_kl],
    ["spikes", progression.spikes_mean],
    ["entropy", progression.mean_entropy],
  ] as const;
  const pictures = series.map(([label, values]) => {
    const known = values.map((value) => value ?? Number.NaN);
    const stretched = known.flatMap((value) =>
      Array.from({ length: Math.max(1, Math.floor(columns / known.length)) }, () => value),
    );
    const drawn = sparkline(stretched, columns, surface.unicode);
    const told = formatColumn([values[0], values.at(-1)], "number")
      .map(dash)
      .join(" to ");
    return `  ${surface.style(pad(label, LABEL - 2), "dim")}${surface.style(pad(drawn, columns), "blue")}  ${surface.style(surface.text(told), "dim")}`;
  });
  return [
    "",
    surface.style(surface.text(`Progression over ${progression.steps.length} checkpoints`), "bold"),
    ...pictures,
    ...progressionLines(report).flatMap(([label, text]) => labelled(label, text, surface)),
  ];
}

function drawMethod(report: KlReport, surface: Surface): string[] {
  return [
    "",
    surface.style("Method", "bold"),
    ...methodLines(report).flatMap(([label, text]) => labelled(label, text, surface)),
  ];
}

function drawSection(table: Table, surface: Surface): string[] {
  const { lines, leftOut } = drawTable(table, surface);
  const noRoom = leftOut.length === 0 ? "" : surface.text(`  no room for ${leftOut.join(", ")}`);
  return [
    "",
    surface.style(surface.text(table.title), "bold") + surface.style(noRoom, "dim"),
    ...(table.note === undefined
      ? []
      : wrap(surface.text(unbroken(table.note)), surface.width - 2).map((line) =>
          surface.style(`  ${line}`, "dim"),
        )),
    ...lines,
  ];
}

function drawList(title: string, texts: readonly string[], surface: Surface): string[] {
  if (texts.length === 0) return [];
  const sign = surface.unicode ? "•" : "*";
  return [
    "",
    surface.style(title, "bold"),
    ...texts.flatMap((text) =>
      wrap(surface.text(unbroken(text)), surface.width - 4).map((line, at) =>
        at === 0 ? `  ${sign} ${line}` : `    ${line}`,
      ),
    ),
  ];
}

function labelled(label: string, text: string, surface: Surface): string[] {
  return wrap(surface.text(unbroken(text)), surface.width - LABEL).map(
    (line, at) => `  ${surface.style(pad(at === 0 ? surface.text(label) : "", LABEL - 2), "dim")}${line}`,
  );
}
