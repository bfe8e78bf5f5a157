/**
 * The tokens of a sequence as a heat-map of text: in colors, or with marks without color.
 *
 * @module
 */

import { formatCount, formatNumber, formatPlain, plural } from "../../core/text/index.ts";
import type { ShowReport, ShowSection } from "../../results/show.ts";
import type { Surface } from "../document/surface.ts";
import { displayWidth } from "../terminal/columns.ts";
import { flowPieces } from "../terminal/flow.ts";
import { wrapParts } from "../terminal/wrap.ts";
import { onePolicyParts } from "./figures.ts";
import { type FoldOptions, foldPrompt, foldResponse, type ShowPart } from "./folds.ts";
import { FIRST_MARKED, levelBound, showBound, showValue, tintCode, tintMark } from "./levels.ts";
import { chooseMarks, promptPieces, type StripPiece, tokenPieces } from "./token-pieces.ts";

/** The prompt, the turns and the tokens between them, folded as requested, each under a heading. */
export function drawStrip(report: ShowReport, surface: Surface, options: FoldOptions): string[] {
  return [
    ...drawPrompt(report, surface, options),
    ...foldResponse(report, options).flatMap((part) => drawPart(part, report, surface)),
  ];
}

/** The scale in numbers: where each color, or each mark, starts. */
export function drawScale({ metric }: ShowReport, surface: Surface): string[] {
  const levels = Array.from({ length: 6 }, (_, at) => at + 1);
  if (!surface.color) {
    const marks = chooseMarks(surface.unicode);
    const sides = metric.signed ? [true, false] : [false];
    const parts = sides.flatMap((below) =>
      levels.slice(FIRST_MARKED - 1).map((level) => {
        const mark = tintMark({ level, below }, metric);
        const isFalling = levelBound(level, below, metric) < metric.neutral;
        return surface.text(
          `${marks.open}${mark}${marks.close} ${isFalling ? "≤" : "≥"} ${showBound(level, below, metric)}`,
        );
      }),
    );
    return wrapParts(parts, "  ", surface.width - 2).map((line) => `  ${line}`);
  }
  const swatch = (level: number, below: boolean): string => {
    const text = surface.text(` ${showBound(level, below, metric)} `);
    return surface.paint(text, tintCode({ level, below }) ?? "0");
  };
  const above = levels.map((level) => swatch(level, false));
  const neutral = ` ${formatPlain(metric.neutral)} `;
  const scale = metric.signed
    ? [...levels.map((level) => swatch(level, true)).reverse(), neutral, ...above]
    : [neutral, ...above];
  const line = scale.join("");
  const fits = displayWidth(line) + 2 <= surface.width;
  const half = Math.ceil(scale.length / 2);
  return fits ? [`  ${line}`] : [`  ${scale.slice(0, half).join("")}`, `  ${scale.slice(half).join("")}`];
}

function drawPrompt(report: ShowReport, surface: Surface, options: FoldOptions): string[] {
  const { prompt } = report;
  if (prompt.length === 0) return [];
  const { head, tail } = foldPrompt(report, options);
  const drawText = (from: number, to: number): string[] =>
    flow(
      prompt.slice(from, to).flatMap((piece) => promptPieces(piece, surface)),
      surface,
    );
  const isText = prompt[0]?.id === null && prompt.length === 1;
  const count = isText ? "as text" : plural(prompt.length, "token");
  const hidden = prompt.length - head - tail;
  return [
    heading(["prompt", count], surface),
    ...drawText(0, head),
    ...(hidden > 0 ? [gapLine([plural(hidden, "token")], surface)] : []),
    ...drawText(prompt.length - tail, prompt.length),
  ];
}

function drawPart(part: ShowPart, report: ShowReport, surface: Surface): string[] {
  if (part.kind === "heading") return [heading(sectionParts(part.section), surface)];
  if (part.kind === "gap") return [gapLine(gapParts(part, report), surface)];
  const pieces = report.tokens.slice(part.from, part.to).flatMap((token) =>
    tokenPieces(token, {
      metric: report.metric,
      surface,
      here: report.token?.token === token.token,
    }),
  );
  return flow(pieces, surface);
}

function flow(pieces: readonly StripPiece[], { width, paint }: Surface): string[] {
  return flowPieces(pieces, width, paint);
}

function sectionParts({ kind, turn, from, to, ...figures }: ShowSection): string[] {
  const span = `t${from}${to - from > 1 ? `–t${to - 1}` : ""}`;
  if (kind === "tool") return ["tool output", plural(to - from, "token"), span, "in no figure"];
  const { delta_abs_mean, delta_abs_max, worst } = figures;
  if (figures.log_prob_mean !== undefined)
    return [`turn ${turn}`, plural(to - from, "token"), span, ...onePolicyParts(figures)];
  return [
    `turn ${turn}`,
    plural(to - from, "token"),
    span,
    `mean |Δ| ${formatNumber(delta_abs_mean)}`,
    `max ${formatNumber(delta_abs_max)}${worst === null ? "" : ` at t${worst}`}`,
    ...(figures.infinite === 0 ? [] : [`${formatCount(figures.infinite)} infinite`]),
  ];
}

function gapParts({ from, to, turns }: Extract<ShowPart, { kind: "gap" }>, report: ShowReport): string[] {
  const { tokens, metric } = report;
  let furthest: number | undefined;
  const distance = (at: number): number => {
    const value = tokens[at]!.value;
    return value === null ? -1 : Math.abs(value - metric.neutral);
  };
  for (let at = from; at < to; at++)
    if (distance(at) >= 0 && (furthest === undefined || distance(at) > distance(furthest))) furthest = at;
  const [first, last] = turns ?? [undefined, undefined];
  const hasTools = tokens.slice(from, to).some(({ turn }) => turn === null);
  const tools = hasTools ? " with tool output" : "";
  return [
    ...(first === undefined
      ? []
      : [(first === last ? `turn ${first}` : `turns ${first} to ${last}`) + tools]),
    plural(to - from, "token"),
    ...(furthest === undefined
      ? []
      : [`furthest ${metric.title} ${showValue(tokens[furthest]!.value, metric)} at t${furthest}`]),
  ];
}

function heading(parts: readonly string[], surface: Surface): string {
  const { rule } = chooseMarks(surface.unicode);
  const [first = "", ...rest] = parts.map(surface.text);
  const separator = surface.text(" · ");
  const after = rest.length === 0 ? "" : separator + rest.join(separator);
  const room = surface.width - displayWidth(first + after) - 4;
  return `${surface.style(rule.repeat(2), "dim")} ${surface.style(first, "bold")}${surface.style(`${after} ${rule.repeat(Math.max(0, room))}`, "dim")}`;
}

function gapLine(parts: readonly string[], surface: Surface): string {
  const { gap } = chooseMarks(surface.unicode);
  return surface.style(`  ${gap} ${surface.text(parts.join(", "))} ${gap}`, "dim");
}
