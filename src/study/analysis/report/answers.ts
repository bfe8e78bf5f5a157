/**
 * The short answers of a report, from figures in it. Each names its evidence, and says "yes" only after a test.
 *
 * @module
 */
import {
  formatCoefficient,
  formatNumber,
  formatPlain,
  formatShare,
  formatSigned,
  plural,
} from "../../../core/text/index.ts";
import type { KlAnswer, KlComparison, KlReport } from "../../results/report.ts";
import { type AnsweredFigures, probability, unknown } from "./answer-text.ts";
import { onAttention } from "./attention-answers.ts";
import { onContinuations, onGradients } from "./follow-up-answers.ts";

/** With fewer texts than this, a spike at each error is not evidence. */
const FEWEST_ERRORS = 5;

type Figures = AnsweredFigures;

export function answers(report: Figures): KlAnswer[] {
  return [
    atWhichTokens(report),
    ofWhichKind(report),
    sinceWhen(report),
    isItThere(report),
    onErrors(report),
    ...onAttention(report),
    ...onGradients(report),
    ...onContinuations(report),
    ...againstBaselines(report),
  ];
}

function atWhichTokens({ metrics, checkpoints, top_tokens }: Figures): KlAnswer {
  const question = "At which tokens does the last checkpoint differ from the reference?";
  const last = checkpoints[metrics.last_checkpoint];
  if (last?.mean_kl == null || top_tokens.length === 0)
    return unknown(question, `No token of ${metrics.last_checkpoint} has a KL.`);
  const tokens = top_tokens
    .slice(0, 5)
    .map(
      ({ token, share_of_kl, count }) =>
        `${JSON.stringify(token)} (${formatShare(share_of_kl)} of all KL, ${plural(count, "time")})`,
    );
  const spikes =
    last.spike_share_of_kl === null
      ? "No token is a spike."
      : `${plural(last.spikes_total, "spike")}, ${formatNumber(last.spikes_per_100_tokens)} per 100 tokens, ${last.spikes_total === 1 ? "contains" : "contain"} ${formatShare(last.spike_share_of_kl)} of all KL${shuffled(last)}.`;
  return {
    question,
    answer: `${spikes} By the token's text: ${tokens.join(", ")}. Mean KL ${formatNumber(last.mean_kl)} nats${between(last.mean_kl_interval)} over ${plural(last.problems, "problem")}.`,
    support: "descriptive",
  };
}

/** The rule finds spikes in any values, so this says what it would find in the same values in random order. */
function shuffled({ spikes_mean, spikes_shuffled }: KlReport["checkpoints"][string]): string {
  return spikes_shuffled === null
    ? ""
    : ` (${formatNumber(spikes_mean)} per problem; the same values in random order have ${formatNumber(spikes_shuffled)})`;
}

function ofWhichKind({ metrics, categories }: Figures): KlAnswer {
  const question = "What kind of tokens are they?";
  const ranked = Object.entries(categories[metrics.last_checkpoint] ?? {}).sort(
    ([, a], [, b]) => b.mean_kl - a.mean_kl,
  );
  const [first, second] = ranked;
  if (first === undefined || second === undefined)
    return unknown(
      question,
      `The texts have tokens of ${plural(ranked.length, "kind")}; a comparison needs two.`,
    );
  const list = ranked
    .slice(0, 3)
    .map(
      ([name, one]) =>
        `${name} ${formatNumber(one.mean_kl)} nats${between(one.mean_kl_interval)}, ${formatShare(one.share_of_kl)} of the KL on ${formatShare(one.share_of_tokens)} of the tokens`,
    );
  const over = ranked.filter(([, one]) => one.share_of_kl > one.share_of_tokens).map(([name]) => name);
  const [top, next] = [first[1].mean_kl_interval, second[1].mean_kl_interval];
  const text = `Highest mean KL: ${list.join("; ")}. More of the KL than of the tokens: ${over.join(", ") || "none"}.`;
  if (top === null || next === null)
    return unknown(
      question,
      `${text} Fewer than six problems are too few for intervals, so the order may be chance.`,
    );
  const apart = top.low > next.high;
  return {
    question,
    answer: `${text} For texts of this kind, the intervals of ${first[0]} and ${second[0]} ${apart ? "do not overlap" : "overlap, so the order of the two is uncertain"}.`,
    support: apart ? "yes" : "no",
  };
}

function sinceWhen({ progression, comparisons }: Figures): KlAnswer {
  const question = "Since which checkpoint?";
  if (progression === null) return unknown(question, "Fewer than two checkpoints have a step and a mean KL.");
  const { half_by, checkpoints, mean_kl, trend, turning_points } = progression;
  const extrema = turning_points.filter(({ type }) => type !== "inflection");
  const turns =
    extrema.length === 0
      ? "No turning point."
      : `Turning points: ${extrema.map(({ checkpoint, type, supported: held }) => `${checkpoint} (${type}, ${held === null ? "not tested: too few checkpoints" : held ? "more than a walk" : "no more than a walk"})`).join(", ")}.`;
  const movement =
    trend === null
      ? ""
      : ` Rank correlation of mean KL with step ${formatCoefficient(trend.rho)} over these ${checkpoints.length} checkpoints; ${trend.p_value === null ? "too few of them to tell a drift from a walk without one" : `drift against a walk without one: ${probability(trend.p_value)}`}.`;
  if (half_by === null) return unknown(question, `The last mean KL is not above 0. ${turns}${movement}`);
  const place = checkpoints.indexOf(half_by);
  const half = `Half of the last checkpoint's mean KL (${formatNumber(mean_kl.at(-1) ?? 0)} nats) is reached by ${half_by} and kept`;
  const rest = `. ${turns}${movement}`;
  if (place === 0)
    return {
      question,
      answer: `${half}: it is the first one scored, so it may be older${rest}`,
      support: "descriptive",
    };
  const before = checkpoints[place - 1]!;
  const test = comparisons.find((one) => one.a === before && one.b === half_by && one.kind !== "baseline");
  if (test?.adjusted_p_value == null)
    return unknown(question, `${half}; the step from ${before} could not be tested${rest}`);
  return {
    question,
    answer: `${half}; from ${before} to it ${change(test)} (these two checkpoints, other problems)${rest}`,
    support: test.significant ? "yes" : "no",
  };
}

