/**
 * Spikes: tokens at which a series (KL over the tokens of a text) stands out.
 *
 * The three methods, the distance rule, regions and densities are RL-Probe's (src/analysis/spike_detector.py,
 * commit 324de8ce), to the last bit of its double-precision arithmetic.
 *
 * @module
 */
import { UsageError } from "../../../core/base/index.ts";
import { median } from "../../../core/statistics/median.ts";
import type { Region } from "../../results/names.ts";
import type { SpikeOptions } from "../summary.ts";
import { localOutliers } from "./local-outliers.ts";
import { meanAndStd, percentile } from "./series-statistics.ts";

/** Spikes of a series, and what they were compared with. */
export interface SpikeAnalysis {
  /** Indices in the series, ascending. */
  readonly positions: readonly number[];
  /** The value at each of them, in the series' unit. */
  readonly values: readonly number[];
  /** z-scores over the whole series, whatever the method; 0 if its standard deviation is 0. */
  readonly zscores: readonly number[];
  /** The part of the text in which each spike lies. */
  readonly regions: readonly Region[];
  /** In the series' unit; for `adaptive`, the median plus threshold · 1.4826 · MAD, for orientation only. */
  readonly threshold: number;
  /** Mean over the whole series, in its unit. */
  readonly meanKl: number;
  /** Standard deviation of the population. */
  readonly stdKl: number;
  /** Spikes per token of the region; null for an empty series. */
  readonly density: Readonly<Record<Region, number>> | null;
}

/** Scales the median absolute deviation of normal values to their standard deviation. */
const MAD_TO_STD = 1.4826;

/**
 * Finds spikes in a series without gaps.
 *
 * - `zscore`: (value − mean) / std > threshold, with the population's standard deviation;
 * - `percentile`: value > the percentile (numpy's, linear between places);
 * - `adaptive`: the z-score within max(10, n div 10) values around it > threshold.
 *
 * Of candidates less than `minDistance` places apart, the largest is kept (the earliest of equal ones), then the next
 * largest that is far enough from all those kept. A NaN in the series makes everything computed from it NaN.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { detectSpikes } from "logratio/kl";
 *
 * const kl = [0.01, 0.02, 0.01, 0.9, 0.02, 0.01, 0.02]; // nats
 * const { positions } = detectSpikes(kl, { method: "zscore", threshold: 2, minDistance: 3, percentile: 95 });
 * assert.deepEqual(positions, [3]);
 * ```
 *
 * @param kl one value per token, nats
 * @returns places in the series, ascending, with values in the series' unit
 * @throws UsageError for a percentile outside 0 to 100, or a method that does not exist
 */
export function detectSpikes(kl: ArrayLike<number>, options: SpikeOptions): SpikeAnalysis {
  const values = Float64Array.from(kl);
  if (values.length === 0) return { ...NOTHING, threshold: options.threshold };
  const { mean, std } = meanAndStd(values);
  const { candidates, threshold } = findCandidates(values, mean, std, options);
  const positions = keepApart(candidates, values, options.minDistance);
  const regions = positions.map((position) => {
    // Early is the first 33 % of places, late is from 67 % on.
    const share = position / values.length;
    return share < 0.33 ? "early" : share < 0.67 ? "mid" : "late";
  });
  return {
    positions,
    values: positions.map((position) => values[position]!),
    zscores: positions.map((position) => (std > 0 ? (values[position]! - mean) / std : 0)),
    regions,
    threshold,
    meanKl: mean,
    stdKl: std,
    density: densities(regions, values.length),
  };
}

const NOTHING = { positions: [], values: [], zscores: [], regions: [], meanKl: 0, stdKl: 0, density: null };

interface Candidates {
  readonly candidates: readonly number[];
  readonly threshold: number;
}

function findCandidates(values: Float64Array, mean: number, std: number, options: SpikeOptions): Candidates {
  const { method, threshold } = options;
  switch (method) {
    case "zscore": {
      const above = (value: number): boolean => std !== 0 && (value - mean) / std > threshold;
      return { candidates: placesWhere(values, above), threshold: mean + threshold * std };
    }
    case "percentile": {
      if (!(options.percentile >= 0 && options.percentile <= 100))
        throw new UsageError(`a percentile must be between 0 and 100, not ${options.percentile}`);
      const limit = percentile(values, options.percentile);
      return { candidates: placesWhere(values, (value) => value > limit), threshold: limit };
    }
    case "adaptive": {
      const middle = median(values);
      const deviation = median(values.map((value) => Math.abs(value - middle)));
      const marks = localOutliers(values, threshold);
      return {
        candidates: placesWhere(values, (_, place) => marks[place] === 1),
        threshold: middle + threshold * MAD_TO_STD * deviation,
      };
    }
    default:
      throw new UsageError(`unknown spike method "${String(method satisfies never)}"`, {
        hint: "use zscore, percentile or adaptive",
      });
  }
}

function placesWhere(values: Float64Array, holds: (value: number, place: number) => boolean): number[] {
  const places: number[] = [];
  for (let i = 0; i < values.length; i++) if (holds(values[i]!, i)) places.push(i);
  return places;
}

/** Each place that is kept blocks those closer than the distance, so the work is linear except for sorting. */
function keepApart(candidates: readonly number[], values: Float64Array, minDistance: number): number[] {
  const byValue = [...candidates].sort((a, b) => compare(values[b]!, values[a]!) || a - b);
  const reach = Math.min(values.length, Math.ceil(minDistance) - 1);
  const blocked = new Uint8Array(values.length);
  const kept: number[] = [];
  for (const place of byValue) {
    if (blocked[place] === 1) continue;
    kept.push(place);
    if (reach > 0) blocked.fill(1, Math.max(0, place - reach), place + reach + 1);
  }
  return kept.sort((a, b) => a - b);
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Regions are counted by their share of places, but sized n div 3, n div 3 and the rest. */
function densities(regions: readonly Region[], length: number): Record<Region, number> {
  const third = Math.floor(length / 3);
  const sizes = { early: third, mid: third, late: length - 2 * third };
  const density = (region: Region): number =>
    sizes[region] > 0 ? regions.filter((other) => other === region).length / sizes[region] : 0;
  return { early: density("early"), mid: density("mid"), late: density("late") };
}
