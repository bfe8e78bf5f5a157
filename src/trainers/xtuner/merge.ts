/**
 * xtuner's metrics over all packs of all ranks: merged like `merge_rollout_is_metrics` (xtuner/v1/rl/rollout_is.py @
 * b934f462), and pooled.
 *
 * @module
 */
import { emptySums, mergeSums, mismatchSums, sumsLayout } from "../../core/kernels/index.ts";
import { MismatchSummary } from "../../core/summaries/index.ts";
import type { Figures } from "../shared/masked-figures.ts";
import { type Discrepancy, findDiscrepancies, type Metrics } from "../shared/parity-trainer.ts";
import type { BatchMetrics } from "../shared/preset.ts";
import {
  addToXtunerSums,
  emptyXtunerSums,
  type XtunerSums,
  xtunerPackMetrics,
} from "./correction-metrics.ts";
import { mergeXtunerMetrics, xtunerParity as parity } from "./mismatch-metrics.ts";
import { XTUNER_BOUND, type XtunerPlan } from "./settings.ts";

/** One step of xtuner: its packs separately, then merged like `merge_rollout_is_metrics`. */
export function xtunerStepMetrics(plan: XtunerPlan | undefined): Required<BatchMetrics> {
  const summary = new MismatchSummary({ detail: "slice" });
  const sums = emptyXtunerSums();
  const packs = new Map<string, { readonly metrics: BatchMetrics; readonly sums: Float64Array }>();
  const finish = (): Metrics =>
    mergeXtunerMetrics([...packs.values()].map(({ metrics }) => metrics.finish()));
  return {
    add(block, applied, name = "") {
      const pack = packs.get(name) ?? { metrics: xtunerPackMetrics(plan), sums: emptySums() };
      packs.set(name, pack);
      pack.metrics.add(block, applied);
      const { rows } = mismatchSums(block, { turns: false });
      for (let at = 0; at < rows.length; at += sumsLayout.FIELDS) mergeSums(pack.sums, rows, at);
      summary.merge(MismatchSummary.of(block, { detail: "slice" }));
      if (plan) addToXtunerSums(sums, plan, block, applied);
    },
    finish,
    discrepancies() {
      const logged = finish();
      const batch = { summary, packs: [...packs.values()].map((pack) => pack.sums) };
      return [
        ...parity.discrepancies(batch, logged),
        ...(plan ? importanceDiscrepancies(sums, plan, packs.size, logged) : []),
      ];
    },
  };
}

const OF_MEANS = "mean of pack means: a short pack weighs as much as a long one";
const OF_ROWS = "mean of pack means: a pack of few sequences weighs as much as one of many";
const OF_SPREADS =
  "mean of the packs' own values: the spread of all sequences or tokens is not the mean of the packs' spreads";
const OF_EMPTY = "a sequence without a token of its own counts, with ratio 1";
const OF_EPSILON = "xtuner divides by the number of tokens + 1e-8";

const REASONS: Readonly<Record<string, { readonly merged?: string; readonly empty?: true }>> = {
  rollout_is_veto_fraction: { merged: OF_ROWS },
  rollout_is_max: { empty: true },
  rollout_is_min: { empty: true },
  rollout_is_std: { merged: OF_SPREADS },
  rollout_is_eff_sample_size: { merged: OF_SPREADS },
  rollout_is_seq_mean: { merged: OF_ROWS },
  rollout_is_seq_std: { merged: OF_SPREADS },
  rollout_is_seq_max: {},
  rollout_is_seq_min: {},
  rollout_is_seq_max_deviation: {},
  rollout_is_seq_fraction_high: { merged: OF_ROWS },
  rollout_is_seq_fraction_low: { merged: OF_ROWS },
  rollout_is_seq_masked_fraction: { merged: OF_ROWS, empty: true },
};

function importanceDiscrepancies(
  sums: XtunerSums,
  plan: XtunerPlan,
  packs: number,
  logged: Metrics,
): Discrepancy[] {
  const rows = Object.entries(pooledFigures(sums, plan)).map(([key, correct]) => {
    const ofRatios = plan.level === "sequence" && key.startsWith("rollout_is_ratio_fraction");
    const { merged = undefined, empty = undefined } =
      REASONS[key] ?? (ofRatios ? { merged: OF_ROWS, empty: true } : { merged: OF_MEANS });
    const reasons = [
      ...(packs > 1 && merged ? [merged] : []),
      ...(sums.empty > 0 && empty && plan.level !== "token" ? [OF_EMPTY] : []),
    ];
    return [`mismatch/${key}`, correct, reasons.join("; ") || OF_EPSILON] as const;
  });
  return findDiscrepancies(logged, rows);
}

/** xtuner's figures without its epsilon, its sequences without tokens, and its packs. */
function pooledFigures(sums: XtunerSums, { level, mode }: XtunerPlan): Figures {
  const { tokens, clamped, rows, deviations, logs, above, below, masked, vetoed } = sums;
  const { count } = tokens;
  const squares = clamped.m2 + clamped.count * clamped.mean ** 2;
  const [high, low] =
    level === "sequence"
      ? [above.logs / rows.count, below.logs / rows.count]
      : [above.tokens / count, below.tokens / count];
  return {
    rollout_is_veto_fraction: vetoed.rows / rows.count,
    rollout_is_catastrophic_token_fraction: vetoed.tokens / count,
    rollout_is_mean: tokens.mean,
    rollout_is_max: level === "token" ? tokens.max : Math.exp(Math.min(logs.max, XTUNER_BOUND)),
    rollout_is_min: level === "token" ? tokens.min : Math.exp(logs.min),
    rollout_is_ratio_fraction_high: high!,
    rollout_is_ratio_fraction_low: low!,
    rollout_is_std: Math.sqrt(clamped.variance()),
    rollout_is_eff_sample_size: (clamped.count * clamped.mean ** 2) / squares,
    rollout_is_seq_mean: rows.mean,
    rollout_is_seq_std: Math.sqrt(rows.variance(1)),
    rollout_is_seq_max: rows.max,
    rollout_is_seq_min: rows.min,
    rollout_is_seq_max_deviation: deviations.max,
    rollout_is_seq_fraction_high: above.rows / rows.count,
    rollout_is_seq_fraction_low: below.rows / rows.count,
    ...(mode !== "truncate" && {
      rollout_is_masked_fraction: masked.tokens / count,
      rollout_is_seq_masked_fraction: masked.rows / rows.count,
    }),
  };
}
