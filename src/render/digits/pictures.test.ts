import { expect, test } from "vitest";
import type { Bounded, DigitDistribution, DigitFigures } from "../../results/digits.ts";
import { digitCharts } from "./charts.ts";
import { lossTables } from "./loss-table.ts";
import { calibrationPicture, lossBars } from "./pictures.ts";

function figures(loss: number | null, trainer: number | null = null): DigitFigures {
  const negative = (value: number | null): number | null => (value === null ? null : -value);
  return {
    digits: 4,
    avg_digit_log_prob: negative(loss),
    ntl_loss: loss,
    trainer_avg_digit_log_prob: negative(trainer),
    trainer_ntl_loss: trainer,
    delta_abs_mean: trainer === null ? null : 0.1,
  };
}

function distribution(policy: string, bounded: Bounded): DigitDistribution {
  return {
    policy,
    k: 5,
    against: "sampled",
    positions: 10,
    complete: 3,
    unknown: 1,
    unaccounted_mean: 0.01,
    unaccounted_max: 0.1,
    digit_mass: bounded,
    expected_digit: bounded,
    ntl_mse: bounded,
    ntl_wasserstein: bounded,
    ntl_mae: bounded,
    digit_accuracy: bounded,
    raw_expected_digit: bounded,
    raw_ntl_mse: { estimate: 6, low: 5, high: 8 },
    raw_ntl_wasserstein: bounded,
    raw_ntl_mae: bounded,
  };
}

test("charts over steps: a line per policy that is known, none without two steps", () => {
  const both = [10, 20].map((step) => ({ step, ...figures(step / 10, 3) }));
  const [losses, gaps, counts] = digitCharts({ per_step: both });
  expect(losses?.xs).toEqual([10, 20]);
  expect(losses?.lines.map(({ label, values }) => [label, values])).toEqual([
    ["rollout", [1, 2]],
    ["trainer", [3, 3]],
  ]);
  expect([gaps?.lines.length, counts?.lines[0]?.values]).toEqual([1, [4, 4]]);
  const alone = [10, 20].map((step) => ({ step, ...figures(1) }));
  expect(digitCharts({ per_step: alone }).map(({ id, lines }) => [id, lines.length])).toEqual([
    ["digit-ntl", 1],
    ["digit-count", 1],
  ]);
  expect(digitCharts({ per_step: [{ step: null, ...figures(1) }, ...both.slice(0, 1)] })).toEqual([]);
});

test("intervals of a loss share one scale, and nothing leaves it", () => {
  const [table] = lossTables(
    [
      distribution("rollout", { estimate: 1, low: 0, high: 4 }),
      distribution("trainer", { estimate: 2, low: 1, high: 3 }),
    ],
    "sampled",
  );
  const [, rollout, trainer, rawRollout] = table!.columns;
  expect(table!.columns[0]!.cells.slice(0, 2)).toEqual(["expected digit", "NTL-MSE"]);
  // NTL-MSE has a scale up to the largest value, the raw 8; a share such as the accuracy up to 1.
  expect(rollout?.spans?.[1]).toEqual([0, 0.125, 0.5]);
  expect(trainer?.spans?.[1]).toEqual([0.125, 0.25, 0.375]);
  expect(rawRollout?.spans?.[1]).toEqual([0.625, 0.75, 1]);
  expect(rollout?.spans?.[4]).toEqual([0, 1, 1]);
  expect([rawRollout?.spans?.[4], rawRollout?.cells[4]]).toEqual([null, ""]);
  expect([rollout?.color, trainer?.color]).toEqual(["blue", "orange"]);
  const raw = table!.raw!();
  expect(raw).toHaveLength(2 * 10);
  expect(raw[3]).toMatchObject({
    policy: "rollout",
    figure: "raw_ntl_mse",
    estimate: 6,
    low: 5,
    high: 8,
    k: 5,
  });
  expect(lossTables([], "truth")).toEqual([]);
});

test("pictures say their numbers", () => {
  const bins = [
    { from: 0.8, to: 0.9, digits: 1200, confidence: 0.85, accuracy: 0.5 },
    { from: 0.9, to: 1, digits: 0, confidence: 0, accuracy: 0 },
  ];
  const picture = calibrationPicture(bins, 0.35);
  expect(picture).toContain("probability 0.8 to 0.9: 1,200 digits");
  expect(picture.match(/<circle/g)).toHaveLength(1);
  expect(lossBars("x", ["units", "tens"], [figures(0.25, 0.5), figures(0.125)])).toContain("trainer");
  expect(lossBars("x", ["units"], [figures(0.25)])).not.toContain("trainer");
});
