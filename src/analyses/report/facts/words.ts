/** How facts write numbers. */
import { formatNumber } from "../../../core/text/index.ts";

/** Writes a factor such as `9.5`: it is precise to two digits. */
export const writeFactor = (factor: number): string => formatNumber(factor, 2);

export const times = (factor: number): string => `${writeFactor(factor)} times`;

/** Weight of a fact that compares: 1 at a factor of two. */
export const weightOfFactor = (factor: number): number => Math.log2(factor);

export function ordinal(n: number): string {
  const teens = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${(!teens && ["th", "st", "nd", "rd"][n % 10]) || "th"}`;
}
