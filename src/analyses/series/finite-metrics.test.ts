import { describe, expect, it } from "vitest";
import { buildSeriesReport } from "./build-series-report.ts";

const { NaN: LOST, POSITIVE_INFINITY: INFINITE } = Number;

function log(metrics: Readonly<Record<string, readonly number[]>>) {
  const series = Object.entries(metrics).map(([metric, values]) => ({
    ...{ run: "", metric, values },
    steps: values.map((_, at) => at + 1),
  }));
  return buildSeriesReport([{ file: "run.csv", form: "CSV", series }], []);
}

describe("NaN in what every step of a living run has", () => {
  it.each([
    ["actor/pg_loss", true],
    ["train/ppo_kl", true],
    ["policy/approxkl", true],
    ["grad_norm", true],
    ["actor/entropy_loss", true],
    ["optim/log_probs.mean", true],
    ["critic/advantages/mean", true],
    ["rollout_corr/kl", true],
    // Of what a step may lack, or of no training quantity.
    ["rewards/format/mean", false],
    ["response/aborted_length/mean", false],
    ["val/loss", false],
    ["per_round/mean_diff_round_2", false],
    ["masked_mismatch_kl/all/mean", false],
    ["actor/entropy/std", false],
    ["blackly", false],
  ])("breaks it: %s (%j)", (metric, breaks) => {
    const { level, finite } = log({ [metric]: [1, LOST, LOST] });
    expect([level === "broken", finite.found.map((one) => [one.name, one.breaks])]).toEqual([
      breaks,
      [[metric, breaks]],
    ]);
  });

  it("does so for infinities too, but for a gradient that overflowed on the way", () => {
    expect(log({ grad_norm: [INFINITE, INFINITE, 1] }).level).toBeNull();
    expect(log({ grad_norm: [1, 1, INFINITE] }).level).toBe("broken");
    expect(log({ loss: [INFINITE, 1, 1] }).level).toBe("broken");
  });
});

describe("the headline", () => {
  it("tells what breaks the run before what is finite, and what does not after it", () => {
    expect(log({ "rollout_corr/kl": [0, 0, LOST], loss: [1, 1, LOST] }).headline).toBe(
      "at the last step, 3: NaN in rollout_corr/kl and loss. Of what is finite, the one metric with a published baseline stays within it",
    );
    expect(log({ loss: [1, LOST, LOST] }).headline).toBe(
      "since step 2: NaN in loss; the one logged metric is not known to measure the mismatch of rollout and trainer",
    );
    expect(log({ "rollout_corr/kl": [0, 0, 0], "rewards/a": [1, LOST, 1] }).headline).toBe(
      "the one metric with a published baseline stays within it; at step 2: NaN in rewards/a",
    );
  });

  it("goes with ends that are not finite", () => {
    const [series] = log({ "rollout_corr/kl": [LOST, 0.001, LOST] }).series;
    expect(series).toMatchObject({
      first: null,
      last: null,
      worst: { step: 2, value: 0.001 },
      level: "broken",
    });
  });
});
