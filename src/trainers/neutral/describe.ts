/**
 * A correction in words, so that settings of different trainers can be compared.
 *
 * @module
 */
import type {
  Bounds,
  Correction,
  Level,
  Measure,
  Reject,
  Statistic,
  Step,
  Veto,
  Weight,
} from "./correction.ts";

/**
 * Describes in words what a correction does to weights and mask, so that settings of different trainers can be
 * compared.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { describeCorrection } from "logratio/corrections";
 *
 * const text = describeCorrection({
 *   weight: { level: "token", aggregation: "sum" },
 *   steps: [{ action: "truncate", upper: 2 }], // a ratio
 * });
 * assert.equal(text, "token importance weights, truncated above at 2");
 * ```
 *
 * @returns one sentence without a full stop, one clause per effect; ratios as plain numbers, bounds on Δ in nats
 */
export function describeCorrection(correction: Correction): string {
  return correctionClauses(correction).join("; ");
}

/**
 * What the correction does to weights and mask, one clause per effect in the order of its steps: "token importance
 * weights, truncated above at 2", "a sequence is masked when the geometric mean of its ratios is outside 0.999 to
 * 1.001".
 */
export function correctionClauses({ weight, steps }: Correction): string[] {
  const clauses: string[] = [];
  let shaping = weight === undefined ? "" : describeWeight(weight);
  for (const step of steps) {
    if (shaping !== "" && isOfWeight(step)) {
      shaping += `, ${describeShaping(step, weight?.level ?? "token")}`;
      continue;
    }
    if (shaping !== "") clauses.push(shaping);
    shaping = "";
    clauses.push(describeStep(step, weight));
  }
  if (shaping !== "") clauses.push(shaping);
  if (clauses.length === 0) return ["nothing: every weight is 1 and the mask stays as it is"];
  if (weight === undefined && !steps.some(({ action }) => action === "zero")) {
    clauses.unshift("no importance weights: every weight is 1");
  }
  return clauses;
}

function describeWeight({ level, aggregation, logBound, deltaBound, over }: Weight): string {
  const bounds = [
    ...(deltaBound === undefined ? [] : [`each token's Δ clamped to ±${plain(deltaBound)} nats`]),
    ...(logBound === undefined ? [] : [`log-ratio clamped to ±${plain(logBound)} nats`]),
    ...(over === undefined ? [] : ["over the tokens that remain"]),
  ];
  const aside = bounds.length === 0 ? "" : ` (${bounds.join(", ")})`;
  if (level === "token") return `token importance weights${aside}`;
  const kind = aggregation === "sum" ? "the product of its ratios" : "the geometric mean of its ratios";
  return `${level} importance weights, ${kind} on every token of a ${level}${aside}`;
}

type Shaping = Extract<Step, { action: "truncate" | "normalize" }> | Reject;

/** Steps about the weight itself continue its clause. */
function isOfWeight(step: Step): step is Shaping {
  if (step.action === "truncate" || step.action === "normalize") return true;
  return step.action === "zero" && step.measure === "weight" && step.when === undefined;
}

function describeShaping(step: Shaping, level: Level): string {
  switch (step.action) {
    case "truncate":
      return `truncated ${sides(step, "below at", "above at")}`;
    case "normalize":
      return `divided by their mean over ${step.over === "every sequence" ? "all sequences" : `${step.over}s`}`;
    default:
      return `set to 0 when ${outside(step)}${level === "token" ? "" : `, for the whole ${level}`}${asides(step)}`;
  }
}

function describeStep(step: Step, weight: Weight | undefined): string {
  switch (step.action) {
    case "truncate":
    case "normalize":
      return `weights are ${describeShaping(step, weight?.level ?? "token")}`;
    case "veto":
      return `a whole sequence is masked when any token's ${nameFigure(step.measure)} is ${outside(step)}`;
    default: {
      const rule = asRatio(step);
      const level = rule.measure === "weight" ? (weight?.level ?? "token") : rule.measure.level;
      const what = rule.measure === "weight" ? "its weight" : measured(rule.measure);
      const effect = rule.action === "mask" ? "is masked" : "keeps its mask and loses its weight";
      return `a ${level}${condition(rule, level)} ${effect} when ${what} is ${outside(rule)}${asides(rule)}`;
    }
  }
}

