/** A random, reproducible share of a folder's mutants. */
export interface Sample {
  readonly percent: number;
  readonly seed: number;
}

export const SAMPLE_VARIABLE: string;
export function isDrawn(mutant: string, sample: Sample): boolean;
export function parseSample(percentText: string, seedText?: string): Sample | undefined;
export function estimateInterval(detected: number, tried: number): { low: number; high: number };
