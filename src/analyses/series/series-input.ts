import type { LoggedValues } from "./finite-metrics.ts";

/** The contents of a file of logged metrics. */
export interface SeriesInput {
  readonly file: string;
  readonly form: string;
  readonly series: readonly LoggedValues[];
}
