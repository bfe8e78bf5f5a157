import { heatLevel } from "../../render/charts/index.ts";
import { escapeHtml } from "../../render/html/index.ts";
import { clipMiddle } from "../../render/terminal/index.ts";
import { formatCount, isFigure } from "../../render/text/display/index.ts";
import { printable } from "../../render/text/index.ts";
import type { CaseStudy } from "../results/texts.ts";
import { largestKl, lastRow } from "./case-strip.ts";
import { type HeatColumn, type HeatLine, heatLines, TOKEN_CHARACTERS } from "./heat-map-lines.ts";
import { visibleToken } from "./html-text.ts";
import { figure, quoted } from "./values.ts";

/** Characters of a checkpoint's name; both ends are kept, since names usually differ at the end. */
const NAME_CHARACTERS = 16;

/** What all cells of one case share. */
interface Map {
  readonly study: CaseStudy;
  readonly largest: number;
  readonly last: number;
  readonly spikes: ReadonlySet<number>;
}

/**
 * Tokens across, checkpoints down: a table for each line of tokens, all on the case's one scale. Every cell holds its
 * level from 1 to 8 (nothing below), so that colors are not needed; a token's figures are in its tooltip.
 */
export function htmlHeatMap(study: CaseStudy, lastCheckpoint: string): string {
  const map: Map = {
    study,
    largest: largestKl(study),
    last: lastRow(study, lastCheckpoint),
    spikes: new Set(study.spikes.map(({ position }) => position)),
  };
  return heatLines(study)
    .map((line) => drawLine(line, map))
    .join("\n");
}

function drawLine(line: HeatLine, map: Map): string {
  if (line.kind === "quiet") {
    const { from, to, most } = line;
    return `<p class=note>Tokens ${from} to ${to - 1} (${formatCount(to - from)}) are not drawn: ${most === null ? "none has a KL" : `KL at most ${figure(most)}`}.</p>`;
  }
  const { columns } = line;
  const { checkpoints } = map.study;
  const heads = columns.map((column) => drawHead(column, map)).join("");
  const rows = checkpoints.map((name, row) => {
    const cells = columns.map((column) => drawCell(column, row, map)).join("");
    return `<tr><th scope=row title="${escapeHtml(name)}">${escapeHtml(clipMiddle(printable(name), NAME_CHARACTERS, "…"))}${cells}`;
  });
  const from = columns[0]?.from ?? 0;
  const to = (columns.at(-1)?.to ?? 1) - 1;
  return `<div class=scroll><table class=heat><caption>Tokens ${from} to ${to}</caption><thead><tr><td>${heads}</thead><tbody>${rows.join("\n")}</tbody></table></div>`;
}

function drawHead({ from, to }: HeatColumn, { study, spikes, largest }: Map): string {
  if (to - from > 1)
    return `<th scope=col class=muted title="tokens ${from} to ${to - 1}">tool output, ${formatCount(to - from)} tokens`;
  const token = study.tokens[from] ?? "";
  const isError = study.error_token === from;
  const names = [...(spikes.has(from) ? ["spike"] : []), ...(isError ? ["error"] : [])];
  const classes = names.length === 0 ? "" : ` class="${names.join(" ")}"`;
  const facts = [
    `${from} ${quoted(token)} ${study.categories[from] ?? ""}`,
    ...(isError ? ["the first error"] : []),
    ...(study.mask[from] === 0 ? ["tool output: not scored"] : formatValues(study, from, largest)),
  ];
  return `<th scope=col${classes} title="${facts.map(escapeHtml).join("&#10;")}">${isError ? "✗" : ""}${visibleToken(token, TOKEN_CHARACTERS)}`;
}

/** A line per checkpoint; one line for a token that is quiet at all of them, to keep the page small. */
function formatValues({ checkpoints, kl, delta }: CaseStudy, at: number, largest: number): string[] {
  const values = kl.map((row) => row[at] ?? null);
  const known = values.filter(isFigure);
  if (known.length === 0) return ["no score"];
  if (known.length === values.length && known.every((value) => heatLevel(value, largest) === 0))
    return [`KL at most ${figure(Math.max(...known))}`];
  return checkpoints.map(
    (name, row) => `${name}: KL ${figure(values[row])}, Δ ${figure(delta[row]?.[at], "signed")}`,
  );
}

function drawCell({ from }: HeatColumn, row: number, { study, largest, last, spikes }: Map): string {
  if (study.mask[from] === 0) return "<td class=tool-output>";
  const value = study.kl[row]?.[from];
  if (!isFigure(value)) return "<td class=unknown>–";
  const level = heatLevel(value, largest);
  const isSpike = row === last && spikes.has(from);
  return `<td class=${isSpike ? `"k${level} spike"` : `k${level}`}>${level === 0 ? "" : level}`;
}
