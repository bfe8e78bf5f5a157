/**
 * Mistakes that do not depend on the trainer: rules on the neutral form.
 *
 * @module
 */

import type { LintFinding } from "../../results/lint.ts";
import type { Bounds, Correction, Measure, Step } from "../neutral/correction.ts";
import type { Entry } from "../shared/config-entry.ts";
import type { LintContext } from "../shared/dialect.ts";
import { plainForm } from "../shared/same-effect.ts";

/** Sequences shorter than this are short enough for a product of ratios. */
const LONG = 1024;
/** Nats per token; a bf16 run of a dense model, heavy tails included (`logratio report` prints delta_std). */
const TYPICAL_SPREAD = 0.02;
/** Published bounds for a geometric mean of ratios are 0.99 to 1.01 and tighter. */
const WIDEST_MEAN = Math.log(1.1);

const LENGTHS = [
  "max_completion_length",
  "max_response_length",
  "rollout_max_response_len",
  "generate_max_len",
  "max_new_tokens",
  "max_generate_length",
  "max_total_sequence_length",
  "response_length",
];

export function neutralFindings(context: LintContext, correction: Correction): LintFinding[] {
  return [
    ...excludesAgreement(context, correction),
    ...tooWideMean(context, correction),
    ...lengthBudget(context, correction),
  ];
}

/**
 * Bounds that exclude tokens on which both policies agree: a PPO clip range, a swapped pair, a ratio instead of nats.
 */
function excludesAgreement(context: LintContext, { steps }: Correction): LintFinding[] {
  return steps.flatMap((step) => {
    if (step.action === "normalize") return [];
    const agreed = findAgreement(step);
    const { lower = -Infinity, upper = Infinity } = step;
    if (agreed >= lower && agreed <= upper) return [];
    const effect = {
      truncate: "every weight is moved away from 1",
      zero: "they lose their weight",
      mask: "they are masked",
      veto: "every sequence is masked",
    }[step.action];
    return [
      {
        severity: "error" as const,
        code: "bounds-exclude-agreement",
        ...findPlace(context, step),
        message: `the bounds ${written(step)} leave out ${agreed}, the value where both policies agree: ${effect}`,
        why: "a clip range around 0 (0.2 for 1.2), a pair in another trainer's order, or a ratio where nats are meant",
        instead: `bounds with ${agreed} between them`,
      },
    ];
  });
}

function tooWideMean(context: LintContext, { steps }: Correction): LintFinding[] {
  return steps.flatMap((step) => {
    if (!("measure" in step) || step.measure === "weight") return [];
    const { measure } = step;
    const ofTokens = measure.level === "token" || measure.aggregation !== "mean";
    // A rule about one sign of the advantage also measures the drift of updates.
    if (ofTokens || "when" in step) return [];
    const nats = logBounds(measure, step);
    if (!nats || nats.some((bound) => Number.isFinite(bound) && Math.abs(bound) < WIDEST_MEAN)) return [];
    const [lower, upper] = nats.map((bound) => Number(Math.exp(bound).toPrecision(3)));
    return [
      {
        severity: "warning" as const,
        code: "never-rejects",
        ...findPlace(context, step),
        message: `a geometric mean of ratios between ${lower} and ${upper} passes nearly every sequence`,
        why: "the mean of Δ over a sequence is a few thousandths of a nat in a healthy run; these are bounds for single tokens or products",
        source:
          "published bounds: 0.999 to 1.001 (verl), 0.99 to 1.01 (SkyRL), 0.999 to 1.002 (NeMo-RL ProRL)",
        instead: "0.99 to 1.01, or tighter; try both with logratio sweep",
      },
    ];
  });
}

/**
 * The sequence length at which the product of ratios leaves its nearest bound by chance. Bounds that cannot bind are
 * left out: a step that only makes weights finite has such a bound, at the largest float32.
 */
