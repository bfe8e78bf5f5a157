/**
 * One sequence as a heat-map for a terminal.
 *
 * @module
 */
import type { ShowFigures, ShowReport, ShowSection } from "../../results/index.ts";
import {
  clip,
  displayWidth,
  drawCommand,
  flowPieces,
  makeSurface,
  pad,
  type Surface,
  type TerminalOptions,
  wrap,
  wrapParts,
} from "../terminal/index.ts";
import {
  formatCount,
  formatId,
  formatNumber,
  formatPlain,
  formatProbability,
  formatSigned,
  plural,
} from "../text/index.ts";
import { drawCard, quoted } from "./card.ts";
import { type FoldOptions, foldPrompt, foldResponse, type ShowPart } from "./folds.ts";
import { chooseTint, FIRST_MARKED, levelBound, showBound, showValue, tintCode, tintMark } from "./levels.ts";
import { drawSparkline, type Painter } from "./sparkline.ts";
import { chooseMarks, promptPieces, type StripPiece, tokenPieces } from "./token-pieces.ts";

export interface ShowTerminalOptions extends TerminalOptions, FoldOptions {}

interface Drawing {
  readonly report: ShowReport;
  readonly surface: Surface;
  readonly color: boolean;
  readonly paint: Painter;
}

/** Of the label of the next command. */
const NEXT_COLUMNS = 5;

const CSI = `${String.fromCharCode(27)}[`;

/** The result of `logratio show` as lines, none but the next command wider than `width` columns. Foreign text cannot move the cursor. */
export function renderShowTerminal(report: ShowReport, options: ShowTerminalOptions): string {
  const surface = makeSurface(options);
  const paint: Painter = (text, code) =>
    options.color && text !== "" ? `${CSI}${code}m${text}${CSI}0m` : text;
  const drawing = { report, surface, color: options.color, paint };
  const lines = [
    ...drawHeader(drawing),
    "",
    ...drawSparkline(report, surface, paint),
    "",
    ...drawLegend(drawing),
    "",
    ...drawPrompt(drawing, options),
    ...foldResponse(report, options).flatMap((part) => drawPart(part, drawing)),
    "",
    ...(report.token === null
      ? drawWorst(drawing)
      : drawCard(report.token, report.metric, surface, report.policies)),
  ].map((line) => clip(line, surface.width, surface.ellipsis));
  return [...lines, ...drawNext(drawing)].map((line) => `${line}\n`).join("");
}

function drawHeader({ report, surface }: Drawing): string[] {
  const { sequence } = report;
  const facts = [
    sequence.step === null ? "" : `step ${formatId(sequence.step)}`,
    sequence.rank === null ? "" : `rank ${formatId(sequence.rank)}`,
    sequence.group === null ? "" : `group ${sequence.group}`,
    sequence.sample === null ? "" : `sample ${sequence.sample}`,
    sequence.environment === null ? "" : `environment ${sequence.environment}`,
    sequence.reward === null ? "" : `reward ${formatPlain(sequence.reward)}`,
    sequence.correct === null ? "" : sequence.correct === 1 ? "right" : "wrong",
    sequence.file,
  ].filter((text) => text !== "");
  const figures = [
    `${formatCount(sequence.tokens)} of ${formatCount(sequence.response_tokens)} response tokens sampled by the policy`,
    plural(sequence.turns, "turn"),
    ...(sequence.prompt_tokens === 0 ? [] : [`prompt ${formatCount(sequence.prompt_tokens)}`]),
  ];
  const separator = surface.text(" · ");
  const parts = (texts: readonly string[]): string[] =>
    wrapParts(texts.map(surface.text), separator, surface.width - 2);
  return [
    surface.style(surface.text(sequence.handle), "bold"),
    ...parts(facts).map((line) => surface.style(`  ${line}`, "dim")),
    ...parts(figures).map((line) => `  ${line}`),
    ...(report.policies === undefined
      ? []
      : parts([`one policy: ${report.policies} log-probs only`]).map((line) => `  ${line}`)),
    ...parts(figureParts(sequence)).map((line) => `  ${line}`),
  ];
}

function figureParts(figures: ShowFigures): string[] {
  const { delta_abs_mean, delta_abs_max, delta_mean, k3, worst, infinite, missing } = figures;
  if (figures.log_prob_mean !== undefined) return onePolicyParts(figures);
  return [
    `mean |Δ| ${formatNumber(delta_abs_mean)}`,
    `max |Δ| ${formatNumber(delta_abs_max)}${worst === null ? "" : ` at t${worst}`}`,
    `mean Δ ${formatSigned(delta_mean)}`,
    `k3 ${formatNumber(k3)}`,
    ...(infinite === 0 ? [] : [`${formatCount(infinite)} infinite`]),
    ...(missing === 0 ? [] : [`${formatCount(missing)} without a log-prob`]),
  ];
}

function onePolicyParts({
  log_prob_mean: mean = null,
  log_prob_min: least,
  worst,
  infinite,
  missing,
}: ShowFigures): string[] {
  return [
    `mean log p ${formatNumber(mean)}`,
    `perplexity ${formatNumber(mean === null ? null : Math.exp(-mean))}`,
    `least log p ${formatNumber(least)}${worst === null ? "" : ` at t${worst}`}`,
    ...(infinite === 0 ? [] : [`${formatCount(infinite)} infinite`]),
    ...(missing === 0 ? [] : [`${formatCount(missing)} without a log-prob`]),
  ];
}

