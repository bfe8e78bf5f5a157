import { pearsonTest, spearmanTest } from "../../../core/statistics/correlation.ts";
import { benjaminiHochberg } from "../../../core/statistics/multiple-testing.ts";
import { plural } from "../../../core/text/index.ts";
import type { KlCorrelation } from "../../results/report.ts";
import type { TextSummary } from "../summary.ts";
import { computeMean } from "./numbers.ts";
import { countSpikes, type Problem, problemMean } from "./problems.ts";
import type { Checkpoint, KlStudy, ReportText } from "./report-input.ts";

/** With fewer problems, a correlation says nothing. */
const FEWEST_PROBLEMS = 6;

interface Column {
  readonly with: KlCorrelation["with"];
  readonly method: KlCorrelation["method"];
  readonly of: (problem: Problem) => number;
}

/**
 * A problem's mean KL, and its spikes, against other facts about it: rank correlation with its level, the length of its
 * responses and the reference's entropy; point-biserial (Pearson's with 0 and 1) with whether its text is right (the
 * share of right ones if there are several) and whether the checkpoint solves it. Benjamini and Hochberg's correction
 * over all. Columns that are constant, or known for fewer than six problems, are left out.
 */
export function correlations(study: KlStudy): KlCorrelation[] {
  const raw = study.checkpoints.flatMap((checkpoint) => ofCheckpoint(study, checkpoint));
  const adjusted = benjaminiHochberg(raw.map(({ p_value }) => p_value));
  return raw.map((one, place) => {
    const p = adjusted[place]!;
    return { ...one, adjusted_p_value: p, significant: p < study.input.settings.alpha };
  });
}

function ofCheckpoint(study: KlStudy, checkpoint: Checkpoint): KlCorrelation[] {
  const { problems, name, outcomes } = checkpoint;
  const known = (of: (text: ReportText) => number | undefined): ((problem: Problem) => number) => {
    return ({ texts }) => computeMean(texts.flatMap(({ index }) => of(study.input.texts[index]!) ?? []));
  };
  const mean = (of: (text: TextSummary) => number): ((problem: Problem) => number) => {
    return (problem) => problemMean(problem, of);
  };
  const columns: Column[] = [
    { with: "level", method: "spearman", of: known(({ level }) => level) },
    {
      with: "correctness",
      method: "point-biserial",
      of: known(({ correct }) => (correct === undefined ? undefined : Number(correct))),
    },
    {
      with: "outcome",
      method: "point-biserial",
      of: (problem) => Number(outcomes.get(problem.name) ?? Number.NaN),
    },
    { with: "response_length", method: "spearman", of: mean(({ tokens }) => tokens) },
    { with: "reference_entropy", method: "spearman", of: mean((text) => text.meanReferenceEntropy) },
  ];
  const measures = { mean_kl: mean(({ meanKl }) => meanKl), spikes: countSpikes };
  return columns.flatMap((column) => {
    const lacking = reasonAgainst(problems.map(column.of));
    if (lacking !== undefined) study.absent(`no correlation with ${column.with}: ${lacking}`, name);
    return lacking === undefined
      ? (["mean_kl", "spikes"] as const).flatMap(
          (of) => correlate(study, checkpoint, column, of, measures[of]) ?? [],
        )
      : [];
  });
}

function correlate(
  study: KlStudy,
  { problems, name }: Checkpoint,
  column: Column,
  of: KlCorrelation["of"],
  measure: (problem: Problem) => number,
): KlCorrelation | undefined {
  const known = problems.filter((problem) => Number.isFinite(column.of(problem)));
  const [xs, ys] = [known.map(column.of), known.map(measure)];
  const lacking = reasonAgainst(ys) ?? reasonAgainst(xs);
  if (lacking !== undefined) {
    study.absent(`no correlation of ${of} with ${column.with}: ${lacking}`, name);
    return undefined;
  }
  const test = column.method === "spearman" ? spearmanTest(xs, ys) : pearsonTest(xs, ys);
  const { low, high } = test.interval;
  return {
    checkpoint: name,
    with: column.with,
    of,
    method: column.method,
    problems: known.length,
    coefficient: test.statistic,
    interval: Number.isFinite(low) && Number.isFinite(high) ? { low, high } : null,
    p_value: test.pValue,
    adjusted_p_value: test.pValue,
    significant: false,
  };
}

/** The reason why values cannot be correlated with others; NaN means unknown. */
function reasonAgainst(values: readonly number[]): string | undefined {
  const known = values.filter(Number.isFinite);
  if (known.length < FEWEST_PROBLEMS)
    return `known of ${plural(known.length, "problem")}, ${FEWEST_PROBLEMS} are needed`;
  return known.every((value) => value === known[0])
    ? `all ${known.length} values are ${known[0]}`
    : undefined;
}
