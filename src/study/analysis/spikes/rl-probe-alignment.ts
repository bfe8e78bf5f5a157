/**
 * A text's figures in RL-Probe's alignment, whose value t is the KL of the logits at token t, which predict token t +
 * 1, and whose response starts at the prompt's length (src/analysis/kl_divergence.py and spike_detector.py, commit
 * 324de8ce). The first response token is lost, the token that would follow the text counts as part of it, and so does
 * tool output.
 * @module
 */

import type { PairScores } from "../study.ts";
import type { SpikeOptions, TextSummary } from "../summary.ts";
import { detectSpikes } from "./spikes.ts";

/** Stands for the place after the text, which is not a response token. */
const AFTER_END = -1;

/**
 * Figures of D(P‖Q) at response tokens 1 … n − 1 and at the place after the text. KLs are exact: the original's 1e-10,
 * added to every probability, is not.
 *
 * @returns null if the exact KL, or the one after the end, is unknown
 */
export function rlProbeFigures(
  { forwardKl, forwardKlAfterEnd }: PairScores,
  options: SpikeOptions,
): TextSummary["rlProbe"] {
  if (forwardKl === undefined || forwardKlAfterEnd === undefined || forwardKl.length === 0) return null;
  const series = new Float64Array(forwardKl.length);
  series.set(forwardKl.subarray(1));
  series[series.length - 1] = forwardKlAfterEnd;
  const { meanKl, positions } = detectSpikes(series, options);
  const last = series.length - 1;
  return {
    meanKl,
    spikePositions: positions.map((position) => (position === last ? AFTER_END : position + 1)),
    spikes: positions.length,
  };
}
