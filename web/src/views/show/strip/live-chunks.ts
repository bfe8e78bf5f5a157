/**
 * Which chunks hold tokens and which one text: those near the sight do, as far as the budget of nodes goes.
 *
 * @module
 */

export interface LiveChunk {
  readonly element: HTMLElement;
  readonly tokens: number;
  readonly fill: () => void;
  readonly empty: () => void;
}

export interface LiveChunks {
  readonly add: (chunk: LiveChunk) => void;
  readonly isLive: (chunk: LiveChunk) => boolean;
  /** At once, whatever the budget: a token in it is to be shown. */
  readonly need: (chunk: LiveChunk) => void;
  readonly live: () => Iterable<LiveChunk>;
  readonly stop: () => void;
}

/** Two nodes each: an element and its text. */
const MOST_TOKENS = 6000;
/** Bounds the time that filling takes of one frame: one large chunk, or a few small ones. */
const TOKENS_PER_FRAME = 512;
const MARGIN = "50% 0px";

export function liveChunks(scroller: HTMLElement): LiveChunks {
  const chunks = new Map<Element, LiveChunk>();
  const near = new Set<LiveChunk>();
  const live = new Set<LiveChunk>();
  let frame = 0;

  const fill = (chunk: LiveChunk): void => {
    if (live.has(chunk)) return;
    live.add(chunk);
    chunk.fill();
  };
  const release = (chunk: LiveChunk): void => {
    // Replacing its text would undo what the reader has selected.
    const selection = getSelection();
    if (selection !== null && !selection.isCollapsed && selection.containsNode(chunk.element, true)) return;
    live.delete(chunk);
    chunk.empty();
  };
  const process = (): void => {
    frame = 0;
    const middle = scroller.getBoundingClientRect().top + scroller.clientHeight / 2;
    const distances = new Map(
      [...near].map((chunk) => {
        const { top, bottom } = chunk.element.getBoundingClientRect();
        return [chunk, top > middle ? top - middle : bottom < middle ? middle - bottom : 0];
      }),
    );
    const wanted = [...near].sort((a, b) => distances.get(a)! - distances.get(b)!);
    let room = MOST_TOKENS;
    const keep = new Set<LiveChunk>();
    for (const chunk of wanted) {
      if (chunk.tokens > room && keep.size > 0) break;
      room -= chunk.tokens;
      keep.add(chunk);
    }
    let left = TOKENS_PER_FRAME;
    for (const chunk of [...live]) {
      if (keep.has(chunk) || left <= 0) continue;
      release(chunk);
      left -= chunk.tokens / 4;
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
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const chunk = chunks.get(target);
        if (chunk === undefined) continue;
        if (isIntersecting) near.add(chunk);
        else near.delete(chunk);
      }
      // Nothing is colored yet: a frame earlier counts.
      if (live.size === 0 && frame === 0) process();
      else schedule();
    },
    { root: scroller, rootMargin: MARGIN },
  );
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
