/**
 * What one pass over a run keeps for its single answer, and how the answer is built.
 *
 * @module
 */
export { type Answer, answerRun, makeDoctorReport } from "./answer.ts";
export { RunEvidence, type RunEvidenceJson } from "./run-evidence.ts";
