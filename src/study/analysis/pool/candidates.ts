/**
 * Texts that a report may revisit token by token once other studies are included. A report chooses by rank at the last
 * checkpoint, and a text never ranks better among more texts: what is not a candidate here can never become one.
 *
 * @module
 */
import { rankCases } from "../report/cases.ts";
import { isReported } from "../report/problems.ts";
import { REPORT_SIZES } from "../report/report-input.ts";
import { listSpikes } from "../report/spike-figures.ts";
import type { TextSummary } from "../summary.ts";

/** A text at the last checkpoint. */
export interface Ranked {
  readonly summary: TextSummary;
  readonly correct: boolean | undefined;
}

/**
 * Of texts at the last checkpoint, those that may be chosen: for each reason, one more than there are reasons before
 * it, as each of those may have taken a text; and those with the largest spikes.
 */
export function listCandidates<T extends Ranked>(texts: readonly T[]): T[] {
  const known = texts.filter(({ summary }) => isReported(summary));
  const bySummary = new Map(known.map((one) => [one.summary, one]));
  const chosen = new Set<T>();
  const rankings = rankCases(known.map(({ summary, correct }) => ({ summary, text: { correct } })));
  for (const [i, ranking] of rankings.entries())
    for (const summary of ranking.slice(0, i + 1)) chosen.add(bySummary.get(summary)!);
  const spikes = listSpikes(known.map(({ summary }) => summary)).slice(0, REPORT_SIZES.topSpikes);
  for (const { summary } of spikes) chosen.add(bySummary.get(summary)!);
  return texts.filter((one) => chosen.has(one));
}
