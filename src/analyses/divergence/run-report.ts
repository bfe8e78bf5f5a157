import {
  DIVERGENCE_SCHEMA_VERSION,
  type DivergenceMetrics,
  type DivergenceRecord,
  type DivergenceReport,
  type DivergenceSettings,
  type DivergenceStep,
} from "../../results/divergence.ts";
import type { LineOptions } from "./line.ts";
import { checkOptions } from "./options.ts";
import type { IterationResult, RunLogOptions } from "./run-log.ts";

type Counts = { -readonly [K in keyof DivergenceMetrics]: DivergenceMetrics[K] };

/** Sums the steps of a run's log; the records themselves pass through. */
export interface RunReport {
  readonly settings: DivergenceSettings;
  add(result: IterationResult): DivergenceStep;
  finish(
    rest: Pick<DivergenceReport, "run" | "records" | "outputs" | "findings" | "sources">,
  ): DivergenceReport;
}

/** @throws UsageError if an option is invalid. */
export function createRunReport(options: RunLogOptions, { lean = false }: LineOptions = {}): RunReport {
  const { threshold, topK, contextWindow, tokenizer } = checkOptions(options);
  const settings: DivergenceSettings = {
    threshold,
    top_k: topK,
    context: contextWindow,
    every: options.every ?? 1,
    lean,
    tokenizer: tokenizer?.name ?? null,
  };
  const steps: DivergenceStep[] = [];
  const metrics = noCounts();
  return {
    settings,
    add(result) {
      const step = buildStep(result);
      steps.push(step);
      const { sequences, tokens, prob_diff_max, logged, records } = step;
      metrics.sequences += sequences;
      metrics.tokens += tokens;
      metrics.steps++;
      metrics.steps_logged += Number(logged);
      metrics.records += records;
      if (prob_diff_max !== null) metrics.prob_diff_max = Math.max(metrics.prob_diff_max ?? 0, prob_diff_max);
      for (const record of result.records) addRecord(metrics, record);
      return step;
    },
    finish: (rest) => ({
      schemaVersion: DIVERGENCE_SCHEMA_VERSION,
      kind: "divergence",
      run: rest.run,
      settings,
      metrics,
      per_step: steps,
      records: rest.records,
      outputs: rest.outputs,
      findings: rest.findings,
      sources: rest.sources,
    }),
  };
}

function buildStep({
  step,
  iteration,
  sequences,
  tokens,
  maxDivergence,
  metrics,
  records,
}: IterationResult): DivergenceStep {
  return {
    step,
    iteration,
    sequences,
    tokens,
    prob_diff_max: maxDivergence,
    logged: records.length > 0,
    records: records.length,
    metrics,
  };
}

function noCounts(): Counts {
  return {
    sequences: 0,
    tokens: 0,
    steps: 0,
    steps_logged: 0,
    records: 0,
    prob_diff_max: null,
    rollout_confident_actor_rejects: 0,
    actor_confident_rollout_rejects: 0,
    large_disagreement: 0,
    records_correct: 0,
    records_incorrect: 0,
    decode_errors: 0,
    reencode_mismatches: 0,
    token_mismatches: 0,
  };
}

function addRecord(counts: Counts, record: DivergenceRecord): void {
  if (record.flip_type !== null) counts[record.flip_type]++;
  counts.records_correct += Number(record.is_correct === true);
  counts.records_incorrect += Number(record.is_correct === false);
  counts.decode_errors += Number(record.decode_error !== undefined);
  counts.reencode_mismatches += Number(record.reencodes_to_same_id === false);
  counts.token_mismatches += Number(record.tokens_match === false);
}
