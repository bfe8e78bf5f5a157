import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { Assessment } from "../../results/assessment.ts";
import type { SourceSummary } from "../../results/report.ts";
import { SWEEP_SCHEMA_VERSION, type SweepCorrection, type SweepReport } from "../../results/sweep.ts";
import { needsAdvantages } from "../../trainers/neutral/index.ts";
import type { Preset } from "../../trainers/shared/index.ts";
import { writeConfigs } from "./configs.ts";
import { correctionFigures, sweepMetrics } from "./figures.ts";
import type { NamedCorrection } from "./named-correction.ts";
import { paretoFront } from "./pareto.ts";
import { recommend } from "./recommend.ts";
import type { Sweep } from "./sweep.ts";

export interface SweepInput {
  readonly run: string;
  readonly sweep: Sweep;
  /** For the configs of the chosen correction. */
  readonly presets: readonly Preset[];
  /** The name of the correction to print; default the recommended one. */
  readonly choose?: string;
  /** The answer about the same run; null if it was not requested. */
  readonly assessment?: Assessment | null;
  readonly findings: readonly Finding[];
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
}

/**
 * Turns a filled sweep into its report: figures, front, recommendation, configs. Pure.
 *
 * @throws EmptyInputError if no token could be compared.
 * @throws UsageError if the chosen correction could not be evaluated on this data.
 */
export function buildSweep({
  run,
  sweep,
  presets,
  choose,
  assessment = null,
  findings,
  sources,
}: SweepInput): SweepReport {
  const { totals } = sweep;
  if (totals.tokens === 0) {
    throw new EmptyInputError("nothing to weigh: no token has mask 1 and a finite log-prob on both sides", {
      likely: "the wrong columns were read, or the mask is inverted",
      hint: "logratio report --explain shows how each column was read",
    });
  }
  const isUnknown = ({ correction }: NamedCorrection): boolean =>
    !sweep.hasAdvantages && needsAdvantages(correction);
  const known = sweep.corrections.flatMap((named, index) => (isUnknown(named) ? [] : [{ named, index }]));
  const figures = known.map(({ index }) => correctionFigures(sweep, index));
  const front = paretoFront(
    figures,
    known.map(({ named }) => named),
  );
  const corrections = figures.map(
    (figure): SweepCorrection => ({ ...figure, on_front: front.includes(figure.name) }),
  );
  const metrics = { ...sweepMetrics(sweep, front.length), corrections: corrections.length };
  const recommendation = recommend(corrections, metrics);
  const chosen = choose === undefined ? recommendation.name : findCorrection(sweep.corrections, choose).name;
  const { correction } = sweep.corrections.find(({ name }) => name === chosen)!;
  if (!corrections.some(({ name }) => name === chosen))
    throw new UsageError(`--choose ${chosen} needs advantages, but the input has none`);
  return {
    schemaVersion: SWEEP_SCHEMA_VERSION,
    kind: "sweep",
    run,
    assessment,
    metrics,
    corrections,
    skipped_corrections: sweep.corrections
      .filter(isUnknown)
      .map(({ name }) => ({ name, why: "needs advantages, and the input has none" })),
    absent: absentFigures(sweep),
    front,
    recommendation,
    chosen,
    ...writeConfigs(correction, presets),
    excluded: { ...totals.excluded },
    findings,
    sources: sources.map((source) => ({
      ...source,
      sequences: sweep.sequencesByFile.get(source.file) ?? 0,
    })),
  };
}

/**
 * The correction with this name; accepts a hyphen for the dash of a range, and any white space for any other.
 *
 * @throws UsageError if there is none.
 */
export function findCorrection(corrections: readonly NamedCorrection[], name: string): NamedCorrection {
  const plain = (text: string): string => text.replace(/[–—−]/g, "-").replace(/\s+/g, "").toLowerCase();
  const found = corrections.find((each) => plain(each.name) === plain(name));
  if (found) return found;
  const method = plain(name).replace(/[\d.].*$/, "");
  const near = corrections.filter((each) => plain(each.name).startsWith(method)).slice(0, 8);
  throw new UsageError(`unknown correction "${name}"`, {
    hint: `for instance: ${(near.length > 0 ? near : corrections.slice(0, 8)).map((each) => each.name).join(", ")}`,
  });
}

function absentFigures({ totals, groups, hasAdvantages }: Sweep): string[] {
  return [
    ...(totals.rewards.count === 0 ? ["no rewards: the reward of the dropped part is unknown"] : []),
    ...(totals.correctness.count === 0
      ? ["no correctness: the accuracy of the dropped part is unknown"]
      : []),
    ...(hasAdvantages
      ? []
      : ["no advantages: shares by sign are unknown, and corrections that need them are skipped"]),
    ...(groups.groups === 0 ? ["no group ids: groups without survivors cannot be counted"] : []),
  ];
}
