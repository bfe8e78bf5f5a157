/**
 * Columns that mean different things on the two sides: temperatures, soft-caps, filters, padding of the softmax,
 * penalties. Their Δ is a function of the policy's confidence (or of whether a token occurred before), with almost no
 * scatter and mostly one sign; a difference of policies has both signs.
 *
 * @module
 */

import { formatNumber, formatShare, formatSigned } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import type { Scale } from "../features/scale.ts";
import type { Figures, Shape } from "../features/shape.ts";
import { IDENTITY_Z, isScaled, judgeScale } from "./scaled.ts";

export interface Meaning {
  /** Log-odds that one of these explains Δ, against a difference of policies. */
  readonly logOdds: number;
  readonly clues: readonly Clue[];
}

const NONE: Meaning = { logOdds: -8, clues: [] };
const FEWEST = 30;

/** @param rest judges what a factor on the logits leaves of Δ; called where the factor alone does not explain it */
export function judgeMeaning(figures: Figures, shape: Shape, rest: (scale: Scale) => boolean): Meaning {
  const penalty = judgePenalty(figures, shape);
  if (penalty !== undefined) return { logOdds: 9, clues: [penalty] };
  const { confidence, scale, spread } = figures;
  if (scale !== null && isScaled(scale, rest, lean(shape.positive)))
    return { logOdds: 8, clues: judgeScale(figures, scale) };
  // Training makes likely tokens likelier too, but hardly scales logits.
  const isTilted = confidence.likely >= FEWEST && Math.abs(shape.slope) > 0.05;
  const oneSided = Math.max(lean(confidence.positiveShare), isTilted ? lean(confidence.likelyPositive) : 0);
  const isNoisy = shape.prefixTrainer > -0.7 || shape.prefixRollout > -0.7;
  if (confidence.decided < FEWEST || !(oneSided > 0.88) || (isNoisy && oneSided < 0.97)) return NONE;
  const { rolloutZero, trainerZero } = confidence;
  // A filter on the rollout's side removes mass from the trainer's, so that mean ρ is below 1.
  const isCut =
    Math.max(rolloutZero, trainerZero) > 0.3 &&
    !(rolloutZero >= trainerZero && spread.unitMeanZ > IDENTITY_Z);
  // Only probability mass that one side lacks gives a single sign.
  if (!isCut && (lean(shape.positive) < 0.98 || !isMassLost(figures, shape))) return NONE;
  const clues = isCut ? [judgeCut(figures)] : judgeMass(figures, shape);
  return clues.length === 0 ? NONE : { logOdds: hold(40 * (oneSided - 0.88) + 4), clues };
}

function lean(share: number): number {
  return Math.max(share, 1 - share);
}

function judgePenalty({ repeats }: Figures, shape: Shape): Clue | undefined {
  if (repeats === null || !(shape.repeats > 0.25) || Math.abs(repeats.z) < 8) return undefined;
  if (!(repeats.repeated > 0.05 && repeats.fresh < 0.02)) return undefined;
  return {
    cause: "penalty_mismatch",
    weight: hold(4 + 10 * shape.repeats),
    sentence: `Logits of tokens that occurred before (in the ${repeats.scope === "prompt" ? "prompt or the response" : "response"}) are ${formatSigned(repeats.repeated)} higher for the trainer, those of new tokens ${formatSigned(repeats.fresh)}: ${formatShare(repeats.explained)} of the variance, z ${formatNumber(repeats.z)}.`,
    figures: {
      repeated: repeats.repeated,
      fresh: repeats.fresh,
      z: repeats.z,
      explained: repeats.explained,
    },
    picture: {
      kind: "bars",
      title: "Trainer's logits minus the rollout's",
      x_label: "token",
      y_label: "mean difference of logits, nats",
      x: ["occurred before", "new"],
      series: [{ name: "difference", y: [repeats.repeated, repeats.fresh] }],
    },
  };
}

/** Exact zeros at tokens that the other side is not sure of: the filter left one token. */
function judgeCut({ confidence, spread }: Figures): Clue {
  const { rolloutZero, trainerZero } = confidence;
  const [side, zeros] = rolloutZero >= trainerZero ? ["rollout", rolloutZero] : ["trainer", trainerZero];
  return {
    cause: "truncation_renormalised",
    weight: 9,
    sentence: `${formatShare(zeros)} of the ${side} log-probs are exactly 0 where the other side's are not, and Δ has one sign at ${formatShare(Math.max(confidence.positiveShare, 1 - confidence.positiveShare))} of the tokens: a filter left only one token there and renormalized its probability (mean ρ ${formatNumber(1 + spread.unitMean)}).`,
    figures: { side: side as string, zeros: zeros as number, unit_mean: 1 + spread.unitMean },
  };
}

const FEWEST_UNLIKELY = 4;

