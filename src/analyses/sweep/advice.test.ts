import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import type { Correction } from "../../trainers/neutral/correction.ts";
import type { Preset } from "../../trainers/shared/preset.ts";
import { buildSweep, findCorrection } from "./build-sweep.ts";
import { writeConfigs } from "./configs.ts";
import { defaultGrid, METHODS, pickMethods } from "./grid.ts";
import { randomBatch } from "./random.test-data.ts";
import { recommend } from "./recommend.ts";
import { Sweep } from "./sweep.ts";

function makeReport(batches: readonly RecordBatch[], corrections = defaultGrid()) {
  const sweep = new Sweep(corrections);
  for (const batch of batches) sweep.add(batch);
  return buildSweep({ run: "random", sweep, presets: [], findings: [], sources: [] });
}

const heavy = [1, 2, 3].map((step) => randomBatch(step, 60, step));

describe("the default grid", () => {
  it("has between 60 and 200 corrections, all different, all of known methods", () => {
    const grid = defaultGrid();
    expect(grid.length).toBeGreaterThan(60);
    expect(grid.length).toBeLessThan(200);
    expect(new Set(grid.map(({ name }) => name)).size).toBe(grid.length);
    expect(new Set(grid.map(({ correction }) => JSON.stringify(correction))).size).toBe(grid.length);
    expect(new Set(grid.flatMap(({ methods }) => methods))).toEqual(new Set(Object.keys(METHODS)));
  });

  it("keeps combinations only where each of their methods is named", () => {
    const names = pickMethods(defaultGrid(), ["geo-rs", "token-tis"]).map(({ name }) => name);
    expect(names).toContain("geo-rs 0.999–1.001 + token-tis 2");
    expect(names).toContain("none");
    expect(names).not.toContain("seq-rs 0.5–2 + token-tis 2");
    expect(() => pickMethods(defaultGrid(), ["tis"])).toThrow(/unknown method "tis"/);
  });

  it("finds a correction by a name that can be typed", () => {
    expect(findCorrection(defaultGrid(), "icepop 0.5-5").name).toBe("icepop 0.5–5");
    expect(findCorrection(defaultGrid(), "geo-rs 0.999-1.001+token-tis 2").name).toBe(
      "geo-rs 0.999–1.001 + token-tis 2",
    );
    expect(() => findCorrection(defaultGrid(), "icepop 7")).toThrow(/unknown correction "icepop 7"/);
  });
});

