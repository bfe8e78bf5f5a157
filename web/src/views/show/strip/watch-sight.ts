/**
 * Which places of the text are in sight.
 *
 * Heights of distant chunks are estimates until the browser lays them out, so nothing here is computed from stored
 * heights: each look measures chunks by bisection and lays out a dozen at most.
 *
 * @module
 */

/** A stretch of tokens `[from, to)` that has one box in the page. */
export interface Stretch {
  readonly element: HTMLElement;
  readonly from: number;
  readonly to: number;
}

export interface SightWatch {
  /** Call when the stretches or their sizes have changed. */
  readonly changed: () => void;
  readonly stop: () => void;
}

/**
 * Reports which places are in sight whenever that changes, once per frame.
 *
 * @param listShown in order of the text, without what is folded away; called again after `changed`
 */
export function watchSight(
  scroller: HTMLElement,
  listShown: () => readonly Stretch[],
  onSight: (from: number, to: number) => void,
): SightWatch {
  let frame = 0;
  let shown: readonly Stretch[] | undefined;
  const look = (): void => {
    frame = 0;
    shown ??= listShown();
    if (shown.length === 0) return;
    const { top } = scroller.getBoundingClientRect();
    onSight(placeAt(shown, top), Math.ceil(placeAt(shown, top + scroller.clientHeight)));
  };
  const schedule = (): void => {
    if (frame === 0) frame = requestAnimationFrame(look);
  };
  scroller.addEventListener("scroll", schedule, { passive: true });
  return {
    changed: () => {
      shown = undefined;
      schedule();
    },
    stop: () => {
      cancelAnimationFrame(frame);
      scroller.removeEventListener("scroll", schedule);
    },
  };
}

/** The place at a height, interpolated within its stretch. */
function placeAt(stretches: readonly Stretch[], y: number): number {
  const at = findLast(
    stretches.length,
    (index) => stretches[index]!.element.getBoundingClientRect().top <= y,
  );
  const { element, from, to } = stretches[at]!;
  const { top, height } = element.getBoundingClientRect();
  const share = height === 0 ? 0 : Math.min(1, Math.max(0, (y - top) / height));
  return from + share * (to - from);
}

/** The last index for which `holds` is true, by bisection (true, then false); 0 if it never is. */
export function findLast(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
