import { describe, expect, it } from "vitest";
import { applyCorrection, type CorrectionBlock } from "../neutral/apply.ts";
import type { Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { msSwift } from "./preset.ts";

const MODE = "rollout_importance_sampling_mode";
const P = "rollout_correction/";

/** Rows of Δ; the trainer's log-probs are -40. */
function block(rows: readonly (readonly number[])[], mask?: readonly number[]): CorrectionBlock {
  const deltas = rows.flat();
  const offsets = [0, ...rows.map((_, i) => rows.slice(0, i + 1).flat().length)];
  return {
    rollout: Float64Array.from(deltas, (delta) => -40 - delta),
    trainer: new Float64Array(deltas.length).fill(-40),
    mask: Uint8Array.from(mask ?? deltas.map(() => 1)),
    offsets: Int32Array.from(offsets),
  };
}

function log(given: CorrectionBlock, settings: Settings = {}): Readonly<Record<string, number>> {
  const complete = completeSettings(msSwift, settings);
  const metrics = msSwift.metrics(complete);
  metrics.add(given, applyCorrection(given, msSwift.correction(complete)));
  return metrics.finish();
}

describe("ms-swift's metrics far from 0", () => {
  it("bound Δ at 20 nats and k3 at 10, and the k1 at nothing", () => {
    const far = log(block([[30, -30]]));
    expect(far[`${P}kl`]).toBe(0);
    expect(far[`${P}k3_kl`]).toBe(10);
    expect(far[`${P}chi2_token`]).toBeCloseTo((Math.expm1(40) + Math.expm1(-40)) / 2, -10);
    expect(log(block([[30]]))[`${P}kl`]).toBe(-30);
    expect(log(block([[0.5]]))[`${P}k3_kl`]).toBeCloseTo(Math.exp(0.5) - 1.5, 12);
  });

  it("are of each row's mean Δ, with its sign", () => {
    const { [`${P}log_ppl_diff`]: mean, ...rest } = log(block([[1, 3], [-4]]));
    expect(mean).toBe((-2 + 4) / 2);
    expect(rest).toMatchObject({
      [`${P}log_ppl_diff_max`]: 4,
      [`${P}log_ppl_diff_min`]: -2,
      [`${P}log_ppl_abs_diff`]: 3,
      [`${P}training_log_ppl`]: 40,
    });
    expect(rest[`${P}ppl_ratio`]).toBeCloseTo((Math.exp(-2) + Math.exp(4)) / 2, 9);
    expect(rest[`${P}rollout_log_ppl`]).toBe((42 + 36) / 2);
    expect(rest[`${P}chi2_seq`]).toBeCloseTo((Math.expm1(4) + Math.expm1(-8)) / 2, 9);
    expect(log(block([[25]]))[`${P}chi2_seq`]).toBe(Math.expm1(40));
  });

  it("of a batch without tokens are what sums of nothing leave", () => {
    expect(log(block([[1, 1]], [0, 0]))).toMatchObject({
      [`${P}kl`]: 0,
      [`${P}k3_kl`]: 0,
      [`${P}chi2_token`]: -1,
      [`${P}is_weight_mean`]: 0,
      [`${P}ess`]: 1e10,
      [`${P}clipped_frac`]: 0,
    });
  });
});

describe("ms-swift's metrics of weights", () => {
  it.each<[mode: string, threshold: number, rows: number[][], mean: number, clipped: number]>([
    // A ratio at the threshold is not clipped.
    ["token_truncate", 1, [[0, 1e-9, -1]], (2 + Math.exp(-1)) / 3, 1 / 3],
    ["token_mask", 1, [[0, 1e-9, -1]], (1 + Math.exp(-1)) / 3, 1 / 3],
    ["sequence_truncate", 2, [[2, -1], [2, 0], [0]], (2 * Math.exp(0.5) + 4 + 1) / 5, 1 / 3],
    ["sequence_mask", 2, [[2, -1], [2, 0], [0]], (Math.exp(2) + Math.exp(-1) + 0 + 0 + 1) / 5, 1 / 3],
  ])("%s above %d of %j", (mode, threshold, rows, mean, clipped) => {
    const logged = log(block(rows), { [MODE]: mode, rollout_importance_sampling_threshold: threshold });
    expect(logged[`${P}is_weight_mean`]).toBeCloseTo(mean, 8);
    expect(logged[`${P}clipped_frac`]).toBeCloseTo(clipped, 12);
  });

  it("clamp to both sides for the effective size only", () => {
    // 2 and e^−2 become 2 and 0.5.
    expect(log(block([[2, -2]]))[`${P}ess`]).toBeCloseTo(1.25 ** 2 / ((4 + 0.25) / 2), 6);
    expect(log(block([[0, 0]]))[`${P}ess`]).toBeCloseTo(1, 6);
  });

  it("are left out without a mode, and all metrics unless they are asked for", () => {
    const given = block([[1]]);
    expect(log(given, { [MODE]: null })).toEqual({});
    const asked = log(given, { [MODE]: null, log_rollout_offpolicy_metrics: true });
    expect(Object.keys(asked)).toContain(`${P}kl`);
    expect(Object.keys(asked)).not.toContain(`${P}ess`);
    expect(Object.keys(asked).every((key) => key.startsWith(P))).toBe(true);
  });
});
