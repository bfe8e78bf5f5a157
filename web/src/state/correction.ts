/**
 * The correction that the page tries out, in the neutral form: as text in the address (`correction=weight:token
 * truncate:..2`), in requests to the server, while dragging, and in the token strip.
 *
 * @module
 */
import {
  type Bounds,
  type Correction,
  formatCorrection,
  isBinaryKl,
  type Measure,
  parseCorrection,
  type Statistic,
  type Step,
} from "../../../src/trainers/neutral/index.ts";

type Params = Readonly<Record<string, string | undefined>>;

export const NO_CORRECTION: Correction = { steps: [] };
/** The correction that a page starts with when the address has none. */
export const USUAL_CORRECTION: Correction = {
  weight: { level: "token", aggregation: "sum" },
  steps: [{ action: "truncate", upper: 2 }],
};

export interface AskedCorrection {
  /** Undefined if the address has none, or one that is not understood. */
  readonly correction: Correction | undefined;
  /** What is wrong with the address. */
  readonly problem?: string;
}

export function readCorrection({ correction: text }: Params): AskedCorrection {
  if (text === undefined) return { correction: undefined };
  try {
    return { correction: parseCorrection(text) };
  } catch (error) {
    return { correction: undefined, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Undefined removes it from the address. */
export function correctionParams(correction: Correction | undefined): { correction: string | undefined } {
  return { correction: correction && formatCorrection(correction) };
}

/** Four digits: finer than a pointer can set, short enough for a config. */
export function roundBound(value: number): number {
  return Number(value.toPrecision(4));
}

/** Another statistic of the same tokens; a binary KL with the clamp without which rounding to 0 and 1 makes it infinite. */
export function withStatistic(measure: Measure, statistic: Statistic): Measure {
  const { probBound: _, restShift: __, ...rest } = measure;
  return { ...rest, statistic, ...(isBinaryKl(statistic) && { probBound: 1e-6 }) };
}

/** Initial bounds: means of many ratios lie far closer to 1 than single ratios. */
export function usualBounds(measure: Measure | "weight"): Bounds {
  if (measure === "weight") return { lower: 0.5, upper: 2 };
  const { statistic, level, aggregation } = measure;
  const isMean = level !== "token" && aggregation === "mean";
  if (statistic === "ratio") return isMean ? { lower: 0.99, upper: 1.01 } : { lower: 0.5, upper: 2 };
  if (isBinaryKl(statistic)) return { upper: isMean ? 0.01 : 0.05 };
  return { upper: isMean ? 0.01 : statistic === "error_ratio" ? 2 : 0.5 };
}

/** The step with these bounds; ends never cross. */
export function withBounds<S extends Exclude<Step, { action: "normalize" }>>(
  step: S,
  { lower, upper }: { readonly lower?: number | undefined; readonly upper?: number | undefined },
): S {
  const { lower: _, upper: __, ...rest } = step;
  return { ...rest, ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) } as S;
}

export function withStep({ steps, ...rest }: Correction, at: number, step: Step): Correction {
  return { ...rest, steps: steps.map((each, i) => (i === at ? step : each)) };
}
