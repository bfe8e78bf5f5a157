/**
 * A table of any number of rows of one height; only those in sight are in the page. It is a real table (`role=grid`,
 * with the number of all rows told), its head stays, and one row is the current one.
 *
 * Rows × height must stay below 17 million pixels, which is the tallest element that every browser draws.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../state/keys.ts";
import { rowSlots, rowWindow, scrollToRow } from "./row-window.ts";
import "./style.css";

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  /** What the column is, for people who hover it and for those who hear it. */
  readonly help?: string;
  /** Pixels. */
  readonly width: number;
  readonly align?: "end";
  readonly sortable?: boolean;
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
  /** Enter on the current row. */
  readonly onOpen?: (row: Row) => void;
  /** What j and k go to: `sequence`. */
  readonly noun: string;
  readonly onWindow?: (first: number, end: number) => void;
}

export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, count, row, rowHeight = 30, onOpen, noun, onWindow } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [current, setCurrent] = useState(0);
  const [room, setRoom] = useState(LEAST_HEIGHT);
  const at = Math.min(current, Math.max(0, count - 1));
  const { first, end, above, below } = rowWindow(count, rowHeight, view.top, view.height);

  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const next = rowWindow(count, rowHeight, element.scrollTop, view.height);
    if (next.first !== first || next.end !== end) setView({ top: element.scrollTop, height: view.height });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = (): void => {
      setRoom(roomBelow(element));
      setView((now) =>
        now.height === element.clientHeight ? now : { top: element.scrollTop, height: element.clientHeight },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // What stands above may grow.
    if (element.parentElement !== null) observer.observe(element.parentElement);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, []);
  // Fewer rows than before may have scrolled the box up.
  useLayoutEffect(onScroll, [count]);
  useEffect(() => onWindow?.(first, end), [first, end, onWindow]);

  const go = (to: number): void => {
    const element = box.current;
    if (element === null || count === 0) return;
    const next = Math.max(0, Math.min(count - 1, to));
    setCurrent(next);
    const head = element.querySelector("thead")?.offsetHeight ?? 0;
    const top = scrollToRow(next, rowHeight, head, element.scrollTop, element.clientHeight);
    if (top !== undefined) element.scrollTop = top;
    element.querySelector("table")?.focus({ preventScroll: true });
  };
  const page = Math.max(1, Math.floor(view.height / rowHeight) - 2);
  useKeys({
    j: { describe: `next ${noun}`, run: () => go(at + 1) },
    k: { describe: `previous ${noun}`, run: () => go(at - 1) },
    Home: { describe: `first ${noun}`, run: () => go(0) },
    End: { describe: `last ${noun}`, run: () => go(count - 1) },
    ...(onOpen && { Enter: { describe: `open the ${noun}`, run: () => count > 0 && onOpen(row(at)) } }),
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };

  // Room for the head, a scroll bar and the borders.
  const tall = Math.max(LEAST_HEIGHT / 2, count * rowHeight + 56);
  const shown = Array.from({ length: end - first }, (_, i) => first + i);
  const slots = rowSlots(rowHeight, view.height);
  return (
    <div
      class="virtual-table"
      ref={box}
      onScroll={onScroll}
      style={{ blockSize: `${Math.min(room, tall)}px` }}
    >
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
        <Head {...props} />
        <tbody>
          {above > 0 && <Spacer height={above} columns={columns.length} />}
          {shown.map((place) => {
            const value = row(place);
            return (
              <tr
                // Rows that leave make room for those that come: elements are filled again, not made.
                key={place % slots}
                id={`${id}-${place}`}
                aria-rowindex={place + 2}
                aria-selected={place === at}
                class={props.rowClass?.(value)}
                style={{ blockSize: `${rowHeight}px` }}
                onClick={() => setCurrent(place)}
              >
                {columns.map(({ key, align, cell, cellClass }) => (
                  <td key={key} class={[align, cellClass?.(value)].filter(Boolean).join(" ")}>
                    {cell(value)}
                  </td>
                ))}
              </tr>
            );
          })}
          {below > 0 && <Spacer height={below} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

const LEAST_HEIGHT = 260;
/** Between the table and the end of the window. */
const MARGIN = 18;

/** From where the element stands to the end of the window, so that the page itself has nothing to scroll. */
function roomBelow(element: HTMLElement): number {
  const top = element.getBoundingClientRect().top + scrollY;
  return Math.max(LEAST_HEIGHT, Math.floor(innerHeight - top - MARGIN));
}

function Head<Row>({ columns, sort, onSort }: VirtualTableProps<Row>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map(({ key, title, help, align, sortable }) => {
          const sorted = sort?.key === key ? (sort.descending ? "descending" : "ascending") : undefined;
          return (
            <th key={key} scope="col" class={align} aria-sort={sorted} title={help}>
              {sortable && onSort ? (
                <button type="button" onClick={() => onSort(key)}>
                  {title}
                  <span class="sort-mark" aria-hidden="true">
                    {sorted === undefined ? "" : sorted === "descending" ? "▼" : "▲"}
                  </span>
                </button>
              ) : (
                title
              )}
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
