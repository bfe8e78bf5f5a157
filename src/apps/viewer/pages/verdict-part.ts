import {
  failedTests,
  type KeyFigure,
  keyFigures,
  leftOutLines,
  noInterval,
  SECTION_TITLES,
  standoutTexts,
  verdictWord,
  withoutGradient,
} from "../../../render/report/index.ts";
import { displayed } from "../../../render/text/display/index.ts";
import { printable } from "../../../render/text/index.ts";
import type { MismatchReport, PageKeyFigure, PageRow, ReportPage } from "../../../results/index.ts";

const MOST_FACTS = 5;

/** The verdict, why, and what to do next: all that a reader with ten seconds needs. */
export function verdictPart(report: MismatchReport): ReportPage["verdict"] {
  const { verdict, next } = report;
  const figures = keyFigures(report);
  const shown = (texts: readonly string[]): string[] => texts.map((text) => displayed(printable(text)));
  const note = withoutGradient(report);
  return {
    level: verdict.level,
    word: verdictWord(verdict),
    headline: displayed(printable(verdict.headline)),
    failed: { title: SECTION_TITLES.failedTests, items: shown(failedTests(report)) },
    figures: {
      title: SECTION_TITLES.keyFigures,
      rows: figures.map(figureRow),
      raw: figures.map((figure) => exportRow(report, figure)),
    },
    facts: { title: SECTION_TITLES.standouts, items: shown(standoutTexts(report, MOST_FACTS)) },
    note: note === undefined ? null : `${note}.`,
    leftOut: { title: SECTION_TITLES.leftOut, items: leftOutLines(report).map(printable) },
    next:
      next.command === ""
        ? null
        : { title: SECTION_TITLES.next, command: next.command, why: printable(next.why) },
  };
}

function figureRow(figure: KeyFigure): PageKeyFigure {
  const { label, meaning, value, interval, reading } = figure;
  return {
    label,
    meaning,
    value: displayed(value),
    interval: interval === undefined ? null : displayed(`${interval.low} – ${interval.high}`),
    no_interval: displayed(noInterval(figure)),
    baseline:
      reading === undefined
        ? null
        : {
            level: reading.caution === undefined ? reading.level : null,
            text: displayed(printable(reading.caution ?? reading.band)),
            source: reading.source,
          },
  };
}

function exportRow({ metrics, intervals }: MismatchReport, { key, meaning, reading }: KeyFigure): PageRow {
  const { low = null, high = null, reason = null } = intervals[key] ?? {};
  return {
    figure: key,
    value: (metrics as unknown as Readonly<Record<string, number | null>>)[key] ?? reading?.value ?? null,
    low,
    high,
    no_interval: reason,
    meaning,
    level: reading?.level ?? null,
    baseline: reading?.band ?? null,
    source: reading?.source ?? null,
  };
}
