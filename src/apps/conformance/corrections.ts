import { compactFloats, LengthMismatchError, SchemaError } from "../../core/base/index.ts";
import {
  type Metrics,
  packPadded,
  presetNamed,
  readXtunerSettings,
  xtunerPackMetrics,
} from "../../trainers/index.ts";
import {
  type AppliedCorrection,
  applyCorrection,
  type CorrectionBlock,
} from "../../trainers/neutral/index.ts";
import type { BatchMetrics, Settings } from "../../trainers/shared/index.ts";
import { completeSettings } from "../../trainers/shared/index.ts";
import { encoded, type Fields, numbers, paddedBatch, type Runner, values } from "./case.ts";

export const correctionRunners: Readonly<Record<string, Runner>> = {
  "verl.rollout_corr": verlCorrection,
  "xtuner.rollout_is": xtunerCorrection,
};

/**
 * @throws SchemaError where verl fails with ZeroDivisionError: every weight is 0, and it divides by their mean square.
 */
function verlCorrection(inputs: Fields, config: Fields): Fields {
  const verl = presetNamed("verl");
  const settings = completeSettings(verl, config as Settings);
  const preset = verl.correction(settings);
  const block = packPadded(paddedBatch(inputs));
  const applied = applyCorrection(block, preset);
  const metrics = computeMetrics(verl.metrics(settings), block, applied);
  if (applied.weights?.every((weight) => weight === 0)) {
    throw new SchemaError("float division by zero: the effective sample size of weights that are all 0");
  }
  const rows = (column: Float64Array | Uint8Array): unknown[] =>
    Array.from(block.offsets.subarray(1), (end, row) => values(column.subarray(block.offsets[row], end)));
  return {
    metrics: encoded(metrics),
    weights: applied.weights ? rows(applied.weights) : null,
    modified_response_mask: rows(applied.mask),
  };
}

function xtunerCorrection(inputs: Fields, config: Fields): Fields {
  const xtuner = presetNamed("xtuner");
  const settings = completeSettings(xtuner, config as Settings);
  const correction = xtuner.correction(settings);
  const block = readPack(inputs);
  const applied = applyCorrection(block, correction);
  const { "mismatch/valid": valid, ...metrics } = encoded(
    computeMetrics(xtunerPackMetrics(readXtunerSettings(settings)), block, applied),
  );
  const group = (prefix: string): Fields => ({
    "mismatch/valid": valid === 1,
    ...Object.fromEntries(Object.entries(metrics).filter(([key]) => key.startsWith(prefix))),
  });
  return {
    mismatch_metrics: group("mismatch/mismatch_"),
    is_metrics: applied.weights ? group("mismatch/rollout_is_") : {},
    weights: applied.weights ? values(applied.weights) : null,
    modified_response_mask: values(applied.mask),
  };
}

function computeMetrics(metrics: BatchMetrics, block: CorrectionBlock, applied: AppliedCorrection): Metrics {
  metrics.add(block, applied);
  return metrics.finish();
}

/** A packed batch: columns over all tokens; each sequence has `num_tokens` of them. */
function readPack(inputs: Fields): CorrectionBlock {
  const [trainer, rollout, mask, lengths] = [
    inputs.old_log_prob,
    inputs.rollout_log_prob,
    inputs.response_mask,
    inputs.num_tokens,
  ].map(numbers) as [number[], number[], number[], number[]];
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, row) => {
    offsets[row + 1] = offsets[row]! + length;
  });
  if (offsets[lengths.length] !== trainer.length) {
    throw new LengthMismatchError(
      `cannot unpack the batch: num_tokens adds up to ${offsets[lengths.length]}, old_log_prob has ${trainer.length} tokens`,
    );
  }
  return {
    trainer: compactFloats(trainer),
    rollout: compactFloats(rollout),
    mask: Uint8Array.from(mask, (bit) => (bit === 0 ? 0 : 1)),
    offsets,
  };
}
