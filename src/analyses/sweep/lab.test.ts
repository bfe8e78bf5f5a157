import { beforeAll, describe, expect, it } from "vitest";
import { hasSharedData, LAB, warnIfAbsent } from "../../../test/support/shared-data.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { openRun } from "../../ingest/open-run.ts";
import type { SweepReport } from "../../results/sweep.ts";
import { buildSweep } from "./build-sweep.ts";
import { defaultGrid } from "./grid.ts";
import { naiveFigures } from "./naive.test-data.ts";
import { Sweep } from "./sweep.ts";

warnIfAbsent("the sweep over the lab's three runs, recomputed token by token");

/** One sequence, token by token: Δ, Δp and advantage of its tokens with mask 1. */
interface Row {
  readonly deltas: number[];
  readonly diffs: number[];
  readonly advantages: number[];
  readonly reward: number;
  readonly group: string;
}

/** The weights that the loss sees; 0 is dropped. Written from the formulas, without `corrections/`. */
type Rule = (row: Row) => number[];

const ones: Rule = ({ deltas }) => deltas.map(() => 1);
const ratios: Rule = ({ deltas }) => deltas.map(Math.exp);
const keepIf =
  (test: (row: Row) => boolean, weights: Rule = ones): Rule =>
  (row) =>
    test(row) ? weights(row) : row.deltas.map(() => 0);
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const product = ({ deltas }: Row): number => Math.exp(deltas.reduce((sum, delta) => sum + delta, 0));
const tis =
  (most: number): Rule =>
  (row) =>
    ratios(row).map((ratio) => Math.min(ratio, most));
const geometric =
  (low: number, high: number) =>
  ({ deltas }: Row): boolean =>
    Math.exp(mean(deltas)) >= low && Math.exp(mean(deltas)) <= high;
const k3 = (delta: number): number => Math.expm1(delta) - delta;

const RULES: Readonly<Record<string, { readonly rule: Rule; readonly weights?: "token" | "sequence" }>> = {
  none: { rule: ones },
  "token-tis 1.5": { rule: tis(1.5), weights: "token" },
  "token-tis 2": { rule: tis(2), weights: "token" },
  "token-clamp 0.8–1.2": {
    rule: (row) => ratios(row).map((ratio) => Math.max(0.8, Math.min(ratio, 1.2))),
    weights: "token",
  },
  "icepop 0.5–5": {
    rule: (row) => ratios(row).map((ratio) => (ratio >= 0.5 && ratio <= 5 ? ratio : 0)),
    weights: "token",
  },
  "seq-mis 2": {
    rule: keepIf(
      (row) => product(row) <= 2,
      (row) => row.deltas.map(() => product(row)),
    ),
    weights: "sequence",
  },
  "seq-rs 0.5–2": { rule: keepIf((row) => product(row) >= 0.5 && product(row) <= 2) },
  "geo-rs 0.99–1.01": { rule: keepIf(geometric(0.99, 1.01)) },
  "geo-rs 0.999–1.001 + token-tis 2": {
    rule: keepIf(geometric(0.999, 1.001), tis(2)),
    weights: "token",
  },
  "seq-k3 0.005": { rule: keepIf(({ deltas }) => mean(deltas.map(k3)) <= 0.005) },
  "seq-max-k3 0.1": { rule: keepIf(({ deltas }) => Math.max(...deltas.map(k3)) <= 0.1) },
  "token-k3 0.01": { rule: ({ deltas }) => deltas.map((delta) => (k3(delta) <= 0.01 ? 1 : 0)) },
  "veto 1e-4": { rule: keepIf((row) => ratios(row).every((ratio) => ratio >= 1e-4)) },
  "opsm 0.01": {
    rule: keepIf(({ deltas, advantages }) => !(mean(advantages) < 0 && -mean(deltas) > 0.01)),
  },
  "dppo 0.1": {
    rule: ({ deltas, diffs, advantages }) =>
      diffs.map((diff, t) => ((advantages[t]! > 0 ? diff > 0.1 : diff < -0.1) ? 0 : Math.exp(deltas[t]!))),
    weights: "token",
  },
};

function listRows(batches: readonly RecordBatch[]): Row[] {
  return batches.flatMap((batch) =>
    Array.from({ length: batch.length }, (_, i) => {
      const start = batch.offsets[i]!;
      const tokens = Array.from({ length: batch.offsets[i + 1]! - start }, (_, t) => start + t).filter(
        (t) => batch.responseMask[t] === 1,
      );
      const lp = (column: ArrayLike<number> | undefined): number[] => tokens.map((t) => column![t]!);
      const [rollout, trainer] = [lp(batch.rolloutLogprobs), lp(batch.trainerLogprobs)];
      return {
        deltas: trainer.map((value, t) => value - rollout[t]!),
        diffs: trainer.map((value, t) => Math.exp(value) - Math.exp(rollout[t]!)),
        advantages: lp(batch.advantages),
        reward: batch.rewards[i]!,
        group: `${batch.steps[i]} ${batch.groupIds[i]}`,
      };
    }),
  );
}

