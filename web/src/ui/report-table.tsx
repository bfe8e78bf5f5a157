import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageColumn, PagePicture, PageTable } from "../../../src/results/page.ts";
import { ChartPicture } from "./chart-picture.tsx";
import { Explained } from "./explained.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { HandleLink, MoveLink } from "./place-link.tsx";
import "./report-table.css";
import { ScrollBox } from "./scroll-box.tsx";

/** A table as the server has prepared it: the same cells as in the terminal and the HTML report. */
export function ReportTable({
  table,
  legend,
}: {
  readonly table: PageTable;
  /** How to read the columns. */
  readonly legend?: string | undefined;
}) {
  const { id, title, note, columns, rows, first = rows, raw } = table;
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : first;
  return (
    <div class="report-table">
      <div class="table-head">
        <h3>
          <Explained text={title} />
        </h3>
        <ExportMenu name={id} rows={() => raw} />
      </div>
      <ScrollBox label={title}>
        <table>
          <thead>
            <tr>
              {columns.map(({ header, align, meaning }) =>
                header === "" ? (
                  <td key="" />
                ) : (
                  <th key={header} scope="col" class={align}>
                    <Explained text={header} meaning={meaning} />
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: shown }, (_, row) => (
              <tr key={row}>
                {columns.map((column, at) => (
                  <td key={column.header} class={chooseClass(column, row)}>
                    {at === 0 ? firstCell(table, column, row) : drawCell(column, row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {first < rows && (
        <button type="button" class="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "fewer" : `${rows - first} more`}
        </button>
      )}
      {note !== undefined && <p class="note">{note}</p>}
      {legend !== undefined && <p class="note">{legend}</p>}
    </div>
  );
}

/** The rows whose exported values satisfy `keep`. */
export function rowsWhere(table: PageTable, keep: (raw: PageTable["raw"][number]) => boolean): PageTable {
  const places = table.raw.flatMap((row, at) => (keep(row) ? [at] : []));
  const pick = <T,>(list: readonly T[]): T[] => places.map((at) => list[at]!);
  return {
    ...table,
    rows: places.length,
    raw: pick(table.raw),
    ...(table.links && { links: pick(table.links) }),
    columns: table.columns.map(({ worstRow: _, ...column }) => ({
      ...column,
      cells: pick(column.cells),
      ...(column.bars && { bars: pick(column.bars) }),
      ...(column.contexts && { contexts: pick(column.contexts) }),
    })),
  };
}

/** Pictures of the HTML report, drawn by the server. */
export function ReportPictures({ of }: { readonly of: readonly PagePicture[] }) {
  return (
    <>
      {of.map(({ id, svg, raw }) => (
        <ChartPicture key={id} name={id} svg={() => svg} rows={() => raw} />
      ))}
    </>
  );
}

function firstCell({ links, handles }: PageTable, column: PageColumn, row: number): ComponentChildren {
  const text = column.cells[row] ?? "";
  const move = links?.[row];
  // The token of the current place must not stay in the address.
  if (move) return <MoveLink move={{ token: undefined, ...move }} text={text} />;
  return handles ? <HandleLink handle={text} /> : drawCell(column, row);
}

function drawCell(
  { cells, levels, meanings, bars, spans, color, contexts }: PageColumn,
  row: number,
): ComponentChildren {
  const text = cells[row] ?? "";
  const [level, share, span, context] = [levels?.[row], bars?.[row], spans?.[row], contexts?.[row]];
  if (level && text !== "") return <span class={`level ${level}`}>{text}</span>;
  if (context) return <Context of={context} />;
  if (meanings?.[row]) return <Explained text={text} meaning={meanings[row]} />;
  if (span) {
    const [low, estimate, high] = span.map(percent);
    return (
      <>
        {text}
        <span class={`interval ${color}`} aria-hidden="true">
          <i style={{ left: low, right: `calc(100% - ${high})` }} />
          <b style={{ left: estimate }} />
        </span>
      </>
    );
  }
  if (bars === undefined) return text;
  return (
    <>
      {text}
      <span class="share-bar" aria-hidden="true">
        <i style={{ width: percent(share ?? 0) }} />
      </span>
    </>
  );
}

/** A token within its text. */
export function Context({
  of: [before, token, after],
}: {
  readonly of: readonly [before: string, token: string, after: string];
}) {
  return (
    <span class="context">
      <bdi>{before}</bdi>
      {token !== "" && <mark>{token}</mark>}
      <bdi>{after}</bdi>
    </span>
  );
}

function percent(share: number): string {
  return `${Math.max(0, share) * 100}%`;
}

function chooseClass({ align, wrap, worstRow }: PageColumn, row: number): string {
  return `${align}${wrap ? " wrap" : ""}${worstRow === row ? " worst" : ""}`;
}
