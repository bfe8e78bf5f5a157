/**
 * A table of any number of rows of equal height; only those in sight are in the page. It is a real table (`role=grid`,
 * with the total number of rows), its head is sticky, and one row is current.
 *
 * Rows × height must stay below 17 million pixels, which is the tallest element that every browser draws.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId } from "preact/hooks";
import { Explained } from "../explained.tsx";
import { type RowWindow, rowSlots } from "./row-window.ts";
import { useCurrentRow, useRowWindow } from "./use-rows.ts";
import "./style.css";
import { dragWidth, readWidth, setWidth } from "./widths.ts";

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** What the column holds, for tooltips and screen readers. */
  readonly help?: string;
  /** Pixels. */
  readonly width: number;
  readonly align?: "end";
  readonly sortable?: boolean;
  /** Stays in sight, as the first column does; pinned columns come right after it. */
  readonly pinned?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  readonly cellClass?: (row: Row) => string | undefined;
}

export interface TableSort {
  readonly key: string;
  readonly descending: boolean;
}

export interface VirtualTableProps<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly count: number;
  /** Called for the rows in sight. */
  readonly row: (at: number) => Row;
  readonly rowClass?: (row: Row) => string | undefined;
  readonly rowHeight?: number;
  readonly sort?: TableSort | undefined;
  readonly onSort?: (key: string) => void;
  /** Called for Enter on the current row. */
  readonly onOpen?: (row: Row) => void;
  /** Called for Space on the current row, if its text can be shown beside the table. */
  readonly onPeek?: (row: Row) => void;
  /** Called with the row that has become current. */
  readonly onCurrent?: (row: Row) => void;
  /** The row that is current at first; default the first row. */
  readonly start?: number;
  /** What j and k go to: `sequence`. */
  readonly noun: string;
  readonly onWindow?: (first: number, end: number) => void;
}

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const {
    label,
    count,
    row,
    rowHeight = ROW_HEIGHT,
    onOpen,
    onPeek,
    onCurrent,
    start,
    noun,
    onWindow,
  } = props;
  const columns = placeColumns(label, props.columns);
  const id = useId();
  const { box, shown, onScroll, height, boxHeight } = useRowWindow(count, rowHeight, onWindow);
  const { first, end } = shown;
  const { at, setCurrent, onKeyDown } = useCurrentRow({
    ...{ box, count, rowHeight, height, noun, start },
    onOpen: onOpen && ((place) => onOpen(row(place))),
    onPeek: onPeek && ((place) => onPeek(row(place))),
  });
  useEffect(() => {
    if (at < count) onCurrent?.(row(at));
  }, [at, count]);
  return (
    <div class="virtual-table" ref={box} onScroll={onScroll} style={{ blockSize: `${boxHeight}px` }}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: one focus for the whole table, rows by key
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-activedescendant={at >= first && at < end ? `${id}-${at}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        style={{ inlineSize: `${columns.reduce((sum, { width }) => sum + width, 0)}px` }}
      >
        <colgroup>
          {columns.map(({ key, width }) => (
            <col key={key} style={{ inlineSize: `${width}px` }} />
          ))}
        </colgroup>
        <Head {...props} columns={columns} />
        <Body table={{ ...props, columns }} {...{ id, shown, height, at, setCurrent }} />
      </table>
    </div>
  );
}

const ROW_HEIGHT = 30;

/** `left`: where a pinned column stays, pixels from the start. */
type PlacedColumn<Row> = TableColumn<Row> & { readonly left?: number };

/** The columns with the widths that the reader has chosen, pinned ones first. */
function placeColumns<Row>(table: string, columns: readonly TableColumn<Row>[]): PlacedColumn<Row>[] {
  const [first, ...others] = columns.map((column) => ({ ...column, width: readWidth(table, column) }));
  if (first === undefined) return [];
  let left = first.width;
  const pinned = others
    .filter((column) => column.pinned)
    .map((column): PlacedColumn<Row> => {
      left += column.width;
      return { ...column, left: left - column.width };
    });
  return [first, ...pinned, ...others.filter((column) => !column.pinned)];
}

function stickAt(left: number | undefined) {
  return left === undefined ? {} : { style: { insetInlineStart: `${left}px` } };
}

function Body<Row>({
  table: { columns, row, rowClass, rowHeight = ROW_HEIGHT },
  id,
  shown: { first, end, above, below },
  height,
  at,
  setCurrent,
}: {
  readonly table: Omit<VirtualTableProps<Row>, "columns"> & {
    readonly columns: readonly PlacedColumn<Row>[];
  };
  readonly id: string;
  readonly shown: RowWindow;
  readonly height: number;
  readonly at: number;
  readonly setCurrent: (at: number) => void;
}) {
  const slots = rowSlots(rowHeight, height);
  return (
    <tbody>
      {above > 0 && <Spacer height={above} columns={columns.length} />}
      {Array.from({ length: end - first }, (_, i) => {
        const place = first + i;
        const value = row(place);
        return (
          <tr
            // Elements of rows that scroll out are reused for those that scroll in.
            key={place % slots}
            id={`${id}-${place}`}
            aria-rowindex={place + 2}
            aria-selected={place === at}
            class={rowClass?.(value)}
            style={{ blockSize: `${rowHeight}px` }}
            onClick={() => setCurrent(place)}
          >
            {columns.map(({ key, align, left, cell, cellClass }) => (
              <td
                key={key}
                class={[align, left !== undefined && "pinned", cellClass?.(value)].filter(Boolean).join(" ")}
                {...stickAt(left)}
              >
                {cell(value)}
              </td>
            ))}
          </tr>
        );
      })}
      {below > 0 && <Spacer height={below} columns={columns.length} />}
    </tbody>
  );
}

function Head<Row>({
  label,
  columns,
  sort,
  onSort,
}: Pick<VirtualTableProps<Row>, "label" | "sort" | "onSort"> & {
  readonly columns: readonly PlacedColumn<Row>[];
}) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, title, help, align, sortable, width, left }) => {
          const sorted = sort?.key === key ? (sort.descending ? "descending" : "ascending") : undefined;
          return (
            <th
              key={key}
              scope="col"
              class={[align, left !== undefined && "pinned"].filter(Boolean).join(" ")}
              aria-sort={sorted}
              {...stickAt(left)}
            >
              {sortable && onSort ? (
                <button type="button" aria-description={help} onClick={() => onSort(key)}>
                  {title}
                  <span class="sort-mark" aria-hidden="true">
                    {sorted === undefined ? "" : sorted === "descending" ? "▼" : "▲"}
                  </span>
                </button>
              ) : (
                <Explained text={title} meaning={help} />
              )}
              {/* For the keyboard, widths are set in the list of columns. */}
              <i
                aria-hidden="true"
                class="resize"
                title="drag to change the width, double-click to reset it"
                onPointerDown={(event) => dragWidth(event, label, key, width)}
                onDblClick={() => setWidth(label, key, undefined)}
              />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row is not focusable; this one is only height
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ blockSize: `${height}px` }} />
    </tr>
  );
}
