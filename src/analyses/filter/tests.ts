/**
 * Applies tests to single values.
 *
 * @module
 */
import type { Range, Test } from "./parse.ts";

export function isWithin(value: number, { low, high, lowOpen, highOpen }: Range): boolean {
  return (lowOpen ? value > low : value >= low) && (highOpen ? value < high : value <= high);
}

/** Whether a value passes; NaN means missing. */
export function numberTest({
  ranges,
  orMissing,
}: Extract<Test, { kind: "within" }>): (value: number) => boolean {
  const [single] = ranges;
  if (single !== undefined && ranges.length === 1 && !orMissing) return (value) => isWithin(value, single);
  return (value) => (Number.isNaN(value) ? orMissing : ranges.some((range) => isWithin(value, range)));
}

/** Whether a text passes, ignoring case. */
export function textTest({ texts, whole }: Extract<Test, { kind: "text" }>): (text: string) => boolean {
  const wanted = texts.map((text) => text.toLowerCase());
  return (value) => {
    const lower = value.toLowerCase();
    return wanted.some((text) => (whole ? lower === text : lower.includes(text)));
  };
}
