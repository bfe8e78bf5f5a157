import type { Diagnosis } from "../../results/diagnosis.ts";
import { DOCTOR_SCHEMA_VERSION, type DoctorReport } from "../../results/doctor.ts";
import type { MismatchReport } from "../../results/report.ts";
import { fillPaths } from "../doctor/fill-paths.ts";
import { buildReport, buildReportBeside, type ReportInput } from "../report/build-report.ts";
import type { GatheredPlaces, PlaceChances } from "../report/standouts/index.ts";
import type { RunEvidence } from "./run-evidence.ts";

/** The answer about a run: the report, whose `assessment` is the answer, and the full diagnosis behind it. */
export interface Answer {
  readonly report: MismatchReport;
  readonly diagnosis: Diagnosis;
}

export interface AnswerInput extends Omit<ReportInput, "summary" | "diagnosis"> {
  readonly evidence: RunEvidence;
  /** The trainer whose flags the fixes name first; default the trainer that wrote the files. */
  readonly trainer?: string | undefined;
}

/** Answers for a run. Pure; the same evidence gives the same answer. */
export function answerRun(input: AnswerInput): Answer {
  const { reported, diagnosis } = prepare(input);
  return { report: buildReport(reported), diagnosis };
}

/** Like {@link answerRun}, with another thread testing turns and tenths of responses: see `buildReportBeside`. */
export async function answerRunBeside(
  input: AnswerInput,
  testApart: (places: GatheredPlaces) => Promise<PlaceChances> | undefined,
): Promise<Answer> {
  const { reported, diagnosis } = prepare(input);
  return { report: await buildReportBeside(reported, { testApart }), diagnosis };
}

function prepare({ evidence, trainer, ...input }: AnswerInput): {
  readonly reported: ReportInput;
  readonly diagnosis: Diagnosis;
} {
  const { findings, sources } = input;
  const found = evidence.doctor.diagnose({ findings, ...(trainer !== undefined && { trainer }) });
  const diagnosis = fillPaths(found, sources);
  return { reported: { ...input, summary: evidence.summary, diagnosis }, diagnosis };
}

/** What `logratio doctor --json` prints. */
export function makeDoctorReport({ report, diagnosis }: Answer): DoctorReport {
  const { run, assessment, findings, sources } = report;
  return {
    schemaVersion: DOCTOR_SCHEMA_VERSION,
    run,
    ...diagnosis,
    assessment,
    checkpoints: null,
    findings,
    sources,
  };
}
