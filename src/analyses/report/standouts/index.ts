/**
 * Which steps, ranks, turns or outcomes stand out, judged by how much prompts differ. The sentences belong in `facts`.
 *
 * @module
 */

import { maxStatisticTest } from "../../../core/statistics/max-statistic.ts";
import type { GroupedUnits } from "../../../core/statistics/permutations.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import { type OutcomeContrast, outcomeContrast } from "./outcome.ts";
import {
  type Candidates,
  findStandouts,
  gatherPlaces,
  type Place,
  type Standout,
  significant,
  unitsToTest,
} from "./standout.ts";
import { findTrend, type Trend } from "./trend.ts";

export type { OutcomeContrast } from "./outcome.ts";
export { SIGNIFICANT, type Standout } from "./standout.ts";
export type { Trend } from "./trend.ts";
export { addTurns } from "./units.ts";

/** What stands out in a run, each list by descending factor. */
export interface Comparisons {
  readonly steps: readonly Standout<number>[];
  readonly ranks: readonly Standout<number>[];
  readonly environments: readonly Standout<string>[];
  readonly engines: readonly Standout<string>[];
  readonly finishReasons: readonly Standout<string>[];
  /** Ages: steps minus versions of the weights. */
  readonly staleness: readonly Standout<number>[];
  readonly turns: readonly Standout<number>[];
  /** Tenths of a response, from 0. */
  readonly deciles: readonly Standout<number>[];
  /** Undefined if there are no two outcomes to compare. */
  readonly outcome: OutcomeContrast | undefined;
  readonly trend: Trend | undefined;
}

/** What is permuted to test turns and tenths of a response: most of the work, which another thread may do. */
export type PlaceUnits = Readonly<Record<Place, GroupedUnits>>;
/** The p-value of each turn and tenth. */
export type PlaceChances = Readonly<Record<Place, Float64Array>>;

/** Turns and tenths of responses, before they are tested. */
export interface GatheredPlaces {
  readonly candidates: Readonly<Record<Place, Candidates<number>>>;
  readonly toTest: PlaceUnits;
}

export function compareParts(clusters: readonly SampledCluster[]): Comparisons {
  const places = gatherAllPlaces(clusters);
  return { ...compareWholes(clusters), ...comparePlaces(places, testPlaces(places.toTest)) };
}

export function gatherAllPlaces(clusters: readonly SampledCluster[]): GatheredPlaces {
  const candidates = {
    turns: gatherPlaces(clusters, "turns"),
    deciles: gatherPlaces(clusters, "deciles"),
  };
  return {
    candidates,
    toTest: { turns: unitsToTest(candidates.turns), deciles: unitsToTest(candidates.deciles) },
  };
}

export function testPlaces({ turns, deciles }: PlaceUnits): PlaceChances {
  return { turns: maxStatisticTest(turns).p, deciles: maxStatisticTest(deciles).p };
}

/** @param chances the result of {@link testPlaces} for the units to test */
export function comparePlaces(
  { candidates: { turns, deciles } }: GatheredPlaces,
  chances: PlaceChances,
): Pick<Comparisons, Place> {
  return { turns: significant(turns, chances.turns), deciles: significant(deciles, chances.deciles) };
}

/** Compares parts that contain whole responses, and the run over time. */
export function compareWholes(clusters: readonly SampledCluster[]): Omit<Comparisons, Place> {
  return {
    steps: findStandouts(clusters, ({ step }) => step),
    ranks: findStandouts(clusters, ({ rank }) => rank),
    environments: findStandouts(clusters, ({ environment }) => environment ?? undefined),
    engines: findStandouts(clusters, ({ engine }) => engine ?? undefined),
    finishReasons: findStandouts(clusters, ({ finish }) => finish ?? undefined),
    staleness: findStandouts(clusters, ({ staleness }) => staleness),
    outcome: outcomeContrast(clusters),
    trend: findTrend(clusters),
  };
}
