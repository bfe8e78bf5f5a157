import { median } from "../../../core/statistics/median.ts";
import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { endOf, type RunSeries, type StepSeries, startOf } from "./series.ts";
import { findGain, findTrend, tailFrom } from "./trend.ts";
import { figure, share } from "./words.ts";

/**
 * Shares of the variance in one part, and the number of values below which they reflect warm-up; as in rldoctor 0.2.0.
 */
const [WARN, BAD, LEAST] = [0.7, 0.9, 150];
/** A part counts as changed from a quarter on; chosen. */
const CHANGED = 0.25;
/** Words in the names of parts that are not the task; as in rldoctor 0.2.0. */
const AUXILIARY = ["format", "tag", "xml", "json", "length", "lang", "style", "think"];

/** A part other than the task makes up most of the reward's variation, or one part rises while another falls. */
export function checkRewardParts(run: RunSeries): BesideFinding | undefined {
  const parts = (run.get("reward_part") ?? []).filter(({ values }) => values.length >= LEAST);
  if (parts.length < 2) return undefined;
  return findDominant(parts) ?? findApart(parts);
}

/** Whether a part's name shows that it is not the task. */
export const isAuxiliary = ({ part }: StepSeries): boolean =>
  AUXILIARY.some((word) => part.toLowerCase().includes(word));

/** Judged by the median deviation in the second half, which neither a single batch nor warm-up decides. */
function findDominant(parts: readonly StepSeries[]): BesideFinding | undefined {
  const spreads = parts.map(({ values }) => {
    const late = values.slice(values.length >> 1);
    const center = median(late);
    return median(late.map((value) => Math.abs(value - center))) ** 2;
  });
  const all = spreads.reduce((sum, spread) => sum + spread, 0);
  const most = spreads.indexOf(Math.max(...spreads));
  const [top, value] = [parts[most]!, spreads[most]! / all];
  if (!(value >= WARN) || !isAuxiliary(top)) return undefined;
  const short = `“${top.part}” makes ${share(value)} of the reward's variance from step to step`;
  return {
    id: "reward_parts",
    run: "",
    title: "An extra reward leads",
    level: value >= BAD ? "bad" : "warn",
    short,
    sentence: `${capitalize(short)}: the policy learns that part, not the task.`,
    since_step: null,
    outcome: "lasts",
    figures: { share: value, limit: WARN, limit_bad: BAD },
    read_from: parts.map(({ name }) => name),
    do_this: `weigh the parts by how far they vary, and drop “${top.part}” once nearly every answer has it`,
    source: "DeepSeek-R1, arXiv 2501.12948 (accuracy and format); limits as rldoctor 0.2.0",
  };
}

function findApart(parts: readonly StepSeries[]): BesideFinding | undefined {
  const moves = parts.map((part) => {
    const tail = tailFrom(part, part.values.length >> 2);
    return { part, trend: findTrend(tail), gain: findGain(tail), tail };
  });
  const up = moves.find(({ trend, gain }) => trend === "up" && gain >= CHANGED);
  const down = moves.find(({ trend, gain }) => trend === "down" && gain <= -CHANGED);
  if (up === undefined || down === undefined) return undefined;
  const say = ({ part, tail }: typeof up): string =>
    `“${part.part}” from ${figure(startOf(tail.values))} to ${figure(endOf(tail.values))}`;
  const since = down.tail.steps[0]!;
  const short = `parts of the reward move apart: ${say(up)}, ${say(down)}`;
  return {
    id: "reward_parts",
    run: "",
    title: "Parts of the reward move apart",
    level: "warn",
    short,
    sentence: `${capitalize(short)}, from step ${since} to the last: one is bought with the other.`,
    since_step: since,
    outcome: "lasts",
    figures: { gain_up: up.gain, gain_down: down.gain, limit: CHANGED },
    read_from: [up.part.name, down.part.name],
    do_this: `read answers that gained “${up.part.part}” and lost “${down.part.part}”; lower the weight of the first`,
    source: "arXiv 2501.12948; the limit is chosen",
  };
}
