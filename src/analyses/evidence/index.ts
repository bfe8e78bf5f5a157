/**
 * What one pass over a run keeps for its one answer, and the answer made of it.
 *
 * @module
 */
export { type Answer, type AnswerInput, answerRun, answerRunBeside, makeDoctorReport } from "./answer.ts";
export { RunEvidence, type RunEvidenceJson } from "./run-evidence.ts";
