import { UsageError } from "../../core/base/index.ts";
import { FEWEST_SEQUENCES, FEWEST_TOKENS, isEnough } from "../../core/statistics/enough.ts";
import { plural } from "../../core/text/index.ts";
import { GATE_SCHEMA_VERSION, type GateCheck, type GateReport } from "../../results/gate.ts";
import { type Condition, parseCondition } from "../conditions/condition.ts";
import type { Results } from "../conditions/read-figure.ts";
import type { Baseline, GateLimit } from "./baseline.ts";
import { judgeCorridor } from "./judge-corridor.ts";
import { judgeLimit, judgeVerdictLimit } from "./judge-limit.ts";
import { countPrompts, DEFAULT_ALPHA } from "./learn.ts";

export interface GateOptions {
  readonly baseline?: Baseline;
  /** The name that results use: the file. */
  readonly baselineName?: string;
  /** Limits in addition to those of the baseline. */
  readonly limits?: readonly GateLimit[];
  /** Chance that a healthy run fails; default that of the baseline, else 0.01. */
  readonly alpha?: number;
  /** Whether a gate with undecidable checks passes. */
  readonly allowUndecidable?: boolean;
}

/** A run must not pass because its non-finite log-probs or losses are in no figure, or in no figure with a limit. */
const ALL_FINITE = {
  non_finite_tokens: parseCondition("non_finite_tokens <= 0"),
  non_finite_metrics: parseCondition("non_finite_metrics <= 0"),
} as const;

/** If columns cannot be compared, no figure means anything, so none may pass. */
const COMPARABLE = parseCondition("verdict != not_comparable");

/**
 * Judges a run against a baseline and limits. Pure: the same results give the same report.
 *
 * The chance alpha of a false alarm is divided equally among all corridors (Bonferroni), so it holds however the
 * figures are correlated; the same goes for limits. Limits have their own alpha, so that adding one does not move any
 * corridor.
 *
 * @throws UsageError if there is neither a baseline with checks nor a limit
 */
export function evaluateGate(results: Results, options: GateOptions): GateReport {
  const { baseline, baselineName, limits: given = [], allowUndecidable = false } = options;
  const limits = [...(baseline?.limits ?? []), ...given];
  const corridors = baseline?.checks ?? [];
  if (corridors.length + limits.length === 0)
    throw new UsageError("there is nothing to check", {
      hint: "give --limit 'delta_abs_mean <= 0.015', or a baseline with --against FILE",
    });
  const alpha = baseline?.alpha ?? options.alpha ?? DEFAULT_ALPHA;
  const tooFew = results.kind === "series" ? null : tellTooFew(results);
  const isSmall = baseline !== undefined && isSmaller(results, baseline);
  const checks = [
    ...judgeNonFinite(results, limits, alpha),
    ...(results.kind === "report" && !results.assessment.comparable.is_comparable
      ? [judgeCondition(results, COMPARABLE, alpha, null)]
      : []),
    ...limits.map((limit) => ({
      ...judgeCondition(results, limit.condition, alpha / limits.length, tooFew),
      line: limit.line ?? null,
    })),
    ...corridors.map((check) => judgeCorridor(results, check, alpha / corridors.length, { tooFew, isSmall })),
  ];
  const isFine = ({ outcome }: GateCheck): boolean =>
    outcome === "pass" || (allowUndecidable && outcome === "undecidable");
  return {
    schemaVersion: GATE_SCHEMA_VERSION,
    kind: "gate",
    run: results.kind === "series" ? (results.files[0]?.file ?? "logged metrics") : results.run,
    assessment: results.assessment,
    passed: checks.every(isFine),
    alpha,
    allow_undecidable: allowUndecidable,
    baseline:
      baseline === undefined
        ? null
        : { file: baselineName ?? null, runs: baseline.runs.length, checks: corridors.length },
    checks,
    findings: results.findings,
  };
}

function isSmaller(results: Results, { runs }: Baseline): boolean {
  const prompts = countPrompts(results);
  const known = runs.flatMap((run) => run.prompts ?? []);
  return prompts !== null && known.length > 0 && prompts < Math.min(...known) / 2;
}

function tellTooFew({ metrics }: Extract<Results, { kind: "report" }>): string | null {
  if (isEnough(metrics)) return null;
  const { tokens, sequences } = metrics;
  return `${plural(tokens, "token")} of ${plural(sequences, "sequence")}; at least ${plural(FEWEST_TOKENS, "token")} and ${plural(FEWEST_SEQUENCES, "sequence")} are needed`;
}

/** Unless a limit says how many such tokens or metrics are allowed. */
function judgeNonFinite(results: Results, limits: readonly GateLimit[], alpha: number): GateCheck[] {
  const logged = results.kind === "series" ? results : results.logged;
  const read = [
    ...(results.kind === "series" ? [] : (["non_finite_tokens"] as const)),
    ...(logged?.finite === undefined ? [] : (["non_finite_metrics"] as const)),
  ];
  return read
    .filter((group) => !limits.some(({ condition: of }) => of.kind === "figure" && of.figure.group === group))
    .map((group) => judgeCondition(results, ALL_FINITE[group], alpha, null));
}

function judgeCondition(
  results: Results,
  condition: Condition,
  alpha: number,
  tooFew: string | null,
): GateCheck {
  if (condition.kind === "figure") return judgeLimit(results, condition, alpha, tooFew);
  if (condition.kind === "verdict") return judgeVerdictLimit(results, condition, alpha);
  throw new UsageError(`${condition.text} is not a limit but the condition of an alert`, {
    hint: "use it in the rules of view --follow --alerts",
  });
}