/**
 * Scaling moves unlikely tokens in the opposite direction from likely ones, because probabilities sum to 1; mass that a
 * side has elsewhere lowers all of them.
 */
function isMassLost({ confidence }: Figures, shape: Shape): boolean {
  const { unlikely, unlikelyDelta, unlikelyExcess, likelyPositive, ratioBySureness } = confidence;
  if (unlikely >= FEWEST_UNLIKELY) {
    const opposite = likelyPositive > 0.5 ? -unlikelyDelta : unlikelyDelta;
    return opposite < 0.4 * Math.abs(Math.expm1(shape.slope)) * unlikelyExcess;
  }
  const [first] = ratioBySureness;
  return shape.bend > 1.8 || (Number.isNaN(shape.bend) && Math.abs((first ?? 1) - 1) < 0.02);
}

/**
 * Mass outside the support of one side. Padding columns have about the same mass at all tokens; what top-k cuts off
 * shrinks with the rest of the distribution as the policy becomes sure.
 */
function judgeMass({ confidence, spread }: Figures, shape: Shape): Clue[] {
  const known = confidence.ratioBySureness.filter(Number.isFinite);
  const [first, last] = [known[0] ?? 1, known[known.length - 1] ?? 1];
  // Unsure tokens lose little to a filter, because their mass is on tokens that it keeps; padding takes from them too.
  const unsureShare = Math.abs(first - 1) / (Math.abs(last - 1) + 1e-6);
  // Without a sure token that differs with the majority's sign nothing shows how the mass shrinks.
  if (Number.isNaN(confidence.lossSlope)) return [];
  const slope = (confidence.lossSlope - 0.39) / 0.04;
  const odds = slope + 1.5 * Math.log(0.05 / (unsureShare + 1e-3));
  const isLess = confidence.positiveShare < 0.5;
  const said = `Δ is ${isLess ? "below" : "above"} 0 at ${formatShare(isLess ? 1 - confidence.positiveShare : confidence.positiveShare)} of the tokens, including unlikely ones, mean ρ is ${formatNumber(1 + spread.unitMean, 4)}, and the mass that the ${isLess ? "trainer" : "rollout"} puts on other tokens follows 1 − p with an exponent of ${formatNumber(confidence.lossSlope)}`;
  const figures = {
    unit_mean: 1 + spread.unitMean,
    exponent: confidence.lossSlope,
    ratio_unsure: first,
    ratio_sure: last,
    bend: Number.isNaN(shape.bend) ? null : shape.bend,
  };
  return [
    {
      cause: "truncation_renormalised",
      weight: 6 + hold(odds),
      sentence: `${said}: a filter cuts off less as the policy becomes surer.`,
      figures,
    },
    {
      cause: "vocab_padding_in_softmax",
      weight: 6 - hold(odds),
      sentence: `${said}: padding columns keep their mass even at sure tokens.`,
      figures,
    },
  ];
}

const FEWEST_ENTROPIES = 500;

/**
 * Samples likelier, or less likely, than their own distribution implies: a filter, a temperature or a penalty that neither
 * column knows of (identity I3).
 */
export function judgeSurplus({ confidence, spread }: Figures): Clue[] {
  const { rolloutSurplus, trainerSurplus } = confidence;
  // If Δ is healthy, the trainer's entropy equals the rollout's.
  const isOwn = rolloutSurplus.tokens > 0;
  const { value, z, tokens, entropy } = isOwn ? rolloutSurplus : trainerSurplus;
  // A trainer that differs has a different entropy: by about as much as Δ.
  if (!isOwn && !(Math.abs(value) > 3 * spread.meanAbs)) return [];
  if (tokens < FEWEST_ENTROPIES || !(Math.abs(z) > 4) || !(Math.abs(value) > 0.03 * entropy)) return [];
  if (!(spread.meanAbs < 0.1 * entropy)) return [];
  const said = `Mean surprisal of the sampled tokens is ${formatNumber(entropy + value)} nats and the mean entropy there ${formatNumber(entropy)} (z ${formatNumber(z)})`;
  const figures = { surprisal: entropy + value, entropy, z };
  const weight = hold(2 * (Math.abs(z) - 4));
  if (z < 0)
    return [
      {
        cause: "truncation_unlogged",
        weight,
        sentence: `${said}: unlikely tokens were not sampled, and neither column shows it.`,
        figures,
      },
      {
        cause: "temperature_mismatch",
        weight: weight - 2,
        sentence: `${said}: the samples may be of a temperature below 1 that neither column has.`,
        figures,
      },
    ];
  return [
    {
      cause: "temperature_mismatch",
      weight,
      sentence: `${said}: the samples are of a higher temperature than both columns.`,
      figures,
    },
    {
      cause: "penalty_mismatch",
      weight: weight - 0.5,
      sentence: `${said}: a penalty that neither column has makes likely tokens rarer.`,
      figures,
    },
  ];
}
