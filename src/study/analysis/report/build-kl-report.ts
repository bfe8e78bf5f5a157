import { EmptyInputError } from "../../../core/base/index.ts";
import { plural } from "../../../core/text/index.ts";
import { KL_SCHEMA_VERSION, type KlMetrics, type KlReport } from "../../results/report.ts";
import { answers } from "./answers.ts";
import { attentionFigures } from "./attention.ts";
import { caseStudies } from "./cases.ts";
import { categoryFigures } from "./category-figures.ts";
import { caveats } from "./caveats.ts";
import { checkpointFigures, pairFigures } from "./checkpoint-figures.ts";
import { comparisons } from "./comparisons.ts";
import { continuationFigures } from "./continuations.ts";
import { correctnessFigures } from "./correctness.ts";
import { correlations } from "./correlations.ts";
import { firstErrorFigures } from "./first-error-tests.ts";
import { gradientFigures } from "./gradients.ts";
import { listTexts } from "./problems.ts";
import { progression } from "./progression.ts";
import {
  type Checkpoint,
  type KlReportInput,
  type KlStudy,
  lastCheckpoint,
  viewStudy,
} from "./report-input.ts";
import { largestSpikes, listAllSpikes, spikeFigures } from "./spike-figures.ts";
import { spikeDistribution, topProblems, topTokens } from "./top-lists.ts";

/**
 * The report of a study, from what was kept of its texts under each checkpoint. Pure: the same input gives the same
 * report, whatever the order of the texts, and no number in it is NaN or infinite. Anything that could not be computed
 * is null or left out, and listed in `absent`.
 *
 * `input.cases` are the texts that `chooseCases` of the same input names.
 *
 * @throws EmptyInputError where there is no checkpoint, or none has a scored text.
 */
export function buildKlReport(input: KlReportInput): KlReport {
  const study = viewStudy(input);
  if (study.checkpoints.every(({ problems }) => problems.length === 0))
    throw new EmptyInputError(
      `no text is scored: ${plural(input.texts.length, "text")}, ${plural(input.checkpoints.length, "checkpoint")}`,
      { hint: "see why scoring rejected the texts" },
    );
  const each = <T>(of: (checkpoint: Checkpoint) => T): Record<string, T> =>
    Object.fromEntries(study.checkpoints.map((checkpoint) => [checkpoint.name, of(checkpoint)]));
  const figures = each((checkpoint) => checkpointFigures(study, checkpoint));
  const categories = each((checkpoint) => categoryFigures(study, checkpoint));
  const tests = comparisons(study);
  const looked = new Map(input.cases.map((one) => [one.index, one]));
  const last = lastCheckpoint(study);
  const report = {
    schemaVersion: KL_SCHEMA_VERSION,
    kind: "kl",
    study: input.study,
    reference: input.reference,
    settings: input.settings,
    metrics: buildMetrics(study, figures[last.name]!),
    policies: input.policies,
    checkpoints: figures,
    categories,
    progression: progression(study, { figures, categories }),
    pairs: input.pairs.map(pairFigures),
    comparisons: tests,
    correlations: correlations(study),
    correctness: correctnessFigures(study),
    first_errors: firstErrorFigures(study),
    attention: attentionFigures(study),
    gradients: gradientFigures(study),
    continuations: continuationFigures(study),
    spike_distribution: each(spikeDistribution),
    top_problems: each((checkpoint) => topProblems(study, checkpoint)),
    top_tokens: topTokens(study, last),
    top_spikes: largestSpikes(study).map((spike) => {
      const found = looked.get(spike.summary.index);
      if (found === undefined)
        study.absent("the first checkpoint of a spike is unknown where its text was not read again");
      return spikeFigures(study, spike, found);
    }),
    all_spikes: input.allSpikes === true ? each(listAllSpikes) : null,
    cases: caseStudies(study, looked),
    findings: input.findings,
  } as const;
  return {
    ...report,
    answers: answers(report),
    caveats: caveats(input, report),
    absent: study.absentLines(),
  };
}

function buildMetrics(study: KlStudy, last: KlReport["checkpoints"][string]): KlMetrics {
  const { name } = lastCheckpoint(study);
  const all = study.checkpoints.flatMap(({ problems }) => listTexts(problems));
  const longest = new Map<number, number>();
  for (const { index, tokens } of all) longest.set(index, Math.max(tokens, longest.get(index) ?? 0));
  return {
    checkpoints: study.checkpoints.length,
    problems: new Set(all.map(({ problem }) => problem)).size,
    texts: longest.size,
    tokens: [...longest.values()].reduce((sum, tokens) => sum + tokens, 0),
    masked_out_tokens: study.input.maskedOutTokens,
    vocabulary_size: study.input.vocabularySize,
    last_checkpoint: name,
    mean_kl: last.mean_kl,
    std_kl: last.std_kl,
    mean_reverse_kl: last.mean_reverse_kl,
    mean_js: last.mean_js,
    mean_entropy: last.mean_entropy,
    spikes_total: last.spikes_total,
    spikes_mean: last.spikes_mean,
  };
}
