import { isFigure, plural } from "../../core/text/index.ts";
import { heatBounds, heatLevel } from "../../render/charts/index.ts";
import type { Surface } from "../../render/document/index.ts";
import { clipMiddle, displayWidth, pad, wrap } from "../../render/terminal/index.ts";
import type { KlReport } from "../results/report.ts";
import type { CaseStudy } from "../results/texts.ts";
import { caseFacts } from "./case-facts.ts";
import { foldStrip, largestKl, lastRow, markedSpikes, stripParts } from "./case-strip.ts";
import { groupContinuations, tellOutcome } from "./continuation-tables.ts";
import { drawSpike } from "./terminal-spikes.ts";
import { drawStrip, levelStyle, stripMarks } from "./terminal-strip.ts";
import { figure, quoted } from "./values.ts";

/** A text with more parts than this is shown around its spikes. */
const MOST_PARTS = 260;
const AROUND = 14;
const MOST_SPIKES = 5;
const NAME = 20;
const RESPONSE_LINES = 3;
const HEIGHTS = { unicode: " ▁▂▃▄▅▆▇█", ascii: " .:-=+*#@" } as const;

/** One text: its strip at the last checkpoint, its KL over all of them, its largest spikes. */
export function drawCase(study: CaseStudy, report: KlReport, surface: Surface): string[] {
  const last = report.metrics.last_checkpoint;
  const checkpoint = study.checkpoints[lastRow(study, last)] ?? last;
  const parts = foldStrip(stripParts(study, last), MOST_PARTS, AROUND);
  const spikes = markedSpikes(study);
  const largest = [...spikes].sort((a, b) => b.figures.kl - a.figures.kl).slice(0, MOST_SPIKES);
  const more = spikes.length - largest.length;
  return [
    "",
    surface.style(surface.text(`Case ${study.handle}, ${study.reason}`), "bold"),
    ...dim(caseFacts(study).join("; "), surface),
    ...dim(legend(study, checkpoint, surface), surface),
    ...drawStrip(parts, surface.width - 4, surface).map((line) => `    ${line}`),
    ...drawRows(study, surface),
    ...largest.flatMap(({ mark, figures }) =>
      drawSpike(figures, { mark, context: false, checkpoint, reference: report.reference }, surface),
    ),
    ...drawContinuations(study, surface),
    ...(more > 0 ? dim(`${plural(more, "more spike")} in --json`, surface) : []),
  ];
}

function legend(study: CaseStudy, checkpoint: string, surface: Surface): string {
  const { open, close, tool, end } = stripMarks(surface.unicode);
  const bounds = heatBounds(largestKl(study));
  const named = [2, 4, 6].map((level) => figure(bounds[level]));
  const colors = `colors from KL ${named.join(", ")} on; `;
  const error = study.error_token === null ? "" : `${open}!:${close} the first error; `;
  const isColored = surface.style("x", "dim") !== "x" && levelStyle(2) !== undefined;
  return `KL at ${checkpoint}: ${isColored ? colors : ""}${open}a:${close} a spike; ${error}${tool.trimEnd()}${end} not scored`;
}

/** Tokens across, checkpoints down, on one scale; more tokens than columns are folded by their maximum. */
function drawRows({ checkpoints, kl, mask }: CaseStudy, surface: Surface): string[] {
  const largest = largestKl({ kl, mask });
  if (checkpoints.length < 2 || largest === 0) return [];
  const names = checkpoints.map((name) => clipMiddle(surface.text(name), NAME, surface.ellipsis));
  const label = Math.max(...names.map(displayWidth)) + 2;
  const columns = Math.min(mask.length, surface.width - 4 - label);
  const heights = surface.unicode ? HEIGHTS.unicode : HEIGHTS.ascii;
  const rows = names.map((name, row) => {
    const cells = Array.from({ length: columns }, (_, column) => {
      const from = Math.floor((column * mask.length) / columns);
      const to = Math.floor(((column + 1) * mask.length) / columns);
      const own = Array.from({ length: to - from }, (_, at) => from + at).filter((at) => mask[at] !== 0);
      if (own.length === 0) return " ";
      const values = own.map((at) => kl[row]?.[at]).filter(isFigure);
      return values.length === 0 ? "?" : heights.charAt(heatLevel(Math.max(...values), largest));
    });
    return `    ${surface.style(pad(name, label), "dim")}${surface.style(cells.join(""), "blue")}`;
  });
  return [
    ...dim(
      `KL of the text's ${plural(mask.length, "token")}, from left to right, by checkpoint; ? is not known`,
      surface,
    ),
    ...rows,
  ];
}

/** How often each policy is right from each place, and a sample of the last policy. */
function drawContinuations(study: CaseStudy, surface: Surface): string[] {
  return groupContinuations(study).flatMap(({ title, all }) => {
    const last = all.at(-1);
    const written = last === undefined ? "" : `${last.policy} wrote: ${quoted(last.response.trim())}`;
    const lines = wrap(surface.text(written), surface.width - 6);
    const shown = lines.slice(0, RESPONSE_LINES);
    return [
      `  ${surface.text(title)}`,
      ...wrap(surface.text(all.map(tellOutcome).join("; ")), surface.width - 4).map((line) => `    ${line}`),
      ...shown.map((line) => surface.style(`    ${line}`, "dim")),
      ...(lines.length > shown.length ? [surface.style(`    ${surface.ellipsis}`, "dim")] : []),
    ];
  });
}

function dim(text: string, surface: Surface): string[] {
  return wrap(surface.text(text), surface.width - 2).map((line) => surface.style(`  ${line}`, "dim"));
}
