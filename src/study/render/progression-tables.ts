/**
 * KL, spikes and entropy over training.
 *
 * @module
 */

import { formatCoefficient } from "../../core/text/index.ts";
import { makeTable, type Table, textColumn } from "../../render/document/index.ts";
import type { KlReport } from "../results/report.ts";
import { change, column, figure, makeColumns, NONE, yesNo } from "./values.ts";

/** Label and sentence of each statement about training; empty without progression. */
export function progressionLines({ progression }: KlReport): (readonly [label: string, text: string])[] {
  if (progression === null) return [];
  const { steps, mean_kl, spikes_mean, entropy_reduction, trend, half_by } = progression;
  const span = `step ${figure(steps[0], "id")} to ${figure(steps.at(-1), "id")}`;
  const most = mean_kl.indexOf(Math.max(...mean_kl));
  return [
    [
      "KL",
      `${change(mean_kl[0] ?? 0, mean_kl.at(-1) ?? 0)} nats, ${span}; most ${figure(mean_kl[most])} at step ${figure(steps[most], "id")}`,
    ],
    ["spikes", `${change(spikes_mean[0] ?? 0, spikes_mean.at(-1) ?? 0)} per problem`],
    ...(entropy_reduction === null
      ? []
      : ([
          [
            "entropy",
            `${reduction(entropy_reduction.absolute, entropy_reduction.relative)}; reduction of each third of the response: ${(
              ["early", "mid", "late"] as const
            )
              .map((region) => `${region} ${figure(entropy_reduction.by_region[region], "share")}`)
              .join(", ")}`,
          ],
        ] as const)),
    ...(trend === null
      ? []
      : ([
          [
            "trend",
            `Spearman ρ ${formatCoefficient(trend.rho)} of mean KL with step over these ${steps.length} checkpoints; ${trend.p_value === null ? "too few to test for a drift" : `drift of the increments p = ${figure(trend.p_value)}`}`,
          ],
        ] as const)),
    [
      "half by",
      half_by === null
        ? "no checkpoint has half of the last one's KL for good"
        : `${half_by}: from there on at least half of the last one's KL`,
    ],
  ];
}

function reduction(absolute: number, relative: number): string {
  const word = absolute < 0 ? "grown" : "fallen";
  return `has ${word} by ${figure(Math.abs(absolute))} nats (${figure(Math.abs(relative), "share")})`;
}

export function progressionTable({ progression }: KlReport): Table {
  const rows = progression?.checkpoints ?? [];
  const changes = rows.map((_, at) => changeAt(progression?.mean_kl ?? [], at));
  const by = makeColumns(rows);
  return makeTable("progression", "From checkpoint to checkpoint", [
    textColumn("checkpoint", rows),
    column("step", "id", progression?.steps ?? [], { priority: 1 }),
    column("mean KL", "number", progression?.mean_kl ?? [], { priority: 1, worst: "most", bars: true }),
    column("change", "signed", changes, { priority: 2, meaning: "from the checkpoint before" }),
    column("spikes/problem", "number", progression?.spikes_mean ?? [], { priority: 2 }),
    column("entropy", "number", progression?.mean_entropy ?? [], { priority: 2 }),
    by.figure(
      "reduction",
      "share",
      (_, at) => (at === 0 ? null : (progression?.entropy_reduction?.rates[at - 1] ?? null)),
      { priority: 3, meaning: "of entropy, from the checkpoint before" },
    ),
  ]);
}

function changeAt(values: readonly number[], at: number): number | null {
  const [before, own] = [values[at - 1], values[at]];
  return before === undefined || own === undefined ? null : own - before;
}

export function stageTable({ progression }: KlReport): Table {
  const rows = progression?.stages ?? [];
  const by = makeColumns(rows);
  return makeTable("stages", "Stages of training", [
    by.text("stage", ({ stage }) => stage),
    by.figure("checkpoints", "count", ({ checkpoints }) => checkpoints.length, { priority: 2 }),
    by.figure("mean KL", "number", ({ mean_kl }) => mean_kl, { priority: 1 }),
    by.figure("change", "signed", (row) => row.change, { priority: 1, meaning: "from the stage before" }),
    by.figure("spikes/problem", "number", ({ spikes_mean }) => spikes_mean, { priority: 2 }),
    by.figure("entropy", "number", ({ mean_entropy }) => mean_entropy, { priority: 2 }),
  ]);
}

const METHODS = {
  derivative: "derivative",
  smooth_derivative: "smoothed derivative",
  peaks: "peaks",
} as const;

export function turningTable({ progression }: KlReport): Table {
  const rows = progression?.turning_points ?? [];
  const by = makeColumns(rows);
  return makeTable(
    "turning-points",
    "Turning points",
    [
      by.text("checkpoint", ({ checkpoint }) => checkpoint),
      by.figure("step", "id", ({ step }) => step, { priority: 1 }),
      by.figure("mean KL", "number", ({ value }) => value, { priority: 1 }),
      by.text("type", ({ type }) => type),
      by.text("found by", ({ method }) => METHODS[method], { priority: 3 }),
      by.text("significant", ({ supported }) => yesNo(supported), {
        priority: 1,
        meaning: "the paired tests to both neighbors, after correction",
      }),
    ],
    `significant: the paired tests to both neighbors hold after correction; ${NONE} is an inflection, which has no such test`,
  );
}
