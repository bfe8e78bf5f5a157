/**
 * The figures of the answer: bands and bad steps of its chart, shifts, and those of every first screen.
 *
 * @module
 */
import { readBaselines, readFigure } from "../../../analyses/assessment/index.ts";
import { keyRows, LEVELS, rankSeverity, worstReadings } from "../../../render/report/index.ts";
import { levelSign } from "../../../render/terminal/index.ts";
import { displayed, formatNumber } from "../../../render/text/display/index.ts";
import type { AnswerFigure, AnswerPage } from "../../../results/answer-page.ts";
import type { Assessment } from "../../../results/assessment.ts";
import { runMetric } from "../../../results/metrics/run-metrics.ts";
import type { BaselineReading, MismatchReport, ReadingLevel } from "../../../results/report.ts";

/** If there are more bad steps than this, they have no dots of their own. */
const MOST_POINTS = 40;
const MOST_LABELS = 2;

export function zones(): AnswerPage["zones"] {
  const thresholds = readFigure("delta_abs_mean", 0)?.thresholds;
  if (thresholds === undefined) return [];
  const { elevated, high, broken } = thresholds;
  return [
    { level: "normal", from: 0 },
    { level: "elevated", from: elevated },
    { level: "high", from: high },
    { level: "broken", from: broken },
  ];
}

/** Steps whose own figures are worse than normal, in the parts of the run that are; the worst with an explanation. */
export function badSteps({ per_step, assessment }: MismatchReport): AnswerPage["points"] {
  const bad = assessment.when.segments.filter(({ level }) => isBad(level));
  const found = per_step.flatMap((figures) => {
    const { step, delta_abs_mean } = figures;
    if (step === null || !bad.some(({ from_step, to_step }) => step >= from_step && step <= to_step))
      return [];
    const worst = readBaselines(figures).reduce<BaselineReading | undefined>(
      (most, reading) =>
        isBad(reading.level) &&
        (most === undefined || LEVELS.indexOf(reading.level) > LEVELS.indexOf(most.level))
          ? reading
          : most,
      undefined,
    );
    return worst === undefined ? [] : [{ step, delta_abs_mean, worst }];
  });
  const labelled = new Set(
    found
      .toSorted((a, b) => b.delta_abs_mean - a.delta_abs_mean)
      .slice(0, found.length > MOST_POINTS ? MOST_LABELS : 1)
      .map(({ step }) => step),
  );
  return found
    .filter(({ step }) => found.length <= MOST_POINTS || labelled.has(step))
    .map(({ step, worst }) => ({
      x: step,
      label: labelled.has(step)
        ? `step ${step}: ${runMetric(worst.metric).label} ${formatNumber(worst.value)}`
        : "",
    }));
}

function isBad(level: ReadingLevel): boolean {
  return rankSeverity(level) > rankSeverity("normal");
}

export function shifts({ by_shift, shift }: Assessment["comparable"]): AnswerPage["shifts"] {
  const most = Math.max(...by_shift.map((each) => each.delta_abs_mean));
  return by_shift.map((each) => ({
    label: displayed(`${each.shift > 0 ? "+" : ""}${each.shift}`),
    value: formatNumber(each.delta_abs_mean),
    bar: each.delta_abs_mean / most,
    fits: each.shift === shift,
  }));
}

/** The figures of every first screen, with their meaning and the source of the usual range. */
export function figures(report: MismatchReport): AnswerFigure[] {
  const readings = worstReadings(report.verdict.readings);
  return keyRows(report).map(({ key, label, value, usual, level, isUnreliable }) => {
    const { caution, source = "" } = readings.get(key) ?? {};
    return {
      key,
      label,
      meaning: runMetric(key).meaning,
      value: displayed(value),
      usual,
      source: caution ?? source,
      level: isUnreliable ? null : (level as ReadingLevel),
      sign: isUnreliable ? "!" : levelSign(level, true),
    };
  });
}
