/**
 * The series of a text in which spikes are searched for, and its spikes.
 *
 * @module
 */
import type { ScoredText } from "../study.ts";
import type { SpikeOptions } from "../summary.ts";
import { detectSpikes, type SpikeAnalysis } from "./spikes.ts";

export interface SpikedSeries {
  /** The response tokens of the series' values, ascending. */
  readonly places: readonly number[];
  /** D(P‖Q) at these tokens (its lower bound if only bounds are known), nats, finite. */
  readonly series: readonly number[];
  /** Its positions are indices in the series. */
  readonly found: SpikeAnalysis;
}

/** Spikes among the tokens with mask 1 whose KL is finite. */
export function findTextSpikes(
  { text, pair }: Pick<ScoredText, "text" | "pair">,
  options: SpikeOptions,
): SpikedSeries {
  const kl = pair.forwardKl ?? pair.forwardKlLower;
  const places = [...text.mask.keys()].filter((t) => text.mask[t] === 1 && Number.isFinite(kl?.[t]));
  const series = places.map((t) => kl![t]!);
  return { places, series, found: detectSpikes(series, options) };
}
