import type { LoggedValues } from "./finite-metrics.ts";

/** What a file of logged metrics holds. */
export interface SeriesInput {
  readonly file: string;
  readonly form: string;
  readonly series: readonly LoggedValues[];
}