function recomputed(rows: readonly Row[], { rule, weights }: (typeof RULES)[string]): Record<string, number> {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const applied = rows.map(rule);
  const raw = rows.map((row) => (weights === "sequence" ? row.deltas.map(() => product(row)) : ratios(row)));
  const counted = weights
    ? applied
    : applied.map((row, i) => row.map((weight, t) => (weight === 0 ? 0 : raw[i]![t]!)));
  const flat = counted.flat();
  const flatRaw = raw.flat();
  const kept = applied.flat().filter((weight) => weight !== 0);
  const means = counted.map(mean);
  const rewards = rows.flatMap((row, i) =>
    applied[i]!.map((weight) => [row.reward, weight === 0 ? 0 : 1] as const),
  );
  const averageReward = (part: 0 | 1): number =>
    mean(rewards.flatMap(([reward, side]) => (side === part ? [reward] : [])));
  const groups = new Map<string, boolean>();
  rows.forEach(({ group }, i) => {
    groups.set(group, (groups.get(group) ?? false) || applied[i]!.some((weight) => weight !== 0));
  });
  return {
    tokens_kept: kept.length,
    sequences_kept: applied.filter((row) => row.some((weight) => weight !== 0)).length,
    ess_tokens: sum(flat) ** 2 / (flat.length * sum(flat.map((weight) => weight ** 2))),
    ess_sequences: sum(means) ** 2 / (rows.length * sum(means.map((weight) => weight ** 2))),
    mass_lost: 1 - sum(flat) / sum(flatRaw),
    mass_moved: sum(flat.map((weight, t) => Math.abs(weight - flatRaw[t]!))) / sum(flatRaw),
    weight_max: kept.reduce((most, weight) => Math.max(most, weight), 0),
    weight_mean: mean(kept),
    reward_kept: averageReward(1),
    reward_dropped: averageReward(0),
    groups_lost: [...groups.values()].filter((survives) => !survives).length,
  };
}

describe.skipIf(!hasSharedData).each(["main", "int8", "stale"])("the sweep over the lab's run %s", (name) => {
  const batches: RecordBatch[] = [];
  let report: SweepReport;

  beforeAll(async () => {
    const run = await openRun([`${LAB}${name}`]);
    const sweep = new Sweep(defaultGrid());
    for await (const batch of run.batches()) {
      batches.push(batch);
      sweep.add(batch);
    }
    report = buildSweep({ run: run.name, sweep, presets: [], findings: [], sources: [] });
  });

  it("shows what the formulas give, token by token", () => {
    const rows = listRows(batches);
    for (const [correction, rule] of Object.entries(RULES)) {
      const figures = report.corrections.find((candidate) => candidate.name === correction)!;
      const actual: Record<string, unknown> = { ...figures, ...figures.dropped };
      for (const [figure, value] of Object.entries(recomputed(rows, rule))) {
        const shown = (actual[figure] ?? Number.NaN) as number;
        const close =
          Object.is(shown, value) || Math.abs(shown - value) <= 1e-9 * Math.max(1, Math.abs(value));
        expect(close ? "" : `${correction}: ${figure} is ${shown}, not ${value}`).toBe("");
      }
    }
  });

  it("agrees with applyCorrection on every correction of the grid", () => {
    // Token by token and correction by correction takes long; the worst step of `stale` (30) is among these.
    const some = batches.slice(0, 3);
    const sweep = new Sweep(defaultGrid());
    for (const batch of some) sweep.add(batch);
    const { corrections } = buildSweep({ run: name, sweep, presets: [], findings: [], sources: [] });
    for (const [index, { name: correction, dropped, ...figures }] of corrections.entries()) {
      const naive = naiveFigures(some, sweep.corrections[index]!.correction);
      expect([correction, figures.tokens_kept, figures.sequences_kept, dropped.groups_lost]).toEqual([
        correction,
        naive.tokens_kept,
        naive.sequences_kept,
        naive.groups_lost,
      ]);
      for (const figure of ["ess_tokens", "ess_sequences", "mass_lost", "mass_moved", "weight_max"] as const)
        expect(Math.abs(figures[figure] - naive[figure]), `${correction}: ${figure}`).toBeLessThan(1e-9);
    }
  });

  it("needs no correction in bf16 and int8, and a mild one for stale weights", () => {
    expect(report.recommendation.name).toBe("token-tis 2");
    expect(report.recommendation.kind).toBe(name === "stale" ? "recommended" : "none needed");
    expect(report.front[0]).toBe("none");
  });
});
