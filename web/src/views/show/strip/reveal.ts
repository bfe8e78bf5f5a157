/** The most frames to wait for a place to stop moving while chunks around it are laid out for the first time. */
const MOST_FRAMES = 90;
const STILL_FRAMES = 12;
const NEAR = 2;

/**
 * Brings an element to the middle of its scroller and keeps it there until everything around it has its size, unless
 * the reader scrolls.
 *
 * @param find called in every frame: elements are replaced as chunks fill
 */
export function centre(scroller: HTMLElement, find: () => HTMLElement | undefined): void {
  // The page may scroll, too.
  scroller.scrollIntoView({ block: "nearest" });
  let frames = 0;
  let still = 0;
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    for (const name of ["wheel", "pointerdown", "keydown", "touchstart"])
      scroller.removeEventListener(name, stop);
  };
  for (const name of ["wheel", "pointerdown", "keydown", "touchstart"])
    scroller.addEventListener(name, stop, { passive: true });
  const step = (): void => {
    if (stopped) return;
    const element = find();
    if (element === undefined) {
      stop();
      return;
    }
    const box = firstBox(element);
    const view = scroller.getBoundingClientRect();
    const off = (box.top + box.bottom) / 2 - (view.top + view.height / 2);
    const before = scroller.scrollTop;
    if (Math.abs(off) > NEAR) scroller.scrollTop += off;
    still = Math.abs(scroller.scrollTop - before) <= NEAR ? still + 1 : 0;
    if (++frames < MOST_FRAMES && still < STILL_FRAMES) requestAnimationFrame(step);
    else stop();
  };
  step();
}

/** Scrolls as little as possible to bring an element into sight, with room around it. */
export function bringIntoSight(scroller: HTMLElement, element: HTMLElement, room = 60): boolean {
  scroller.scrollIntoView({ block: "nearest" });
  const box = firstBox(element);
  const view = scroller.getBoundingClientRect();
  if (box.top < view.top - view.height || box.bottom > view.bottom + view.height) return false;
  const above = view.top + room - box.top;
  const below = box.bottom - (view.bottom - room);
  if (above > 0) scroller.scrollTop -= above;
  else if (below > 0) scroller.scrollTop += below;
  return true;
}

/** The first line of a token that has several. */
function firstBox(element: HTMLElement): DOMRect {
  return element.getClientRects()[0] ?? element.getBoundingClientRect();
}
