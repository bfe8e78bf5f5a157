/**
 * A report's figures as other programs' files: TensorBoard events, lines for W&B, Prometheus' text format. Names are
 * those that `logratio.scalars` gives in Python. Reading runs and writing files belong elsewhere.
 *
 * @module
 */
export { renderPrometheus } from "./prometheus.ts";
export { listStepScalars, type StepTable } from "./scalars.ts";
export { renderEvents } from "./tensorboard.ts";
export { renderWandbLines } from "./wandb.ts";
