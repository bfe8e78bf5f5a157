/**
 * Whether a run passes: corridors learned from a history, and limits. Pure functions over results; files, flags and
 * tables belong elsewhere.
 *
 * @module
 */
export {
  BASELINE_VERSION,
  type Baseline,
  type BaselineCheck,
  type BaselineRun,
  type GateLimit,
  listHistory,
} from "./baseline.ts";
export { type Corridor, FEWEST_RUNS, predictRun } from "./corridor.ts";
export { evaluateGate, type GateOptions } from "./evaluate-gate.ts";
export { DEFAULT_ALPHA, distinctRuns, type LearnedRun, type LearnOptions, learnBaseline } from "./learn.ts";
