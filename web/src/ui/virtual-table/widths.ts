/**
 * Column widths set by the reader. They are kept in this browser and not in the address, since they suit one screen.
 * Which columns are shown, their order and the pinned ones are in the address.
 *
 * @module
 */
import { signal } from "@preact/signals";

const KEY = "logratio.widths";
const LEAST = 40;
const MOST = 900;

type Widths = Readonly<Record<string, number>>;

const widths = signal<Widths>(remembered());

/** The width of a column, pixels. */
export function readWidth(table: string, { key, width }: { key: string; width: number }): number {
  return widths.value[`${table}/${key}`] ?? width;
}

/** Undefined resets a column's width. */
export function setWidth(table: string, key: string, width: number | undefined): void {
  const { [`${table}/${key}`]: _, ...others } = widths.peek();
  const next =
    width === undefined
      ? others
      : { ...others, [`${table}/${key}`]: Math.round(Math.min(MOST, Math.max(LEAST, width))) };
  widths.value = next;
  try {
    localStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Without storage, widths last until the page is left.
  }
}

function remembered(): Widths {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const entries = Object.entries(kept as object).filter(([, width]) => width >= LEAST && width <= MOST);
    return Object.fromEntries(entries) as Widths;
  } catch {
    return {};
  }
}

/** Follows the pointer from the handle at the end of a column's head. */
export function dragWidth(event: PointerEvent, table: string, key: string, width: number): void {
  const handle = event.currentTarget as HTMLElement;
  handle.setPointerCapture(event.pointerId);
  const move = (moved: PointerEvent): void => setWidth(table, key, width + moved.clientX - event.clientX);
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", () => handle.removeEventListener("pointermove", move), {
    once: true,
  });
}
