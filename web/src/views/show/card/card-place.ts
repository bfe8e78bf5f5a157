interface Size {
  readonly width: number;
  readonly height: number;
}
interface Box extends Size {
  readonly left: number;
  readonly top: number;
}

const GAP = 8;

/** Where to put a card: below the token, else above, else beside it, else on the side with more room. */
export function cardPlace(
  token: Box,
  card: Size,
  window: Size,
): { readonly left: number; readonly top: number } {
  const within = (at: number, size: number, limit: number): number =>
    Math.max(GAP, Math.min(at, limit - size - GAP));
  const left = within(token.left, card.width, window.width);
  const below = token.top + token.height + GAP;
  if (below + card.height <= window.height) return { left, top: below };
  const above = token.top - GAP - card.height;
  if (above >= 0) return { left, top: above };
  const top = within(token.top, card.height, window.height);
  const right = token.left + token.width + GAP;
  if (right + card.width <= window.width) return { left: right, top };
  const before = token.left - GAP - card.width;
  return { left: before >= 0 ? before : within(right, card.width, window.width), top };
}
