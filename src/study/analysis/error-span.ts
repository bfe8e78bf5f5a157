/** Tokens before and after the first error that count as being at it. */
export const ERROR_WINDOW = 2;

/** Response tokens from the one that announces a wrong result (`=`) to the first wrong one. */
export interface ErrorSpan {
  readonly from: number;
  readonly token: number;
}

/** Number of tokens from the error to a position: negative before it, 0 within it. */
export function distanceTo(position: number, { from, token }: ErrorSpan): number {
  if (position < from) return position - from;
  return position > token ? position - token : 0;
}

export function isAtError(position: number, error: ErrorSpan): boolean {
  return Math.abs(distanceTo(position, error)) <= ERROR_WINDOW;
}
