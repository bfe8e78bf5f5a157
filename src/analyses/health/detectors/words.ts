import { formatNumber, formatPlainShare } from "../../../core/text/index.ts";

/** Two digits: noise in a logged metric allows no more. */
export const figure = (value: number): string => formatNumber(value, 2);

/** In whole per cent; not rounded below one per cent. */
export const share = (value: number): string =>
  formatPlainShare(value < 0.01 ? value : Math.round(value * 100) / 100);

/** ` since step 78`; empty if not known, or if true from the first step. */
export function sinceWords(step: number | null, first: number | undefined): string {
  return step === null || step === first ? "" : ` since step ${step}`;
}
