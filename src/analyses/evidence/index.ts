/**
 * What one pass over a run keeps for its one answer, and the answer made of it.
 *
 * @module
 */
export { type Answer, answerRun, makeDoctorReport } from "./answer.ts";
export { RunEvidence, type RunEvidenceJson } from "./run-evidence.ts";