describe("the front and the recommendation", () => {
  it("puts no correction on the front that another beats, and leaves none off that none beats", () => {
    const { corrections } = makeReport(heavy);
    type Row = (typeof corrections)[number];
    const off = ({ weight_mean }: Row): number => Math.abs(Math.log(weight_mean));
    const scale = (row: Row): number => (off(row) > 0.05 ? off(row) : 0);
    const beats = (a: Row, b: Row): boolean =>
      a.ess_tokens >= b.ess_tokens &&
      a.mass_moved <= b.mass_moved &&
      scale(a) <= scale(b) &&
      (a.ess_tokens > b.ess_tokens || a.mass_moved < b.mass_moved || scale(a) < scale(b));
    const candidates = corrections.filter((row) => off(row) < Math.LN2);
    expect(candidates.length).toBeLessThan(corrections.length);
    expect(corrections.filter((row) => row.on_front && off(row) >= Math.LN2)).toEqual([]);
    for (const correction of candidates) {
      const beaten = candidates.some((other) => beats(other, correction));
      if (correction.on_front) expect(beaten).toBe(false);
      else if (!beaten)
        expect(
          corrections.some(
            (other) =>
              other.on_front &&
              other.ess_tokens === correction.ess_tokens &&
              other.mass_moved === correction.mass_moved &&
              scale(other) === scale(correction),
          ),
        ).toBe(true);
    }
  });

  it("recommends within the limits where the mismatch is heavy, and says why", () => {
    const { recommendation, corrections, metrics } = makeReport(heavy);
    const taken = corrections.find(({ name }) => name === recommendation.name)!;
    expect(metrics.ess).toBeLessThan(0.9);
    expect(recommendation.kind).toBe("recommended");
    expect(taken.ess_tokens).toBeGreaterThan(metrics.ess);
    expect(taken.dropped.tokens_share).toBeLessThanOrEqual(0.05);
    expect(taken.mass_moved).toBeLessThanOrEqual(0.05);
    expect(recommendation.reasons[0]).toContain(
      `${taken.name} has the best ESS among the points of the Pareto front`,
    );
  });

  it("says of a correction that is near a limit which one, and of one that is not nothing", () => {
    const { corrections, metrics } = makeReport(heavy);
    const [none, first] = corrections as [(typeof corrections)[number], (typeof corrections)[number]];
    const reasonsAt = (mass_moved: number): string => {
      const taken = { ...first, on_front: true, ess_tokens: 0.9, mass_moved, truncated_share: 0.01 };
      const dropped = {
        ...first.dropped,
        tokens_share: 0.01,
        groups_lost: 0,
        reward_shift: 0,
        accuracy_shift: 0,
      };
      const low = { ...metrics, ess: 0.5 };
      return recommend(
        [
          { ...none, ess_tokens: 0.5 },
          { ...taken, dropped },
        ],
        low,
      ).reasons.join("; ");
    };
    expect(reasonsAt(0.046)).toContain(
      "it is close to a limit that other prompts or later steps may break: it moves 4.6 % of the weight mass",
    );
    expect(reasonsAt(0.039)).not.toContain("close to a limit");
  });

  it("neither stars nor recommends weights that are even because all are next to 0", () => {
    for (const spread of [0, 0.5]) {
      // Of each of 8 sequences, ΣΔ is -20: sequence weights are e^-20 and have an ESS of 1.
      const deltas = Array.from({ length: 400 }, (_, t) =>
        (-0.05 + (t % 2 ? spread : -spread)).toFixed(6),
      ).join(" ");
      const batch = recordBatch(Array.from({ length: 8 }, () => ({ deltas, step: 1 })));
      const { corrections, front, recommendation } = makeReport([batch]);
      const even = corrections.find(({ name }) => name === "seq-tis 2")!;
      expect(even.ess_tokens).toBeCloseTo(1, 9);
      expect(even.weight_mean).toBeCloseTo(Math.exp(-20), 12);
      expect(corrections[0]!.ess_tokens < even.ess_tokens - 1e-9).toBe(spread > 0);
      for (const { name, weight_mean } of corrections)
        if (weight_mean < 0.5) expect([recommendation.name, ...front]).not.toContain(name);
      expect(front).toContain("none");
    }
  });

  it("says so when every correction breaks a limit", () => {
    const only = (name: string) => makeReport(heavy, [findCorrection(defaultGrid(), name)]).recommendation;
    expect(only("token-clamp 0.8-1.2")).toMatchObject({ kind: "none fits", name: "token-clamp 0.8–1.2" });
    expect(only("token-clamp 0.8-1.2").reasons.join("; ")).toMatch(/it breaks a limit: it moves \d/);
    expect(only("geo-rs 0.999-1.001")).toMatchObject({ kind: "none fits", name: "none" });
  });

  it("skips what looks at advantages where there are none, and names every figure that is missing", () => {
    const bare = { ...randomBatch(5, 20, 1, false), groupIds: Array.from({ length: 20 }, () => undefined) };
    bare.rewards.fill(Number.NaN);
    const report = makeReport([bare]);
    expect(report.skipped_corrections.map(({ name }) => name)).toEqual(
      defaultGrid().flatMap(({ name }) => (/opsm|dppo/.test(name) ? [name] : [])),
    );
    expect(report.absent.map((line) => line.split(":")[0])).toEqual([
      "no rewards",
      "no advantages",
      "no group ids",
    ]);
    const [none] = report.corrections;
    expect(none!.dropped).toMatchObject({ reward_kept: null, by_advantage: null, groups_lost: null });
    expect(report.metrics).toMatchObject({ groups: null, reward_mean: null });
  });
});

describe("configsOf", () => {
  const weight = { level: "token", aggregation: "sum" } as const;
  const cap = (upper: number): Correction => ({ weight, steps: [{ action: "truncate", upper }] });
  const preset: Preset = {
    name: "capped",
    trainer: "Capped",
    summary: "",
    source: "",
    parameters: [],
    correction: ({ cap: upper }) => cap(upper as number),
    traps: () => [{ says: "only from above", severity: "warning", code: "half-open", setting: "cap" }],
    metrics: () => ({ add() {}, finish: () => ({}) }),
    express: (correction) => (JSON.stringify(correction) === JSON.stringify(cap(2)) ? { cap: 2 } : undefined),
    config: (settings) => ({ language: "yaml", place: "here", text: `cap: ${settings.cap}` }),
  };

  it("prints what a trainer can do, and names what it lacks for the rest", () => {
    expect(writeConfigs(cap(2), [preset]).configs).toEqual([
      {
        trainer: "Capped",
        preset: "capped",
        language: "yaml",
        place: "here",
        text: "cap: 2",
        traps: ["only from above"],
      },
    ]);
    const combined: Correction = {
      weight,
      steps: [
        { action: "truncate", upper: 2 },
        { action: "mask", measure: { statistic: "k3", level: "sequence", aggregation: "mean" }, upper: 0.01 },
      ],
    };
    expect(writeConfigs(combined, [preset]).inexpressible[0]!.why).toMatch(/has the rest, but not: .*k3/);
    expect(writeConfigs(cap(3), [preset]).inexpressible[0]!.why).toBe("has no settings that do this");
  });
});
