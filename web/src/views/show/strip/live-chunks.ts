/**
 * Decides which chunks hold tokens and which plain text: those near the visible area hold tokens, within a budget of
 * nodes.
 *
 *     text   ░░░░░░░░░░░░▒▒▒▒▒▒▓▓▓▓▓▓▓▓▒▒▒▒▒▒░░░░░░░░░░░
 *                        └near┘└sight ┘└near┘              seen by one IntersectionObserver
 *
 *     each frame:  near chunks, the nearest first ─► as many as MOST_TOKENS allows ─► release the others, fill these,
 *                  both within TOKENS_PER_FRAME; the rest waits for the next frame
 *
 * @module
 */

export interface LiveChunk {
  readonly element: HTMLElement;
  readonly tokens: number;
  readonly fill: () => void;
  readonly empty: () => void;
}

export interface LiveChunks<Chunk extends LiveChunk> {
  readonly add: (chunk: Chunk) => void;
  readonly isLive: (chunk: Chunk) => boolean;
  /** Fills a chunk immediately, whatever the budget, because a token in it must be shown. */
  readonly need: (chunk: Chunk) => void;
  readonly live: () => Iterable<Chunk>;
  readonly stop: () => void;
}

/** The most tokens with elements; each has two nodes, an element and its text. */
const MOST_TOKENS = 6000;
/** Bounds the time spent on filling in one frame: one large chunk, or a few small ones. */
const TOKENS_PER_FRAME = 512;
/** What releasing a token costs relative to filling it: the text is written as one string. */
const RELEASE_COST = 1 / 4;
const MARGIN = "50% 0px";

export function liveChunks<Chunk extends LiveChunk>(scroller: HTMLElement): LiveChunks<Chunk> {
  const chunks = new Map<Element, Chunk>();
  const near = new Set<Chunk>();
  const live = new Set<Chunk>();
  let frame = 0;

  const fill = (chunk: Chunk): void => {
    if (live.has(chunk)) return;
    live.add(chunk);
    chunk.fill();
  };
  const release = (chunk: Chunk): void => {
    if (isSelected(chunk.element)) return;
    live.delete(chunk);
    chunk.empty();
  };
  /** One frame's work; releases come first, so that the number of nodes hardly exceeds the budget. */
  const process = (): void => {
    frame = 0;
    const keep = chooseLive(scroller, near);
    let left = TOKENS_PER_FRAME;
    for (const chunk of [...live]) {
      if (keep.has(chunk) || left <= 0) continue;
      release(chunk);
      left -= chunk.tokens * RELEASE_COST;
    }
    let waiting = false;
    for (const chunk of keep) {
      if (live.has(chunk)) continue;
      if (left > 0) fill(chunk);
      else waiting = true;
      left -= chunk.tokens;
    }
    if (waiting) schedule();
  };
  const schedule = (): void => {
    if (frame === 0) frame = requestAnimationFrame(process);
  };
  const onCrossing = (entries: readonly IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting } of entries) {
      const chunk = chunks.get(target);
      if (chunk === undefined) continue;
      if (isIntersecting) near.add(chunk);
      else near.delete(chunk);
    }
    // Nothing is colored yet, so do not wait for a frame.
    if (live.size === 0 && frame === 0) process();
    else schedule();
  };
  const observer = new IntersectionObserver(onCrossing, { root: scroller, rootMargin: MARGIN });
  return {
    add: (chunk) => {
      chunks.set(chunk.element, chunk);
      observer.observe(chunk.element);
    },
    isLive: (chunk) => live.has(chunk),
    need: (chunk) => {
      near.add(chunk);
      fill(chunk);
    },
    live: () => live,
    stop: () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    },
  };
}

/** The chunks nearest to the middle of the visible area, within the budget; at least one. */
function chooseLive<Chunk extends LiveChunk>(scroller: HTMLElement, near: ReadonlySet<Chunk>): Set<Chunk> {
  const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2;
  // Each box is measured once; sorting would measure it at each comparison.
  const distances = new Map<Chunk, number>();
  for (const chunk of near) distances.set(chunk, distanceFrom(chunk.element, middle));
  const wanted = [...near].sort((a, b) => distances.get(a)! - distances.get(b)!);
  let room = MOST_TOKENS;
  const chosen = new Set<Chunk>();
  for (const chunk of wanted) {
    if (chunk.tokens > room && chosen.size > 0) break;
    room -= chunk.tokens;
    chosen.add(chunk);
  }
  return chosen;
}

/** Pixels from a height to the nearer edge of an element; 0 inside it. */
function distanceFrom(element: HTMLElement, y: number): number {
  const { top, bottom } = element.getBoundingClientRect();
  return top > y ? top - y : bottom < y ? y - bottom : 0;
}

/** Whether the reader has selected text in it; replacing that text would undo the selection. */
function isSelected(element: HTMLElement): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
