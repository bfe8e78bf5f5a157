import { FormatError, LimitError, type Place } from "../../../core/base/index.ts";
import { LIKELY_CRAFTED } from "../../io/advice.ts";
import { MAX_DIMENSIONS, MAX_ELEMENTS } from "../../io/limits.ts";

/**
 * The number of elements of a declared shape (1 for `[]`).
 *
 * @throws FormatError if a dimension is negative or not a whole number
 * @throws LimitError if there are more dimensions or elements than any file can hold
 */
export function countElements(what: string, shape: readonly number[], at: Place): number {
  if (shape.length > MAX_DIMENSIONS) {
    throw new LimitError(`${what} declares ${shape.length} dimensions; at most ${MAX_DIMENSIONS} are read`, {
      needed: shape.length,
      limit: MAX_DIMENSIONS,
      at,
      likely: LIKELY_CRAFTED,
    });
  }
  let count = 1;
  for (const size of shape) {
    if (!Number.isInteger(size) || size < 0) {
      throw new FormatError(`${what} declares the shape ${formatShape(shape)}; ${size} is not a size`, {
        at,
      });
    }
    count *= size;
  }
  // A zero makes the array empty, whatever the other sizes; 0 * Infinity would be NaN.
  if (shape.includes(0)) return 0;
  if (count > MAX_ELEMENTS) {
    throw new LimitError(
      `${what} declares the shape ${formatShape(shape)}, ${count} elements; at most ${MAX_ELEMENTS} are read`,
      { at, likely: LIKELY_CRAFTED, needed: count, limit: MAX_ELEMENTS },
    );
  }
  return count;
}

export function formatShape(shape: readonly number[]): string {
  return `[${shape.join(", ")}]`;
}