function lengthBudget(context: LintContext, correction: Correction): LintFinding[] {
  const { weight, steps } = plainForm(correction);
  const isProduct = weight?.level === "sequence" && weight.aggregation === "sum";
  const [nearest] = steps
    .flatMap((step) => {
      const nats = productBound(step, isProduct);
      return nats === undefined ? [] : [{ step, nats }];
    })
    .sort((a, b) => a.nats - b.nats);
  if (nearest === undefined) return [];
  const { step: bounded, nats } = nearest;
  const [length] = LENGTHS.map((name) => context.get(name)).filter(
    (entry): entry is Entry & { value: number } => typeof entry?.value === "number",
  );
  if (length && length.value < LONG) return [];
  const budget = Math.round((nats / TYPICAL_SPREAD) ** 2);
  const spread = length && Number((TYPICAL_SPREAD * Math.sqrt(length.value)).toPrecision(2));
  return [
    {
      severity: length && length.value > budget ? "warning" : "note",
      code: "token-budget",
      ...findPlace(context, bounded),
      message: length
        ? `a product of ratios over up to ${length.value} tokens (${length.key}, line ${length.line}): its log spreads by ±${spread} nats, its bound is at ${Number(nats.toPrecision(3))}`
        : `a product of ratios reaches its bound of ${Number(nats.toPrecision(3))} nats by chance at about ${budget} tokens`,
      why: `with σ = ${TYPICAL_SPREAD} nats per token and independent tokens, log ρ of a sequence of T tokens has the spread σ√T: the budget is (${Number(nats.toPrecision(3))} / ${TYPICAL_SPREAD})² = ${budget} tokens; use delta_std of logratio report for σ`,
      instead: "token weights, or rejection by the geometric mean; logratio sweep shows what each discards",
    },
  ];
}

/** How far a step lets ΣΔ of a sequence go, nats; undefined if it does not bound that. */
function productBound(step: Step, isProduct: boolean): number | undefined {
  if (step.action === "normalize") return undefined;
  const isOfWeight = step.action === "truncate" || step.measure === "weight";
  if (isOfWeight && !isProduct) return undefined;
  const measure: Measure = isOfWeight
    ? { statistic: "ratio", level: "sequence", aggregation: "sum" }
    : step.measure;
  if (measure.level !== "sequence" || measure.aggregation !== "sum") return undefined;
  const nats = logBounds(measure, step)
    ?.map(Math.abs)
    .filter((bound) => bound > 0 && bound < Infinity);
  return nats === undefined || nats.length === 0 ? undefined : Math.min(...nats);
}

/** The measure's value where Δ is 0. */
function findAgreement(step: Exclude<Step, { action: "normalize" }>): number {
  if (step.action === "truncate" || step.measure === "weight") return 1;
  return step.measure.statistic === "ratio" || step.measure.statistic === "error_ratio" ? 1 : 0;
}

/** Bounds on the scale of Δ, nats; undefined for measures that do not have the sign of Δ. */
function logBounds({ statistic }: Measure, { lower, upper }: Bounds): number[] | undefined {
  if (statistic === "k1") return [-(upper ?? Infinity), -(lower ?? -Infinity)];
  if (statistic !== "ratio") return undefined;
  return [
    lower === undefined ? -Infinity : Math.log(lower),
    upper === undefined ? Infinity : Math.log(upper),
  ];
}

function written({ lower, upper }: Bounds): string {
  return `${lower ?? "−∞"} to ${upper ?? "∞"}`;
}

/** The setting in the file that most likely holds the step's bounds. */
function findPlace(context: LintContext, step: Step): Pick<LintFinding, "key" | "line"> {
  const veto = /veto|outlier/;
  const hints =
    { truncate: /clamp|is_threshold|clip|upper/, veto }[step.action as "truncate" | "veto"] ??
    /rs_|mask|filter/;
  const bounds = [...context.found].filter(
    ([name]) =>
      /threshold|clip|bound|mask|upper|lower|ratio|filters|cap|delta/.test(name) &&
      veto.test(name) === (step.action === "veto"),
  );
  const [, entry] = bounds.find(([name]) => hints.test(name)) ?? bounds[0] ?? [];
  return context.at(entry);
}
