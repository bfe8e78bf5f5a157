/**
 * Whole-conversation arrays: prompt and response together, entry i about token i.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";

/** Index of the first token with mask 1 before `end`; `end` when there is none. */
export function responseStart(mask: NumericArray, end: number = mask.length): number {
  let start = 0;
  while (start < end && mask[start] === 0) start++;
  return start;
}
