import type { ShowMetric, ShowReport } from "../../results/show.ts";
import type { Surface } from "../document/surface.ts";
import { heightCharacter } from "../terminal/bars.ts";
import { pad } from "../terminal/columns.ts";
import { POWER, showValue } from "./levels.ts";

const LABEL = 8;
const VALUE = 20;

/** A stretch of the response. */
interface Column {
  readonly highest: number;
  readonly lowest: number;
  readonly infinite: boolean;
  /** Last digit of the turn, `.` for tokens that are not sampled. */
  readonly band: string;
}

/**
 * The whole response on one line: for each column the highest and the lowest value of all its tokens, so that no
 * spike is averaged away; the turn; and the requested token.
 */
export function drawSparkline(report: ShowReport, surface: Surface): string[] {
  const { paint } = surface;
  const { tokens, metric, token } = report;
  const room = Math.max(10, surface.width - LABEL - VALUE);
  const columns = Math.min(room, tokens.length);
  if (columns === 0) return [];
  const place = (column: number): number => Math.floor((column * tokens.length) / columns);
  const cells = Array.from({ length: columns }, (_, at) => summarizeColumn(report, place(at), place(at + 1)));
  const heights = (of: "highest" | "lowest"): string =>
    cells
      .map((cell) => (cell.infinite && of === "highest" ? "!" : height(cell[of], of, metric, surface)))
      .join("");
  const lines = [
    row("highest", heights("highest"), extreme(report, 1), surface, (text) => paint(text, "38;5;32")),
    row("lowest", heights("lowest"), extreme(report, -1), surface, (text) => paint(text, "38;5;166")),
    row("turn", cells.map(({ band }) => band).join(""), "", surface, (text) => paint(text, "2")),
  ];
  if (token === null) return lines;
  const at = cells.findIndex((_, column) => token.token < place(column + 1));
  return [...lines, row("", `${" ".repeat(at)}^ t${token.token}`, "", surface, (text) => text)];
}

function row(
  label: string,
  drawn: string,
  value: string,
  surface: Surface,
  paint: (text: string) => string,
): string {
  const right = value === "" ? "" : `  ${surface.text(value)}`;
  return `${surface.style(pad(label, LABEL), "dim")}${paint(drawn)}${right}`;
}

function summarizeColumn({ tokens }: ShowReport, from: number, to: number): Column {
  let [highest, lowest, infinite, turn] = [Number.NaN, Number.NaN, false, -1];
  for (let at = from; at < to; at++) {
    const token = tokens[at]!;
    turn = Math.max(turn, token.turn ?? -1);
    const { value } = token;
    if (value === null) continue;
    if (!Number.isFinite(value)) infinite = true;
    else {
      if (!(value <= highest)) highest = value;
      if (!(value >= lowest)) lowest = value;
    }
  }
  return { highest, lowest, infinite, band: turn < 0 ? "." : String(turn % 10) };
}

/** Above neutral and below it for metrics with two signs; otherwise both rows start at neutral. */
function height(value: number, of: "highest" | "lowest", metric: ShowMetric, surface: Surface): string {
  const { neutral, scale, signed } = metric;
  const distance = (value - neutral) / scale;
  const directed = signed ? Math.max(0, of === "highest" ? distance : -distance) : Math.abs(distance);
  return heightCharacter(Math.min(1, directed) ** POWER, surface.unicode);
}

function extreme({ tokens, metric }: ShowReport, sign: 1 | -1): string {
  let best: { readonly token: number; readonly value: number } | undefined;
  for (const { token, value } of tokens) {
    if (value === null || !Number.isFinite(value)) continue;
    if (best === undefined || sign * (value - best.value) > 0) best = { token, value };
  }
  return best === undefined ? "" : `${showValue(best.value, metric)} at t${best.token}`;
}
