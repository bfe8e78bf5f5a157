import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import type { TruncationCheck } from "../../../results/health.ts";
import { findOnset } from "./onset.ts";
import { type RunSeries, recentOf, takeSeries } from "./series.ts";
import { shareAtEnd } from "./share-at-end.ts";
import { share, sinceWords } from "./words.ts";

/**
 * Shares of answers, both chosen: the limit in the check of dumps, and one at which the length limit decides the
 * reward.
 */
const [WARN, BAD] = [0.1, 0.25];
const LEAST_SEQUENCES = 30;

export function checkTruncation(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "truncated");
  if (series === undefined) return undefined;
  const since = findOnset(series, (one) => one > WARN);
  return tell(recentOf(series.values), since, series.steps[0], series.name);
}

/**
 * That answers of exactly the largest length were cut is a guess: not reported for a few, nor if all have the same
 * length.
 */
export function checkTruncationOfDump(check: TruncationCheck): BesideFinding | undefined {
  const { outcome, basis, per_step } = check;
  if (outcome !== "within" && outcome !== "beyond") return undefined;
  const isGuess = basis === "longest";
  const { value, since, first, isSure, isLong } = shareAtEnd(per_step, LEAST_SEQUENCES, isGuess ? BAD : WARN);
  if (!isSure || (isGuess && value === 1)) return undefined;
  const found = tell(value, since, first, "dump", isGuess);
  return found && (isGuess || !isLong) ? { ...found, level: "warn" } : found;
}

function tell(
  value: number,
  since: number | null,
  first: number | undefined,
  name: string,
  isGuess = false,
): BesideFinding | undefined {
  if (!(value > WARN)) return undefined;
  const short = isGuess
    ? `${share(value)} of the answers have exactly the largest length, so they are probably cut off`
    : `${share(value)} of the answers are cut off at the length limit`;
  const when = since === null || since === first ? "" : `, more than a tenth${sinceWords(since, first)}`;
  return {
    id: "truncation",
    run: "",
    title: "Answers are cut off",
    level: value >= BAD ? "bad" : "warn",
    short: short + when,
    sentence: `${capitalize(short)}${when}: their rewards measure the limit, not the policy.`,
    since_step: since,
    outcome: "lasts",
    figures: { share: value, limit: WARN, limit_bad: BAD },
    read_from: [name],
    do_this:
      "leave answers that were cut off out of the loss (DAPO's overlong filtering), or raise the limit",
    source: "DAPO, arXiv 2503.14476, 3.4; limits are chosen",
  };
}
