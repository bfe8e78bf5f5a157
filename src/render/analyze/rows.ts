import { plural } from "../../core/text/index.ts";
import { clip, displayWidth, pad } from "../terminal/columns.ts";
import { makeSurface, type TerminalOptions } from "../terminal/surface.ts";

/** The rows of a query. */
export interface RowTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** A column is never cut to less than this. */
const LEAST_COLUMNS = 8;
const GAP = "  ";
const NUMERIC = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|U[A-Z]+INT|UINTEGER|FLOAT|DOUBLE|DECIMAL.*)$/;

/**
 * Rows as an aligned table: numbers unchanged and aligned right, text cut so that all columns fit. If they still do not
 * fit, lines are as long as needed.
 */
export function renderRows({ columns, rows }: RowTable, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const cells = rows.map((row) => row.map((value) => surface.text(cellText(value))));
  const heads = columns.map(({ name }) => surface.text(name));
  const isNumber = columns.map(({ type }) => NUMERIC.test(type));
  const widths = fitWidths(
    heads.map((head, i) =>
      cells.reduce((most, row) => Math.max(most, displayWidth(row[i] ?? "")), displayWidth(head)),
    ),
    isNumber,
    surface.width - GAP.length * (columns.length - 1),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, i) =>
        pad(clip(text, widths[i]!, surface.ellipsis), widths[i]!, isNumber[i] ? "right" : "left"),
      )
      .join(GAP)
      .trimEnd();
  const count = `${plural(rows.length, "row")}`;
  return [
    surface.style(line(heads), "bold"),
    ...cells.map(line),
    ...(rows.length === 0 ? [surface.style(count, "dim")] : []),
  ]
    .map((text) => `${text}\n`)
    .join("");
}

/** Narrows the widest text column until all fit. */
function fitWidths(widths: readonly number[], isNumber: readonly boolean[], room: number): number[] {
  const fitted = [...widths];
  let over = fitted.reduce((sum, width) => sum + width, 0) - room;
  while (over > 0) {
    let widest = -1;
    for (const [i, width] of fitted.entries())
      if (!isNumber[i] && width > LEAST_COLUMNS && width > (fitted[widest] ?? 0)) widest = i;
    if (widest < 0) break;
    fitted[widest]!--;
    over--;
  }
  return fitted;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
