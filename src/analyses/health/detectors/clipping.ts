import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { findOnset } from "./onset.ts";
import { FEWEST, type RunSeries, recentOf, type StepSeries, takeSeries } from "./series.ts";
import { figure, share, sinceWords } from "./words.ts";

/** Shares of clipped tokens, the ratio of low to high clipping, and the smallest low share; as in rldoctor 0.2.0. */
const [WARN, BAD, SIDES, LEAST_LOW] = [0.2, 0.4, 3, 0.02];
/** A side that clips nothing is reported as if it clipped one token in ten thousand. */
const NEXT_TO_NONE = 1e-4;

const SOURCE = "PPO, arXiv 1707.06347; DAPO, arXiv 2503.14476, 3.1; limits as rldoctor 0.2.0";

/** A clipped token has no gradient: that share of the update is lost. */
export function checkClipping(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "clip") ?? addSides(run);
  if (series === undefined) return undefined;
  const value = recentOf(series.values);
  if (!(value >= WARN)) return undefined;
  const since = findOnset(series, (one) => one >= WARN);
  const short = `${share(value)} of the tokens are clipped`;
  const when =
    since === null || since === series.steps[0]
      ? ""
      : `, more than a fifth${sinceWords(since, series.steps[0])}`;
  return {
    id: "clipping",
    run: "",
    title: "Clipping takes much of the update",
    level: value >= BAD ? "bad" : "warn",
    short: short + when,
    sentence: `${capitalize(short)}${when}: they have no gradient, and the policy moves further in a step than the clip range allows.`,
    since_step: since,
    outcome: "lasts",
    figures: { share: value, limit: WARN, limit_bad: BAD },
    read_from: [series.name],
    do_this:
      "lower the learning rate or the updates per batch; in asynchronous training look at staleness first",
    source: SOURCE,
  };
}

/** If low clipping outweighs high clipping, it removes more tokens than it lets through. */
export function checkClipSides(run: RunSeries): BesideFinding | undefined {
  const [low, high] = [takeSeries(run, "clip_low"), takeSeries(run, "clip_high")];
  if (low === undefined || high === undefined) return undefined;
  const [below, above] = [recentOf(low.values), recentOf(high.values)];
  const factor = below / Math.max(NEXT_TO_NONE, above);
  if (!(below >= LEAST_LOW && factor >= SIDES)) return undefined;
  const ratios = joinSides(low, high, (a, b) => (a >= LEAST_LOW ? a / Math.max(NEXT_TO_NONE, b) : 0));
  const since = ratios.values.length < FEWEST ? null : findOnset(ratios, (one) => one >= SIDES);
  const short = `clipping is one-sided${sinceWords(since, ratios.steps[0])}: ${share(below)} of the tokens below, ${share(above)} above`;
  return {
    id: "clip_sides",
    run: "",
    title: "Clipping is one-sided",
    level: "warn",
    short,
    sentence: `${capitalize(short)} (${figure(factor)} times): unlikely tokens are held down and cannot be learned, which lowers entropy.`,
    since_step: since,
    outcome: "lasts",
    figures: { low: below, high: above, factor, limit: SIDES },
    read_from: [low.name, high.name],
    do_this: "raise the upper clip bound alone: 0.28 beside 0.2 (DAPO's clip-higher)",
    source: SOURCE,
  };
}

function addSides(run: RunSeries): StepSeries | undefined {
  const [low, high] = [takeSeries(run, "clip_low"), takeSeries(run, "clip_high")];
  if (low === undefined || high === undefined) return undefined;
  const both = joinSides(low, high, (a, b) => a + b);
  return both.values.length < FEWEST ? undefined : both;
}

function joinSides(low: StepSeries, high: StepSeries, join: (a: number, b: number) => number): StepSeries {
  const above = new Map(high.steps.map((step, at) => [step, high.values[at]!]));
  const at = low.steps.flatMap((step, i) =>
    above.has(step) ? [{ step, value: join(low.values[i]!, above.get(step)!) }] : [],
  );
  return {
    name: `${low.name} + ${high.name}`,
    part: "",
    steps: at.map(({ step }) => step),
    values: at.map(({ value }) => value),
  };
}
