import { studentQuantile } from "../../core/statistics/mean-bound.ts";
import { formatNumber, plural } from "../../core/text/index.ts";
import type { GateCheck, GateOutcome } from "../../results/gate.ts";
import type { FigureCondition, VerdictCondition } from "../conditions/condition.ts";
import { findScale } from "../conditions/figure-name.ts";
import { judgeInterval, judgeVerdict } from "../conditions/judge.ts";
import { type Reading, type Results, readFigures } from "../conditions/read-figure.ts";
import { isAmount } from "../conditions/vocabulary.ts";
import { fromScale, isTurned, toScale } from "./scales.ts";

interface LimitResult {
  readonly reading: Reading;
  readonly interval: { readonly low: number; readonly high: number } | null;
  readonly outcome: GateOutcome;
}

/** Worst first: for several steps, the check shows the worst. */
const CONCERN: readonly GateOutcome[] = ["non_finite", "fail", "undecidable", "pass"];

/**
 * A limit on a figure. With an interval, it holds if the whole interval meets it, at a confidence of 1 − alpha: two
 * one-sided tests at alpha/2 each, as in `compare`.
 */
export function judgeLimit(
  results: Results,
  condition: FigureCondition,
  alpha: number,
  tooFew: string | null,
): GateCheck {
  const { figure, text } = condition;
  const check = (outcome: GateOutcome, reason: string, shown?: LimitResult): GateCheck => ({
    metric: figure.text,
    kind: "limit",
    step: shown?.reading.step ?? figure.step,
    value: shown?.reading.value ?? null,
    interval: shown?.interval ?? null,
    corridor: limitCorridor(condition),
    alpha,
    condition: text,
    outcome,
    reason,
    line: null,
  });
  const found = readFigures(results, figure);
  if ("missing" in found) return check("missing", found.missing);
  const judged = found.readings.map((reading) => judgeReading(reading, condition, alpha));
  const worst = judged.reduce((a, b) => (isWorse(b, a, condition) ? b : a));
  if (figure.group === "non_finite_tokens" || figure.group === "non_finite_metrics")
    return check(...nameNonFinite(worst, condition.bound, figure.group), worst);
  if (tooFew !== null && worst.outcome !== "non_finite" && !isAmount(figure.key) && isOfDumps(figure.group))
    return check("too_few", tooFew, worst);
  return check(worst.outcome, tellReason(judged, worst, condition), worst);
}

const isOfDumps = (group: FigureCondition["figure"]["group"]): boolean =>
  group !== "logged" && group !== "excluded";

function limitCorridor({ operator, bound }: FigureCondition): GateCheck["corridor"] {
  if (operator === "==") return { low: bound, high: bound };
  if (operator === "!=") return { low: null, high: null };
  return operator.startsWith("<") ? { low: null, high: bound } : { low: bound, high: null };
}

function judgeReading(
  reading: Reading,
  { figure, operator, bound }: FigureCondition,
  alpha: number,
): LimitResult {
  if (!Number.isFinite(reading.value)) return { reading, interval: null, outcome: "non_finite" };
  const interval =
    reading.interval === null
      ? null
      : rescaleInterval(reading.value, reading.interval, findScale(figure), alpha);
  const outcome = { holds: "pass", fails: "fail", open: "undecidable" } as const;
  return { reading, interval, outcome: outcome[judgeInterval(reading.value, interval, operator, bound)] };
}

/**
 * Converts a 95 % interval to another confidence: scaled by the ratio of Student's quantiles, on the figure's scale.
 */
export function rescaleInterval(
  value: number,
  { low, high, clusters }: NonNullable<Reading["interval"]>,
  scale: Parameters<typeof toScale>[0],
  alpha: number,
): { low: number; high: number } {
  const freedom = Math.max(1, clusters - 1);
  const factor = studentQuantile(alpha / 2, freedom) / studentQuantile(0.025, freedom);
  const center = toScale(scale, value);
  const move = (end: number): number => fromScale(scale, center + factor * (toScale(scale, end) - center));
  const ends = [move(low), move(high)] as const;
  if (!ends.every(Number.isFinite)) return { low, high };
  return isTurned(scale) && ends[0] > ends[1]
    ? { low: ends[1], high: ends[0] }
    : { low: ends[0], high: ends[1] };
}

function isWorse(a: LimitResult, b: LimitResult, { operator }: FigureCondition): boolean {
  const [place, other] = [CONCERN.indexOf(a.outcome), CONCERN.indexOf(b.outcome)];
  if (place !== other) return place < other;
  if (operator.startsWith(">")) return a.reading.value < b.reading.value;
  return a.reading.value > b.reading.value;
}

function nameNonFinite(
  { reading, outcome }: LimitResult,
  bound: number,
  group: "non_finite_tokens" | "non_finite_metrics",
): [GateOutcome, string] {
  const what =
    group === "non_finite_tokens"
      ? `${plural(reading.value, "token")} with mask 1 without two finite log-probs`
      : `${plural(reading.value, "logged metric")} with NaN or infinite values`;
  return outcome === "pass"
    ? ["pass", what]
    : ["non_finite", `${what}, at most ${formatNumber(bound)} allowed`];
}

function tellReason(
  judged: readonly LimitResult[],
  worst: LimitResult,
  { operator, bound }: FigureCondition,
): string {
  const { reading, interval, outcome } = worst;
  const where = reading.step === null ? "" : `step ${reading.step}`;
  const same = judged.filter((one) => one.outcome === outcome).length;
  const of = judged.length === 1 ? "" : `${plural(same, "step")} of ${judged.length}`;
  const steps = [of, where].filter((part) => part !== "").join(", worst ");
  const lead = steps === "" ? "" : `${steps}: `;
  if (outcome === "non_finite") return `${lead}not finite`;
  const limit = `${operator} ${formatNumber(bound)}`;
  const withheld =
    reading.withheld === null ? "" : `; the report withholds the interval: ${reading.withheld}`;
  if (outcome === "undecidable")
    return `${lead}the interval has values on both sides of ${formatNumber(bound)}${withheld}`;
  const all = interval === null ? "" : ", with its whole interval";
  if (outcome === "fail") return `${lead}not ${limit}${all}${withheld}`;
  const every = judged.length > 1 ? `all ${plural(judged.length, "step")}: ` : lead;
  return `${every}${limit}${all}${withheld}`;
}

/** A limit on the verdict's level. */
export function judgeVerdictLimit(results: Results, condition: VerdictCondition, alpha: number): GateCheck {
  const base = {
    metric: "verdict",
    kind: "limit",
    step: null,
    value: null,
    interval: null,
    corridor: null,
    alpha,
    condition: condition.text,
    line: null,
  } as const;
  if (results.kind === "series")
    return { ...base, outcome: "missing", reason: "logged metrics only: no dumps were read" };
  const { level, level_range: range, headline } = results.verdict;
  if (level === "too_few") return { ...base, outcome: "too_few", reason: headline };
  const outcome = { holds: "pass", fails: "fail", open: "undecidable" } as const;
  const shown = range[0] === range[1] ? range[0] : `${range[0]}, and may be ${range[1]}`;
  return {
    ...base,
    outcome: outcome[judgeVerdict(results.verdict, condition)],
    reason: `the verdict is ${shown}`,
  };
}
