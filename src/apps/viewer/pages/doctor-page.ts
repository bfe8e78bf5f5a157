/**
 * The page of a diagnosis, that of `logratio doctor`.
 *
 * @module
 */

import {
  causeTitle,
  chanceLevel,
  evidenceChart,
  firstCauses,
  fixPlace,
  legSentence,
  legTable,
  otherTables,
  outcomeTable,
  splitEvidence,
  splitSteps,
  weighed,
} from "../../../render/doctor/index.ts";
import { verdictWord } from "../../../render/report/index.ts";
import { formatChance, printable } from "../../../render/text/index.ts";
import type {
  DoctorCause,
  DoctorPage,
  DoctorPageCause,
  DoctorReport,
  EvidencePicture,
  PagePicture,
  PageRow,
  PageSection,
} from "../../../results/index.ts";
import { pageTable } from "./page-table.ts";
import { flatRows, shownRows } from "./rows.ts";

/** Places that are shown; `logratio doctor --json` has them all. */
const MOST_HANDLES = 8;

export function doctorPage(report: DoctorReport): DoctorPage {
  const { assessment, next_experiment: next, causes } = report;
  return {
    level: assessment.level,
    word: verdictWord(assessment),
    sentence: printable(assessment.sentence),
    causes: firstCauses(report).map(causePart),
    next: next && {
      title: printable(next.title),
      steps: splitSteps(next).map(({ text, isCommand }) => ({ text: printable(text), isCommand })),
      table: wholeTable(outcomeTable(next, causes)),
    },
    sections: [
      ...legSection(report),
      ...otherTables(report).map(
        (table): PageSection => ({ title: table.title, tables: [wholeTable(table)] }),
      ),
    ],
  };
}

function wholeTable(table: Parameters<typeof pageTable>[0]): ReturnType<typeof pageTable> {
  return pageTable(table, { raw: shownRows(table), priority: 9 });
}

function causePart(cause: DoctorCause): DoctorPageCause {
  const parts = splitEvidence(cause);
  const pictures = parts.flatMap(({ evidence }) => evidence.flatMap(({ picture }) => picture ?? []));
  return {
    chance: formatChance(cause.probability),
    level: chanceLevel(cause),
    title: printable(causeTitle(cause)),
    description: printable(cause.description),
    evidence: parts.map(({ title, evidence }) => ({
      title,
      items: evidence.map((each) => printable(weighed(each))),
    })),
    pictures: pictures.map((picture, at) => drawn(picture, `${cause.id}-${at + 1}`)),
    handles: cause.handles.slice(0, MOST_HANDLES),
    fixes: cause.fix.map((fix) => ({
      place: fixPlace(fix),
      line: fix.line.split("\n").map(printable).join("\n"),
      note: printable(fix.note),
    })),
  };
}

function drawn(picture: EvidencePicture, id: string): PagePicture {
  return { id, svg: evidenceChart(picture), raw: pictureRows(picture) };
}

/** The picture's numbers, a row for each x. */
function pictureRows({ x, x_label, series }: EvidencePicture): PageRow[] {
  return x.map((at, index) => ({
    [x_label]: at,
    ...Object.fromEntries(series.map(({ name, y }) => [name, y[index] ?? null])),
  }));
}

function legSection(report: DoctorReport): PageSection[] {
  const sentence = legSentence(report);
  if (sentence === undefined) return [];
  const table = pageTable(legTable(report), { raw: flatRows(report.legs), priority: 9 });
  return [{ title: "Three columns", lines: [["legs", sentence]], tables: [table] }];
}
