import type { Page } from "playwright-core";

export interface Measures {
  /** Milliseconds from the last byte of the sequence to the frame that shows it colored. */
  readonly firstPaint: number;
  readonly worstFrame: number;
  readonly slowFrames: number;
  readonly metricSwitch: number;
  readonly find: number;
  readonly nodes: number;
}

export const BUDGETS: Readonly<
  Pick<Record<keyof Measures, number>, "firstPaint" | "worstFrame" | "metricSwitch">
>;
export const MEASURE_TITLES: Readonly<Record<keyof Measures, string>>;
export function measureSequence(page: Page, url: string, sequence?: number): Promise<Measures>;
