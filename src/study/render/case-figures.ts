/**
 * A case study as pictures: its KL along the text, and tokens × checkpoints.
 *
 * @module
 */

import { spikeLine, type TokenColumn, tokenGrid } from "../../render/charts/index.ts";
import { printable } from "../../render/text/index.ts";
import type { KlReport } from "../results/report.ts";
import type { CaseStudy } from "../results/texts.ts";
import { largestKl, lastRow } from "./case-strip.ts";
import { type HeatColumn, heatLines, TOKEN_CHARACTERS } from "./heat-map-lines.ts";
import type { KlPicture } from "./html-pictures.ts";

const LINE = { width: 720, height: 260 };
/** Maximum lines of a heat-map, and characters per line: the picture must fit the width of a page. */
const MOST_LINES = 12;
const LINE_CHARACTERS = 130;

export function caseFigures(study: CaseStudy, report: KlReport, id: string): KlPicture[] {
  return [
    { id: `${id}-kl`, svg: drawAlong(study, report) },
    { id: `${id}-heat-map`, svg: drawHeatMap(study) },
  ];
}

function drawAlong(study: CaseStudy, { metrics, reference }: KlReport): string {
  const row = lastRow(study, metrics.last_checkpoint);
  const values = (study.kl[row] ?? []).map((value, at) => (study.mask[at] === 0 ? null : value));
  return spikeLine(values, {
    ...LINE,
    title: `Case ${study.handle}: KL of ${printable(study.checkpoints[row] ?? "")} to ${printable(reference)}`,
    unit: "nats",
    xLabel: "response token",
    spikes: study.spikes.map(({ position }) => position),
    mark: study.error_token === null ? undefined : { at: study.error_token, label: "first error" },
  });
}

function drawHeatMap(study: CaseStudy): string {
  const lines = heatLines(study, { lines: MOST_LINES, characters: LINE_CHARACTERS });
  const drawn = lines.flatMap((line) =>
    line.kind === "line" ? [line.columns.map((column) => makeColumn(column, study))] : [],
  );
  const hidden = lines.reduce((sum, line) => sum + (line.kind === "quiet" ? line.to - line.from : 0), 0);
  const note = hidden === 0 ? "" : ` (${hidden} quiet tokens not drawn)`;
  return tokenGrid(drawn, study.checkpoints.map(printable), largestKl(study), {
    title: `Case ${study.handle}: KL by token and checkpoint, nats${note}`,
  });
}

function makeColumn({ from, to }: HeatColumn, study: CaseStudy): TokenColumn {
  const isTool = study.mask[from] === 0;
  const isSpike = study.spikes.some(({ position }) => position === from);
  return {
    text: to - from > 1 ? `tool output, ${to - from} tokens` : showToken(study.tokens[from] ?? ""),
    values: study.kl.map((row) => (isTool ? null : (row[from] ?? null))),
    mark: study.error_token === from ? "error" : isSpike ? "spike" : null,
  };
}

/** A token with visible spaces, cut to the width of a cell. */
function showToken(token: string): string {
  const seen = printable(token).replaceAll(" ", "·");
  const characters = [...seen];
  return characters.length <= TOKEN_CHARACTERS
    ? seen
    : `${characters.slice(0, TOKEN_CHARACTERS - 1).join("")}…`;
}