/** k1 is the log of the inverse ratio: its bounds are bounds on the ratio in reverse. */
function asRatio(rule: Reject): Reject {
  const { measure, lower, upper, ...rest } = rule;
  if (measure === "weight" || measure.statistic !== "k1" || measure.aggregation === "max") return rule;
  return {
    ...rest,
    measure: { ...measure, statistic: "ratio" },
    ...(upper !== undefined && { lower: Math.exp(-upper) }),
    ...(lower !== undefined && { upper: Math.exp(-lower) }),
  };
}

function condition({ when }: Reject, level: string): string {
  if (when === undefined) return "";
  const sign = when === "not positive" ? "an advantage of 0 or below" : `a ${when} advantage`;
  return level === "token" ? ` with ${sign}` : ` with ${sign} on average`;
}

function asides(step: Reject): string {
  const only =
    step.only === undefined
      ? ""
      : ", only its tokens whose update takes the two policies further apart (advantage and Δ of one sign)";
  return only + (step.nan === "kept" ? " (NaN stays)" : "");
}

function measured(measure: Measure): string {
  const { statistic, level, aggregation, deltaBound, probBound, over } = measure;
  const clamp =
    deltaBound !== undefined
      ? ` (Δ clamped to ±${plain(deltaBound)} nats)`
      : probBound !== undefined
        ? ` (probabilities clamped to ${plain(probBound)} from 0 and 1)`
        : "";
  const left = over === undefined ? "" : " over the tokens that remain";
  if (level === "token") return `its ${nameFigure(measure)}${clamp}`;
  if (statistic === "ratio" && aggregation === "sum") return `the product of its ratios${left}${clamp}`;
  if (statistic === "ratio" && aggregation === "mean")
    return `the geometric mean of its ratios${left}${clamp}`;
  const how = { sum: "the sum", mean: "the mean", max: "the largest" }[aggregation];
  return `${how} of its tokens' ${nameFigure(measure)}${left}${clamp}`;
}

const FIGURES: Readonly<Record<Statistic, string>> = {
  ratio: "ratio p_trainer / p_rollout",
  error_ratio: "exp |Δ|",
  ratio_distance: "|ratio − 1|",
  k1: "log p_rollout − log p_trainer (nats)",
  k2: "k2 = Δ²/2 (nats)",
  k3: "k3 (nats)",
  k3_reverse: "k3 with the policies swapped (nats)",
  prob_diff: "p_trainer − p_rollout",
  abs_prob_diff: "|p_trainer − p_rollout|",
  binary_kl: "binary KL(rollout ‖ trainer) (nats)",
  binary_kl_reverse: "binary KL(trainer ‖ rollout) (nats)",
};

function nameFigure({ statistic }: Measure | Veto["measure"]): string {
  return FIGURES[statistic];
}

function outside({ lower, upper }: Bounds): string {
  if (lower !== undefined && upper !== undefined) return `outside ${plain(lower)} to ${plain(upper)}`;
  return lower === undefined ? `above ${plain(upper)}` : `below ${plain(lower)}`;
}

function sides({ lower, upper }: Bounds, below: string, above: string): string {
  const parts = [
    ...(lower === undefined ? [] : [`${below} ${plain(lower)}`]),
    ...(upper === undefined ? [] : [`${above} ${plain(upper)}`]),
  ];
  return parts.join(" and ");
}

/** Bounds as people write them: `0.999`, not the `0.9990000000000001` of a logarithm and back. */
function plain(value: number | undefined): string {
  return value === undefined ? "nothing" : String(Number(value.toPrecision(6))).replace("-", "−");
}
