/**
 * The result of `logratio kl`.
 *
 * @module
 */
export type {
  CategoryFigures,
  CheckpointFigures,
  KlInterval,
  Progression,
  SpikeRange,
  StageFigures,
  Trend,
  TurningPoint,
} from "./checkpoints.ts";
export type { PolicyRole, Region, SpikeMethod } from "./names.ts";
export {
  FEWEST_INTERVAL_PROBLEMS,
  KL_SCHEMA_VERSION,
  type KlAnswer,
  type KlComparison,
  type KlCorrelation,
  type KlMetrics,
  type KlPolicy,
  type KlReport,
  type KlSettings,
  MOST_PROBLEMS_BY_T,
  type PairFigures,
  type ProblemFigures,
  type TopProblems,
} from "./report.ts";
export type {
  CaseContinuation,
  CaseStudy,
  KlAlternative,
  ListedSpike,
  SpikeDependence,
  SpikeFigures,
  TokenFigures,
} from "./texts.ts";
export type {
  AttentionFigures,
  ContinuationFigures,
  CorrectnessFigures,
  FirstErrorFigures,
  GradientFigures,
  GroupKl,
  HiddenFigures,
  PairedDifference,
  RankCorrelation,
} from "./wrong-texts.ts";