function isItThere({ comparisons, metrics }: Figures): KlAnswer {
  const question = "Do the first and the last checkpoint differ, also on other problems?";
  const test = comparisons.find(({ kind }) => kind === "first-last");
  if (test === undefined)
    return unknown(
      question,
      `${plural(metrics.checkpoints, "checkpoint")} and ${plural(metrics.problems, "problem")}: there are no pairs to compare.`,
    );
  const text = `From ${test.a} to ${test.b} ${change(test)}`;
  const steps = comparisons.filter(({ kind }) => kind === "consecutive");
  const significant = steps.filter((one) => one.significant).length;
  const between =
    steps.length === 0
      ? ""
      : ` Of ${plural(steps.length, "step")} between neighbors ${significant} ${significant === 1 ? "is" : "are"} significant.`;
  if (test.adjusted_p_value === null)
    return unknown(question, `${text}; too few problems differ for a test.${between}`);
  return {
    question,
    answer: `${text}.${between} ${SCOPE}`,
    support: test.significant ? "yes" : "no",
  };
}

/** The tests resample problems, but not checkpoints. */
const SCOPE =
  "This applies to these checkpoints on other problems like these; the data do not show how much checkpoints of another run, or the next ones of this run, would differ.";

function onErrors({ metrics, first_errors, correctness, settings }: Figures): KlAnswer {
  const question = "Is the KL concentrated where the texts go wrong, more than at their other results?";
  const errors = first_errors.find(({ checkpoint }) => checkpoint === metrics.last_checkpoint);
  const reading = correctness.find(({ checkpoint }) => checkpoint === metrics.last_checkpoint);
  const good =
    reading?.good_share == null
      ? ""
      : ` ${formatShare(reading.good_share)} of the KL of judged texts is at tokens that move in the wanted direction (away from a wrong text, towards a right one).`;
  if (errors === undefined) return unknown(question, `No wrong text has a known first error.${good}`);
  const nearest =
    errors.median_distance === null
      ? ""
      : ` The nearest spike is ${distance(errors.median_distance)} (median).`;
  const seen = `${formatShare(errors.spike_at_error)} of ${plural(errors.texts, "wrong text")} have a spike at their first known error.`;
  const { tested, tested_at_error: at, expected, adjusted_p_value: p } = errors;
  if (at === null || expected === null || p === null)
    return unknown(
      question,
      `${seen} None of them has another result, so the data cannot show whether spikes occur at the error or at any result.${nearest}${good}`,
    );
  const text = `${seen} Of the ${tested} that also have other results, ${formatShare(at)} have one at the error; ${formatShare(expected)} would if the error were a random one of their results, including right ones (${probability(p)}).${nearest}${good}`;
  if (tested < FEWEST_ERRORS) return unknown(question, text);
  return { question, answer: text, support: p < settings.alpha ? "yes" : "no" };
}

/** Only if attention is known. */
function againstBaselines({ comparisons, checkpoints, metrics, reference }: Figures): KlAnswer[] {
  const baselines = Object.entries(checkpoints).filter(([, { role }]) => role === "baseline");
  return baselines.slice(0, 2).map(([name, figures]): KlAnswer => {
    const question = `How far is ${name} from ${reference}, compared with the last checkpoint?`;
    const test = comparisons.find(
      ({ kind, a, b }) => kind === "baseline" && a === name && b === metrics.last_checkpoint,
    );
    if (test === undefined || figures.mean_kl === null)
      return unknown(question, `${name} and ${metrics.last_checkpoint} have no problems in common.`);
    const text = `${name} has a mean KL of ${formatNumber(figures.mean_kl)} nats; from it to ${metrics.last_checkpoint} ${change(test)}`;
    if (test.adjusted_p_value === null)
      return unknown(question, `${text}; too few problems differ for a test.`);
    return { question, answer: `${text}.`, support: test.significant ? "yes" : "no" };
  });
}

function distance(tokens: number): string {
  if (tokens === 0) return "at the error";
  const apart = Math.abs(tokens);
  return `${formatPlain(apart)} ${apart === 1 ? "token" : "tokens"} ${tokens < 0 ? "before" : "after"} it`;
}

function change(test: KlComparison): string {
  const p =
    test.adjusted_p_value === null
      ? ""
      : `, ${probability(test.adjusted_p_value)} for the median after correction`;
  return `the mean KL changes by ${formatSigned(test.mean_difference)} nats${between(test.interval)} over ${plural(test.problems, "problem")}${p}`;
}

function between(interval: { readonly low: number; readonly high: number } | null): string {
  return interval === null ? "" : ` (95 % ${formatNumber(interval.low)} to ${formatNumber(interval.high)})`;
}
