/**
 * Under which name the server answers for each of the runs that this one is compared with.
 *
 * @module
 */

/** `compare` and `other` for the first, as where there is only one; `compare-2` and `other-2` for the second, and so on. */
export function comparedPath(name: "compare" | "other", at: number): string {
  return at === 0 ? name : `${name}-${at + 1}`;
}

/** The place that {@link comparedPath} was made of; undefined where it was not. */
export function parseComparedPath(path: string): number | undefined {
  const [, number] = /^(?:compare|other)(?:-([2-9]|[1-9]\d{1,3}))?$/.exec(path) ?? [undefined, "0"];
  if (number === "0") return undefined;
  return number === undefined ? 0 : Number(number) - 1;
}
