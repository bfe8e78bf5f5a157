import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GOLDEN, warnIfAbsent } from "../../../test/support/shared-data.ts";
import {
  absProbDiffStd,
  deltaAbsMean,
  effectiveSampleSize,
  k1,
  k3,
  pearson,
  ratioMean,
  ratioStd,
} from "./derive.ts";
import { ABS_PROB_DIFF_MAX, ABS_PROB_DIFF_MEAN, COUNT } from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { mismatchSums } from "./mismatch.ts";

const present = existsSync(GOLDEN);
warnIfAbsent("the golden cases", GOLDEN);

type Metrics = Record<string, number | string | boolean>;
interface Case {
  readonly inputs: Record<string, unknown>;
  readonly expected_float64: {
    readonly metrics?: Metrics;
    readonly mismatch_metrics: Metrics;
    readonly is_metrics: Metrics;
  };
}

function readCases(prefix: string): [string, Case][] {
  if (!present) return [];
  const names = readdirSync(GOLDEN).filter((name) => name.startsWith(prefix));
  return names.map((name) => [name, JSON.parse(readFileSync(`${GOLDEN}${name}`, "utf8")) as Case]);
}

/** Sums over everything, from one row per given row. */
function pooled(
  rollout: number[][],
  trainer: number[][],
  mask: number[][],
  engine: "wasm" | "scalar",
): Float64Array {
  const offsets = new Int32Array(rollout.length + 1);
  rollout.forEach((row, i) => {
    offsets[i + 1] = offsets[i]! + row.length;
  });
  const sums = emptySums();
  const { rows } = mismatchSums(
    {
      rollout: Float32Array.from(rollout.flat()),
      trainer: Float32Array.from(trainer.flat()),
      mask: Uint8Array.from(mask.flat()),
      offsets,
    },
    { engine },
  );
  for (let at = 0; at < rows.length; at += sums.length) mergeSums(sums, rows, at);
  return sums;
}

function expectMetric(actual: number, metrics: Metrics, key: string, absolute = 0): void {
  const wanted = Number(metrics[key]);
  if (Number.isNaN(wanted)) expect(actual, key).toBeNaN();
  else
    expect(Math.abs(actual - wanted), `${key}: ${actual} instead of ${wanted}`).toBeLessThanOrEqual(
      1e-6 * Math.abs(wanted) + absolute,
    );
}

describe.skipIf(!present).each(["wasm", "scalar"] as const)("reference results in float64 (%s)", (engine) => {
  const debugCases = readCases("verl-debug-").filter(
    ([, { inputs, expected_float64 }]) => inputs.response_mask && expected_float64,
  );
  it.each(debugCases)("%s", (_, { inputs, expected_float64 }) => {
    const metrics = expected_float64.metrics!;
    const sums = pooled(
      inputs.rollout_log_probs as number[][],
      inputs.old_log_probs as number[][],
      inputs.response_mask as number[][],
      engine,
    );
    expectMetric(sums[ABS_PROB_DIFF_MAX]!, metrics, "training/rollout_probs_diff_max");
    expectMetric(sums[ABS_PROB_DIFF_MEAN]!, metrics, "training/rollout_probs_diff_mean");
    expectMetric(absProbDiffStd(sums, 0, 1), metrics, "training/rollout_probs_diff_std");
    expectMetric(pearson(sums), metrics, "training/rollout_actor_probs_pearson_corr");
  });

  it.each(readCases("xtuner-tiny-"))(
    "%s",
    (_, { inputs, expected_float64: { mismatch_metrics, is_metrics } }) => {
      const sums = pooled(
        [inputs.rollout_log_prob as number[]],
        [inputs.old_log_prob as number[]],
        [inputs.response_mask as number[]],
        engine,
      );
      expectMetric(k1(sums), mismatch_metrics, "mismatch/mismatch_kl");
      expectMetric(k3(sums), mismatch_metrics, "mismatch/mismatch_k3_kl");
      expectMetric(deltaAbsMean(sums), mismatch_metrics, "mismatch/mismatch_logprob_abs_diff");
      // xtuner adds 1e-8 to the counts and means it divides by, which shows at this scale.
      expectMetric(
        Math.sqrt(ratioStd(sums) ** 2 + 1e-8 / sums[COUNT]!),
        is_metrics,
        "mismatch/rollout_is_std",
      );
      expectMetric(ratioMean(sums), is_metrics, "mismatch/rollout_is_mean", 3e-8);
      expectMetric(effectiveSampleSize(sums), is_metrics, "mismatch/rollout_is_eff_sample_size", 3e-8);
    },
  );
});
