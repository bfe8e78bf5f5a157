/**
 * The names of compared runs in the server's addresses.
 *
 * @module
 */

/** `compare` and `other` for the first; `compare-2` and `other-2` for the second, and so on. */
export function comparedPath(name: "compare" | "other", at: number): string {
  return at === 0 ? name : `${name}-${at + 1}`;
}

/** The inverse of {@link comparedPath}; undefined for other names. */
export function parseComparedPath(path: string): number | undefined {
  const [, number] = /^(?:compare|other)(?:-([2-9]|[1-9]\d{1,3}))?$/.exec(path) ?? [undefined, "0"];
  if (number === "0") return undefined;
  return number === undefined ? 0 : Number(number) - 1;
}
