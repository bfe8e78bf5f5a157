import { formatNumber, formatSigned, isFigure } from "../../core/text/index.ts";
import type { EvidencePicture } from "../../results/diagnosis.ts";
import type { Surface } from "../document/surface.ts";
import { bar, heightCharacter } from "../terminal/bars.ts";
import { clip, displayWidth, pad } from "../terminal/columns.ts";
import { isNumeric } from "./evidence-charts.ts";

const MOST_COLUMNS = 48;
const MOST_BARS = 8;
const POINT_ROWS = 6;
const LABEL_COLUMNS = 16;
const MARGIN = "    ";

/** A piece of evidence in characters: a row for each line, a bar for each name, a grid for a cloud. */
export function drawEvidence(picture: EvidencePicture, surface: Surface): string[] {
  const title = surface.style(
    clip(`${MARGIN}${surface.text(picture.title)}`, surface.width, surface.ellipsis),
    "dim",
  );
  const isNamed = picture.kind === "bars" || !isNumeric(picture.x);
  const draw = isNamed ? drawBars : picture.kind === "points" ? drawPoints : drawLines;
  return [title, ...draw(picture, surface)];
}

function drawLines({ x, x_label, y_label, series }: EvidencePicture, surface: Surface): string[] {
  const room = Math.min(MOST_COLUMNS, surface.width - LABEL_COLUMNS - 30);
  const lines = series.map(({ name, y }) => {
    const cells = foldFurthest(y, room);
    const known = cells.filter(isFigure);
    const low = Math.min(0, ...known);
    const high = Math.max(0, ...known);
    const drawn = cells
      .map((value) =>
        heightCharacter(
          isFigure(value) && high > low ? (value - low) / (high - low) : Number.NaN,
          surface.unicode,
        ),
      )
      .join("");
    const label = pad(clip(surface.text(name), LABEL_COLUMNS - 2, surface.ellipsis), LABEL_COLUMNS);
    const told =
      known.length === 0
        ? "no values"
        : `${formatValue(Math.min(...known))} … ${formatValue(Math.max(...known))}`;
    return `${MARGIN}${label}${surface.style(drawn, "blue")}  ${surface.style(surface.text(told), "dim")}`;
  });
  const ends = `${y_label}; ${x_label}: ${x[0] ?? ""} … ${x[x.length - 1] ?? ""}`;
  return [...lines, drawAxis(ends, surface)];
}

function drawBars({ x, y_label, series }: EvidencePicture, surface: Surface): string[] {
  const shown = x.slice(0, MOST_BARS);
  const values = series.flatMap(({ y }) => y.slice(0, MOST_BARS)).filter(isFigure);
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const room = Math.max(8, Math.min(MOST_COLUMNS, surface.width - LABEL_COLUMNS - 20) - 8);
  const lines = shown.flatMap((label, index) =>
    series.map(({ name, y }, at) => {
      const value = y[index];
      const names = at === 0 ? String(label) : "";
      const known = series.length === 1 ? names : `${names} ${name}`.trim();
      const head = pad(clip(surface.text(known), LABEL_COLUMNS - 2, surface.ellipsis), LABEL_COLUMNS);
      if (!isFigure(value)) return `${MARGIN}${head}${surface.style(surface.text("–"), "dim")}`;
      const drawn = bar(largest > 0 ? Math.abs(value) / largest : 0, room, surface.unicode);
      const style = value < 0 ? "caution" : "blue";
      return `${MARGIN}${head}${surface.style(drawn, style)} ${surface.style(surface.text(formatValue(value)), "dim")}`;
    }),
  );
  const more = x.length - shown.length;
  return [...lines, drawAxis(more > 0 ? `${y_label}; ${more} more` : y_label, surface)];
}

function drawPoints(picture: EvidencePicture, surface: Surface): string[] {
  const points = picture.series.flatMap(({ y }) =>
    y.flatMap((value, at) => {
      const x = Number(picture.x[at]);
      return isFigure(value) && isFigure(x) ? [{ x, y: value }] : [];
    }),
  );
  if (points.length === 0) return [drawAxis("no points", surface)];
  const columns = Math.min(MOST_COLUMNS, surface.width - LABEL_COLUMNS - 6);
  const [xs, ys] = [points.map((point) => point.x), points.map((point) => point.y)];
  const [left, right, bottom, top] = [least(xs), most(xs), least(ys), most(ys)];
  const grid = Array.from({ length: POINT_ROWS }, () => new Array<number>(columns).fill(0));
  for (const point of points) {
    const row = place(top - point.y, top - bottom, POINT_ROWS);
    const column = place(point.x - left, right - left, columns);
    const cells = grid[row];
    if (cells !== undefined) cells[column] = (cells[column] ?? 0) + 1;
  }
  const dots = surface.unicode ? [" ", "·", "•", "●"] : [" ", ".", "o", "@"];
  const lines = grid.map((cells, row) => {
    const edge = row === 0 ? formatValue(top) : row === POINT_ROWS - 1 ? formatValue(bottom) : "";
    const head = pad(
      clip(surface.text(edge), LABEL_COLUMNS - 2, surface.ellipsis),
      LABEL_COLUMNS - 2,
      "right",
    );
    const drawn = cells.map((count) => dots[count === 0 ? 0 : count < 3 ? 1 : count < 10 ? 2 : 3]).join("");
    return `${MARGIN}${surface.style(head, "dim")}  ${surface.style(drawn.trimEnd(), "blue")}`;
  });
  const ends = `${picture.y_label} by ${picture.x_label}: ${formatValue(left)} … ${formatValue(right)}`;
  return [...lines, drawAxis(ends, surface)];
}

function drawAxis(text: string, surface: Surface): string {
  const margin = MARGIN + " ".repeat(LABEL_COLUMNS);
  return surface.style(
    margin + clip(surface.text(text), Math.max(8, surface.width - displayWidth(margin)), surface.ellipsis),
    "dim",
  );
}

/** As many values as fit; of values that share a cell, the one furthest from 0. */
function foldFurthest(values: readonly (number | null)[], columns: number): (number | null)[] {
  const cells = Math.min(columns, values.length);
  return Array.from({ length: cells }, (_, cell) => {
    const from = Math.floor((cell * values.length) / cells);
    const to = Math.floor(((cell + 1) * values.length) / cells);
    let furthest: number | null = null;
    for (const value of values.slice(from, to))
      if (isFigure(value) && (furthest === null || Math.abs(value) > Math.abs(furthest))) furthest = value;
    return furthest;
  });
}

function formatValue(value: number): string {
  return value < 0 ? formatSigned(value) : formatNumber(value);
}

function place(distance: number, size: number, cells: number): number {
  return size > 0 ? Math.min(cells - 1, Math.floor((distance / size) * cells)) : 0;
}

function least(values: readonly number[]): number {
  return values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY);
}

function most(values: readonly number[]): number {
  return values.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY);
}
