/**
 * Which rows of a table are in the page, and which row is current.
 *
 *     ┌ box ─────────────┐  scrollTop
 *     │ head             │  stays
 *     │ ░ spacer (above) │  first × rowHeight
 *     │ rows [first,end) │  in sight, and a few beyond each edge
 *     │ ░ spacer (below) │
 *     └──────────────────┘  as tall as the window has room for
 *
 * @module
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../state/keys.ts";
import { rowWindow, scrollToRow } from "./row-window.ts";

const LEAST_HEIGHT = 260;
/** Pixels between the table and the end of the window. */
const MARGIN = 18;
/** Pixels for the head, a scroll bar and the borders. */
const FRAME = 56;

/** The window of rows over a box that scrolls. */
export function useRowWindow(
  count: number,
  rowHeight: number,
  onWindow: ((first: number, end: number) => void) | undefined,
) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [room, setRoom] = useState(LEAST_HEIGHT);
  const shown = rowWindow(count, rowHeight, view.top, view.height);
  const { first, end } = shown;

  const onScroll = (): void => {
    const element = box.current;
    if (element === null) return;
    const next = rowWindow(count, rowHeight, element.scrollTop, view.height);
    // Most scrolling stays within the rendered rows and needs no render.
    if (next.first !== first || next.end !== end) setView({ top: element.scrollTop, height: view.height });
  };
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    return watchSize(element, () => {
      setRoom(roomBelow(element));
      setView((now) =>
        now.height === element.clientHeight ? now : { top: element.scrollTop, height: element.clientHeight },
      );
    });
  }, []);
  // Fewer rows than before may have scrolled the box up.
  useLayoutEffect(onScroll, [count]);
  useEffect(() => onWindow?.(first, end), [first, end, onWindow]);
  const tall = Math.max(LEAST_HEIGHT / 2, count * rowHeight + FRAME);
  return { box, shown, onScroll, height: view.height, boxHeight: Math.min(room, tall) };
}

export interface Steering {
  readonly box: { readonly current: HTMLElement | null };
  readonly count: number;
  readonly rowHeight: number;
  /** Height of the visible part, pixels. */
  readonly height: number;
  /** What j and k go to: `sequence`. */
  readonly noun: string;
  /** Called for Enter on the current row. */
  readonly onOpen: ((at: number) => void) | undefined;
  /** Called for Space on the current row. */
  readonly onPeek: ((at: number) => void) | undefined;
  readonly start: number | undefined;
}

/** The current row, and the keys that move it: letters anywhere on the page, arrows where the table has the focus. */
export function useCurrentRow({ box, count, rowHeight, height, noun, start, onOpen, onPeek }: Steering) {
  const [current, setCurrent] = useState(Math.max(0, start ?? 0));
  // A link may name a row that is far down.
  useLayoutEffect(() => {
    if (current > 0 && box.current !== null) box.current.scrollTop = Math.max(0, (current - 3) * rowHeight);
  }, []);
  const at = Math.min(current, Math.max(0, count - 1));
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
  useKeys({
    j: { describe: `next ${noun}`, run: () => go(at + 1) },
    k: { describe: `previous ${noun}`, run: () => go(at - 1) },
    Home: { describe: `first ${noun}`, run: () => go(0) },
    End: { describe: `last ${noun}`, run: () => go(count - 1) },
    ...(onPeek && {
      " ": { describe: `show the text of the ${noun} beside the list`, run: () => count > 0 && onPeek(at) },
    }),
    ...(onOpen && { Enter: { describe: `open the ${noun}`, run: () => count > 0 && onOpen(at) } }),
  });
  // Keep two rows of the previous page in sight.
  const page = Math.max(1, Math.floor(height / rowHeight) - 2);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    go(at + by);
  };
  return { at, setCurrent, onKeyDown };
}

/** Calls `measure` now, and whenever the element's size or place may have changed. */
function watchSize(element: HTMLElement, measure: () => void): () => void {
  measure();
  const observer = new ResizeObserver(measure);
  observer.observe(element);
  // Content above may grow.
  if (element.parentElement !== null) observer.observe(element.parentElement);
  addEventListener("resize", measure);
  return () => {
    observer.disconnect();
    removeEventListener("resize", measure);
  };
}

/** Pixels from the element's top to the end of the window, so that the page itself need not scroll. */
function roomBelow(element: HTMLElement): number {
  const top = element.getBoundingClientRect().top + scrollY;
  return Math.max(LEAST_HEIGHT, Math.floor(innerHeight - top - MARGIN));
}
