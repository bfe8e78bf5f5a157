import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import type { FlatGroupsCheck } from "../../../results/health.ts";
import { findOnset } from "./onset.ts";
import { isAuxiliary } from "./reward-parts.ts";
import { type RunSeries, recentOf, takeSeries } from "./series.ts";
import { shareAtEnd } from "./share-at-end.ts";
import { share, sinceWords } from "./words.ts";

/**
 * Shares of groups: `warn` as in the check of dumps, by choice; `bad` as in rldoctor 0.2.0: four answers paid for each
 * useful one.
 */
const [WARN, BAD] = [0.5, 0.75];
const LEAST_GROUPS = 10;
/** Share of flat groups at one end of the rewards. */
const MOST_OF = 0.8;
/** Logged shares may be rounded or noisy. */
const NOISE = 0.05;
/** Mean rewards from 0 to 1 beyond which most groups are at one end; as in rldoctor 0.2.0. */
const [EASY, HARD] = [0.85, 0.15];

type Ends = "easy" | "hard" | "mixed";

const SOURCE = "DAPO, arXiv 2503.14476, 3.2; limits: half is chosen, three quarters as rldoctor 0.2.0";

/** Uses the share that the trainer logs. */
export function checkFlatGroups(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "flat_groups");
  if (series === undefined) return undefined;
  const value = recentOf(series.values);
  const since = findOnset(series, (one) => one > WARN);
  return tell(value, since, series.steps[0], [series.name], judgeEnds(run));
}

/** Uses the groups in the last quarter of a dump's steps. A few steps do not show why a run learns nothing. */
export function checkFlatGroupsOfDump(check: FlatGroupsCheck): BesideFinding | undefined {
  const { outcome, flat, flat_best, flat_worst, per_step } = check;
  if (outcome !== "within" && outcome !== "beyond") return undefined;
  const { value, since, first, isSure, isLong } = shareAtEnd(per_step, LEAST_GROUPS, WARN);
  if (!isSure) return undefined;
  const ends = flat_best > MOST_OF * flat ? "easy" : flat_worst > MOST_OF * flat ? "hard" : "mixed";
  const found = tell(value, since, first, ["dump"], ends);
  return found && !isLong ? { ...found, level: "warn" } : found;
}

/** Uses the first series that is a share: a task part of the reward, the reward, an evaluation. */
function judgeEnds(run: RunSeries): Ends {
  const parts = (run.get("reward_part") ?? []).filter((part) => !isAuxiliary(part));
  const all = [...parts, ...(run.get("reward") ?? []), ...(run.get("evaluation") ?? [])];
  const judged = all.find(
    ({ values }) => values.length > 0 && values.every((one) => one > -NOISE && one < 1 + NOISE),
  );
  if (judged === undefined) return "mixed";
  const mean = recentOf(judged.values);
  return mean >= EASY ? "easy" : mean <= HARD ? "hard" : "mixed";
}

const MEANING: Readonly<Record<Ends, string>> = {
  easy: "the prompts have become too easy",
  hard: "the prompts are too hard, or the grader fails",
  mixed: "they have no gradient",
};
const DO: Readonly<Record<Ends, string>> = {
  easy: "drop prompts that are always solved and add harder ones, or sample such groups again (DAPO's dynamic sampling; verl: algorithm.filter_groups.enable=True)",
  hard: "grade twenty answers by hand first; then easier prompts, or more answers per prompt",
  mixed:
    "sample such groups again (DAPO's dynamic sampling; verl: algorithm.filter_groups.enable=True), or take more answers per prompt",
};

function tell(
  value: number,
  since: number | null,
  first: number | undefined,
  readFrom: readonly string[],
  ends: Ends,
): BesideFinding | undefined {
  if (!(value > WARN)) return undefined;
  const short = `all answers of ${share(value)} of the groups have one reward${sinceWords(since, first)}`;
  return {
    id: "flat_groups",
    run: "",
    title: "Groups without spread in reward",
    level: value >= BAD ? "bad" : "warn",
    short,
    sentence: `${capitalize(short)}: ${MEANING[ends]}${ends === "mixed" ? "" : "; they have no gradient"}.`,
    since_step: since,
    outcome: "lasts",
    figures: { share: value, limit: WARN, limit_bad: BAD },
    read_from: readFrom,
    do_this: DO[ends],
    source: SOURCE,
  };
}
