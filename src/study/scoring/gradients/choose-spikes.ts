import type { ErrorSpan } from "../../analysis/error-span.ts";
import { isBehindError } from "../../analysis/gradients/text-gradients.ts";
import { findTextSpikes } from "../../analysis/spikes/find-text-spikes.ts";
import type { ScoredText } from "../../analysis/study.ts";
import type { SpikeOptions } from "../../analysis/summary.ts";

/** Maximum spikes per text: each costs a backward pass through both models. */
const MOST_SPIKES = 3;

/**
 * The spikes of a text whose gradients to compute: the largest ones and, if its first error is known, the largest ones
 * after it.
 *
 * @returns response tokens, ascending
 */
export function chooseSpikes(
  scored: Pick<ScoredText, "text" | "pair">,
  error: ErrorSpan | undefined,
  options: SpikeOptions,
): number[] {
  const { places, found } = findTextSpikes(scored, options);
  const spikes = found.positions
    .map((place, i) => ({ position: places[place]!, value: found.values[i]! }))
    .sort((a, b) => b.value - a.value || a.position - b.position);
  const behind = error === undefined ? [] : spikes.filter(({ position }) => isBehindError(position, error));
  const chosen = [...spikes.slice(0, MOST_SPIKES), ...behind.slice(0, MOST_SPIKES)];
  return [...new Set(chosen.map(({ position }) => position))].sort((a, b) => a - b);
}
