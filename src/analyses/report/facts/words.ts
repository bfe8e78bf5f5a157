/** Numbers as facts say them. */
import { percent as writePercent } from "../../../core/base/index.ts";

/** Two significant digits of a small share, three of a large one. */
export const percent = (share: number): string => writePercent(share, share < 0.1 ? 2 : 3);

export function nats(value: number): string {
  const digits = Number(value.toPrecision(3));
  return Math.abs(digits) < 1e-3 && digits !== 0 ? digits.toExponential() : String(digits);
}

/** `9.5`, of a factor. */
export const rounded = (factor: number): string => String(Number(factor.toPrecision(2)));

export const times = (factor: number): string => `${rounded(factor)} times`;

/** How much is in a fact that compares: 1 at a factor of two. */
export const weightOfFactor = (factor: number): number => Math.log2(factor);

export function ordinal(n: number): string {
  const teens = n % 100 >= 11 && n % 100 <= 13;
  return `${n}${(!teens && ["th", "st", "nd", "rd"][n % 10]) || "th"}`;
}
