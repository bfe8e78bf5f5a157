import { seededRandom } from "../../../core/statistics/random.ts";
import type { SpikeOptions } from "../summary.ts";
import { detectSpikes } from "./spikes.ts";

/** Number of random orders: the mean over a study's texts settles fast. */
const ORDERS = 8;

/**
 * How many spikes a text's own values have in random order: the mean over a few seeded shuffles. Every series has some
 * values above the others, and the rule finds spikes in pure noise; only spikes beyond this number are due to where the
 * values lie.
 */
export function shuffledSpikes(values: readonly number[], options: SpikeOptions): number {
  const random = seededRandom(values.length);
  const order = [...values];
  let spikes = 0;
  for (let round = 0; round < ORDERS; round++) {
    // Fisher-Yates shuffle.
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    spikes += detectSpikes(order, options).positions.length;
  }
  return spikes / ORDERS;
}
