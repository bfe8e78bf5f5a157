import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { findDrop, findOnset } from "./onset.ts";
import { endOf, type RunSeries, startOf, takeSeries } from "./series.ts";
import { findTrend, tailFrom } from "./trend.ts";
import { figure, share } from "./words.ts";

/** As a share of the initial entropy; as in rldoctor 0.2.0. */
const FLOOR = 0.1;

/**
 * Entropy that fell to a tenth of its initial value. Entropy falls in every run that learns; what matters is how much
 * is left, and whether the reward has kept rising. Source: Cui et al., "The Entropy Mechanism of Reinforcement Learning
 * for Reasoning Language Models" (arXiv 2505.22617); remedy: DAPO (arXiv 2503.14476), section 3.1.
 */
export function checkEntropy(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "entropy");
  if (series === undefined) return undefined;
  const [start, end] = [startOf(series.values), endOf(series.values)];
  if (!(start > 0) || end > FLOOR * start) return undefined;
  const limit = FLOOR * start;
  const drop = findDrop(series, start, end);
  const onset = findOnset(series, (value) => value <= limit);
  const since = drop ?? onset;
  const reward = takeSeries(run, "reward");
  const at = since === null ? -1 : (reward?.steps.findIndex((step) => step >= since) ?? -1);
  // What matters is whether the run has learned anything since.
  const isLearning = reward !== undefined && at >= 0 && findTrend(tailFrom(reward, at)) === "up";
  const when =
    drop !== null
      ? `, most of it at step ${drop}`
      : onset === null
        ? ""
        : `, below a tenth since step ${onset}`;
  const short = `entropy fell from ${figure(start)} to ${figure(end)}${when}`;
  const first = series.steps[0];
  return {
    id: "entropy",
    run: "",
    title: "Entropy has collapsed",
    level: isLearning ? "warn" : "bad",
    short,
    sentence: `${capitalize(short)}: ${share(end / start)} of its beginning is left, so the answers to a prompt are nearly alike${isLearning ? "; the reward still rises" : ""}.`,
    since_step: since,
    outcome: "lasts",
    figures: { start, end, left: end / start, limit: FLOOR },
    read_from: [series.name],
    do_this: `raise the upper clip bound alone (0.28 beside 0.2, DAPO's clip-higher) or add a small entropy bonus, from a checkpoint before ${since === null || since === first ? "the fall" : `step ${since}`}`,
    source: "arXiv 2505.22617; DAPO, arXiv 2503.14476, 3.1; limit as rldoctor 0.2.0",
  };
}
