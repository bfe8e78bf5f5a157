import { expect, test } from "vitest";
import { applyCorrection } from "../neutral/apply.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { miles } from "./preset.ts";

// Its k3 and ESS are float32 whatever they are given.
checkReference(miles, "miles", 1e-6);

test("hides what is not finite from its metrics, and ends k3 at 10", () => {
  const block = {
    rollout: Float64Array.from([-1, -1, -1, -1]),
    trainer: Float64Array.from([Number.NaN, Number.NEGATIVE_INFINITY, -1.5, -0.5]),
    mask: Uint8Array.from([1, 1, 1, 1]),
    offsets: Int32Array.from([0, 4]),
  };
  const settings = completeSettings(miles, { use_tis: false });
  const metrics = miles.metrics(settings);
  metrics.add(block, applyCorrection(block, miles.correction(settings)));
  const { "train/train_rollout_logprob_abs_diff": diff, "train/train_rollout_kl": kl } = metrics.finish();
  expect(diff).toBeCloseTo(1 / 4, 12);
  expect(kl).toBeCloseTo((0 + 10 + (Math.exp(-0.5) - 0.5) + (Math.exp(0.5) - 1.5)) / 4, 12);
});

test("icepop is at miles' own path", () => {
  const expressed = miles.express({
    weight: { level: "token", aggregation: "sum" },
    steps: [{ action: "zero", measure: "weight", upper: 2 }],
  });
  expect(miles.config(expressed!).text).toContain(
    "--custom-tis-function-path miles.backends.training_utils.loss_hub.corrections.icepop_function",
  );
});
