/**
 * Reports as the page shows them.
 *
 * @module
 */
import { checkHealth } from "../../../analyses/health/index.ts";
import { resultJson } from "../../../core/base/index.ts";
import { buildDigitsDocument, exampleHandles } from "../../../render/digits/index.ts";
import { buildDoctorDocument } from "../../../render/doctor/index.ts";
import { buildHealthDocument } from "../../../render/health/index.ts";
import { type PageDocument, pageDocument } from "../../../render/page/index.ts";
import { buildReportDocument } from "../../../render/report/index.ts";
import type { AnswerPage } from "../../../results/answer-page.ts";
import type { DigitsReport } from "../../../results/digits.ts";
import type { DoctorReport } from "../../../results/doctor.ts";
import type { MismatchReport } from "../../../results/report.ts";
import type { TopTokens } from "../../../results/view.ts";
import { decodeTable, type SequenceTable, takeTableRows } from "../../../results/wire/table.ts";
import { buildKlDocument } from "../../../study/render/index.ts";
import type { KlReport } from "../../../study/results/report.ts";
import type { PreparedStudy } from "../kl/prepared-study.ts";
import type { PreparedRun } from "../prepare/cache/prepared-run.ts";
import { answerFile } from "./answer-file.ts";
import { answerMistakes } from "./answer-mistakes.ts";
import { answerNow, answerPage } from "./answer-page.ts";
import { groupPage } from "./group-page.ts";
import { HEALTH_LINKS } from "./health-links.ts";
import { moveFromRow, moveInStudy } from "./moves.ts";
import { storyPage, withoutNotes } from "./story-page.ts";
import { findTokens } from "./token-contexts.ts";

export { answerFile, groupPage, storyPage, withoutNotes };

/** Computed once per open run: its answers never change. */
function once<Of extends object>(
  make: (of: Of) => Promise<unknown>,
): (of: Of) => Promise<Uint8Array | undefined> {
  const made = new WeakMap<Of, Promise<Uint8Array | undefined>>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const making = make(of).then((page) =>
      page === undefined ? undefined : Buffer.from(JSON.stringify(page)),
    );
    made.set(of, making);
    making.catch(() => made.delete(of));
    return making;
  };
}

function parsed<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

/** JSON of an `AnswerPage`. */
export const answerTables = once((run: PreparedRun) =>
  ofRun(run, async (report, top) => {
    const page = await makeAnswer(report, top, run);
    return run.info.status === "reading" ? answerNow(page, report) : page;
  }),
);

/** The same for some steps, both included; undefined if they have no tokens. */
export function buildAnswerTables(run: PreparedRun, steps: Steps): Promise<Uint8Array | undefined> {
  return ofSteps(run, steps, makeAnswer);
}

async function makeAnswer(report: MismatchReport, top: TopTokens, run: PreparedRun): Promise<AnswerPage> {
  return answerPage(report, run.info.input, await answerMistakes(run, report, top));
}

/** JSON of a `PageDocument`. */
export const reportTables = once((run: PreparedRun) => ofRun(run, makeReport));

/** The same for some steps, both included; undefined if they have no tokens. */
export function buildReportTables(run: PreparedRun, steps: Steps): Promise<Uint8Array | undefined> {
  return ofSteps(run, steps, makeReport);
}

/**
 * The page itself draws charts over the steps, so that steps can be selected in them. The next commands are its tabs
 * Cause and Correction.
 */
function makeReport(report: MismatchReport, top: TopTokens): PageDocument {
  const document = buildReportDocument(report, undefined, { top, link: moveFromRow });
  return pageDocument({
    ...document,
    lead: [],
    aside: (document.aside ?? []).filter(({ kind }) => kind !== "command"),
    sections: document.sections.filter(({ id }) => id !== "over-steps"),
  });
}

type Steps = readonly [from: number, to: number];
/** A page built from the report and the most divergent tokens. */
type MakePage<Page> = (report: MismatchReport, top: TopTokens, run: PreparedRun) => Page | Promise<Page>;

async function ofRun<Page>(run: PreparedRun, make: MakePage<Page>): Promise<Page> {
  return make(
    parsed<MismatchReport>(await run.answer("report")),
    parsed<TopTokens>(await run.answer("tokens")),
    run,
  );
}

async function ofSteps<Page>(
  run: PreparedRun,
  steps: Steps,
  make: MakePage<Page>,
): Promise<Uint8Array | undefined> {
  const found = await run.reportOf(steps);
  if (found === undefined) return undefined;
  // As JSON has them: missing values are null.
  const { report, top } = JSON.parse(resultJson(found)) as { report: MismatchReport; top: TopTokens };
  return Buffer.from(JSON.stringify(await make(report, top, run)));
}

/** JSON of a `PageDocument`; undefined if there are no digits. */
export const digitsTables = once(async (run: PreparedRun) => {
  const bytes = await run.digits();
  if (bytes === undefined) return undefined;
  const report = parsed<DigitsReport>(bytes);
  return pageDocument(buildDigitsDocument(report, await findTokens(run, exampleHandles(report))));
});

/** JSON of a `PageDocument`. */
export const doctorTables = once(async (run: PreparedRun) =>
  pageDocument(buildDoctorDocument(parsed<DoctorReport>(await run.answer("doctor")), run.info.input)),
);

/** JSON of a `PageDocument`. */
export const healthTables = once(async (run: PreparedRun) =>
  healthDocument(
    decodeTable(await run.answer("sequences")),
    parsed<MismatchReport>(await run.answer("report")),
  ),
);

/** The same for some steps, both included; undefined if they have no tokens. */
export async function buildHealthTables(
  run: PreparedRun,
  [from, to]: readonly [from: number, to: number],
): Promise<Uint8Array | undefined> {
  const found = await run.reportOf([from, to]);
  if (found === undefined) return undefined;
  const table = decodeTable(await run.answer("sequences"));
  const { step } = table.columns;
  const chosen = takeTableRows(table, (row) => step[row]! >= from && step[row]! <= to);
  return Buffer.from(JSON.stringify(healthDocument(chosen, found.report)));
}

/** @param report over the same sequences */
function healthDocument(table: SequenceTable, { run, per_staleness }: MismatchReport): PageDocument {
  return pageDocument(buildHealthDocument(run, checkHealth(table, per_staleness), HEALTH_LINKS));
}

/** JSON of a `PageDocument`. */
export const studyTables = once(async (study: PreparedStudy) =>
  pageDocument(buildKlDocument(parsed<KlReport>(await study.answer("study")), undefined, moveInStudy)),
);