/** The scale in numbers: what each color, or each mark, begins at. */
function drawLegend({ report: { metric }, surface, color, paint }: Drawing): string[] {
  const levels = Array.from({ length: 6 }, (_, at) => at + 1);
  const title = wrap(surface.text(`${metric.title}: ${metric.meaning}`), surface.width);
  if (!color) {
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
    return [...title, ...wrapParts(parts, "  ", surface.width - 2).map((line) => `  ${line}`)];
  }
  const swatch = (level: number, below: boolean): string => {
    const text = surface.text(` ${showBound(level, below, metric)} `);
    return paint(text, tintCode({ level, below }) ?? "0");
  };
  const above = levels.map((level) => swatch(level, false));
  const neutral = ` ${formatPlain(metric.neutral)} `;
  const scale = metric.signed
    ? [...levels.map((level) => swatch(level, true)).reverse(), neutral, ...above]
    : [neutral, ...above];
  const line = scale.join("");
  const fits = displayWidth(line) + 2 <= surface.width;
  const half = Math.ceil(scale.length / 2);
  return [
    ...title,
    ...(fits ? [`  ${line}`] : [`  ${scale.slice(0, half).join("")}`, `  ${scale.slice(half).join("")}`]),
  ];
}

function drawPrompt(drawing: Drawing, options: FoldOptions): string[] {
  const { report, surface } = drawing;
  const { prompt } = report;
  if (prompt.length === 0) return [];
  const { head, tail } = foldPrompt(report, options);
  const drawText = (from: number, to: number): string[] =>
    flow(
      prompt.slice(from, to).flatMap((piece) => promptPieces(piece, surface)),
      drawing,
    );
  const isText = prompt[0]?.id === null && prompt.length === 1;
  const count = isText ? "as text" : plural(prompt.length, "token");
  const hidden = prompt.length - head - tail;
  return [
    heading(["prompt", count], drawing),
    ...drawText(0, head),
    ...(hidden > 0 ? [gapLine([plural(hidden, "token")], drawing)] : []),
    ...drawText(prompt.length - tail, prompt.length),
  ];
}

function drawPart(part: ShowPart, drawing: Drawing): string[] {
  const { report, surface, color } = drawing;
  if (part.kind === "heading") return [heading(sectionParts(part.section), drawing)];
  if (part.kind === "gap") return [gapLine(gapParts(part, report), drawing)];
  const pieces = report.tokens.slice(part.from, part.to).flatMap((token) =>
    tokenPieces(token, {
      metric: report.metric,
      color,
      surface,
      here: report.token?.token === token.token,
    }),
  );
  return flow(pieces, drawing);
}

function flow(pieces: readonly StripPiece[], { surface, paint }: Drawing): string[] {
  return flowPieces(pieces, surface.width, paint);
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

function heading(parts: readonly string[], { surface }: Drawing): string {
  const { rule } = chooseMarks(surface.unicode);
  const [first = "", ...rest] = parts.map(surface.text);
  const separator = surface.text(" · ");
  const after = rest.length === 0 ? "" : separator + rest.join(separator);
  const room = surface.width - displayWidth(first + after) - 4;
  return `${surface.style(rule.repeat(2), "dim")} ${surface.style(first, "bold")}${surface.style(`${after} ${rule.repeat(Math.max(0, room))}`, "dim")}`;
}

function gapLine(parts: readonly string[], { surface }: Drawing): string {
  const { gap } = chooseMarks(surface.unicode);
  return surface.style(`  ${gap} ${surface.text(parts.join(", "))} ${gap}`, "dim");
}

function drawWorst({ report, surface, color, paint }: Drawing): string[] {
  const { worst, tokens, metric, sequence } = report;
  if (worst.length === 0) return [surface.text(`no token differs from ${formatPlain(metric.neutral)}`)];
  const rows = worst.map((at) => {
    const { value, text, kind, rollout_logprob, trainer_logprob } = tokens[at]!;
    const probability = (logprob: number | null): string =>
      formatProbability(logprob === null ? null : Math.exp(logprob));
    return {
      handle: `${sequence.handle}.t${at}`,
      value: showValue(value, metric),
      tint: value === null ? undefined : tintCode(chooseTint(value, metric)),
      text: `${quoted({ text, kind })}  p ${
        report.policies === undefined
          ? `${probability(rollout_logprob)} → ${probability(trainer_logprob)}`
          : probability(rollout_logprob ?? trainer_logprob)
      }`,
    };
  });
  const widest = (of: (row: (typeof rows)[number]) => string): number =>
    Math.max(...rows.map((row) => displayWidth(of(row))));
  const [handles, values] = [widest(({ handle }) => handle), widest(({ value }) => value)];
  return [
    surface.style(surface.text(`furthest by ${metric.title}`), "bold"),
    ...rows.map(({ handle, value, tint, text }) => {
      const figure = pad(value, values, "right");
      const painted = color && tint !== undefined ? paint(figure, tint) : figure;
      return `  ${pad(handle, handles)}  ${painted}  ${surface.text(text)}`;
    }),
  ];
}

function drawNext({ report: { next }, surface }: Drawing): string[] {
  return next === null ? [] : ["", ...drawCommand("next", next.command, next.why, surface, NEXT_COLUMNS)];
}
