import { formatNumber, formatPlainShare } from "../../../core/text/index.ts";

/** Two digits: more than the noise of a logged metric allows. */
export const figure = (value: number): string => formatNumber(value, 2);

/** In whole per cent; below one per cent as it is. */
export const share = (value: number): string =>
  formatPlainShare(value < 0.01 ? value : Math.round(value * 100) / 100);

/** ` since step 78`; empty where it is not known, or holds from the first step. */
export function sinceWords(step: number | null, first: number | undefined): string {
  return step === null || step === first ? "" : ` since step ${step}`;
}
