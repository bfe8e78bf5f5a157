/**
 * Which steps, ranks, turns or outcomes stand out, judged by how prompts differ. The sentences belong in `facts`.
 *
 * @module
 */
import type { SampledCluster } from "../../../core/summaries/index.ts";
import { type OutcomeContrast, outcomeContrast } from "./outcome.ts";
import { findStandouts, type Standout, standoutParts } from "./standout.ts";
import { findTrend, type Trend } from "./trend.ts";

export type { OutcomeContrast } from "./outcome.ts";
export { SIGNIFICANT, type Standout } from "./standout.ts";
export type { Trend } from "./trend.ts";
export { addTurns } from "./units.ts";

/** What stands out of a run, each list by falling factor. */
export interface Comparisons {
  readonly steps: readonly Standout<number>[];
  readonly ranks: readonly Standout<number>[];
  readonly environments: readonly Standout<string>[];
  readonly engines: readonly Standout<string>[];
  readonly finishReasons: readonly Standout<string>[];
  /** Steps minus versions of the weights. */
  readonly staleness: readonly Standout<number>[];
  readonly turns: readonly Standout<number>[];
  /** Tenths of a response, from 0. */
  readonly deciles: readonly Standout<number>[];
  /** Undefined where there are no two to compare. */
  readonly outcome: OutcomeContrast | undefined;
  readonly trend: Trend | undefined;
}

export function compareParts(clusters: readonly SampledCluster[]): Comparisons {
  return {
    steps: findStandouts(clusters, ({ step }) => step),
    ranks: findStandouts(clusters, ({ rank }) => rank),
    environments: findStandouts(clusters, ({ environment }) => environment ?? undefined),
    engines: findStandouts(clusters, ({ engine }) => engine ?? undefined),
    finishReasons: findStandouts(clusters, ({ finish }) => finish ?? undefined),
    staleness: findStandouts(clusters, ({ staleness }) => staleness),
    turns: standoutParts(clusters, "turns"),
    deciles: standoutParts(clusters, "deciles"),
    outcome: outcomeContrast(clusters),
    trend: findTrend(clusters),
  };
}
