import { describe, expect, it } from "vitest";
import { normal, seededRandom } from "../../../test/support/calibration/claim.ts";
import {
  batchOfSequences,
  type DrawnSequence,
  HEAVY_T,
  INDEPENDENT,
  PROMPT_EFFECTS,
} from "../../../test/support/calibration/processes.ts";
import { isLogratioError } from "../../core/base/errors.ts";
import { computeIntervals } from "./intervals.ts";
import { pooledMetrics } from "./metrics.ts";
import { RunSummary } from "./run-summary.ts";

function summarizeRun(sequences: readonly DrawnSequence[], grouped = true): RunSummary {
  const run = new RunSummary();
  run.add(batchOfSequences(sequences, grouped));
  return run;
}

const random = (): (() => number) => seededRandom("intervals");

/** What a token adds to the sum behind a figure, by its Δ. */
const TOKEN_MASSES = {
  k2: (delta: number): number => delta * delta,
  k3: (delta: number): number => Math.expm1(delta) - delta,
  ess: (delta: number): number => Math.expm1(delta) ** 2,
  chi2_token: (delta: number): number => Math.expm1(delta) ** 2,
};

/** Prompts of two samples whose |Δ| are all `size(prompt)`, with alternating signs. */
function evenPrompts(count: number, size: (prompt: number) => number): DrawnSequence[] {
  return Array.from({ length: 2 * count }, (_, i) => {
    const prompt = i >> 1;
    const deltas = Float32Array.from({ length: 20 }, (_, t) => (t % 2 ? 1 : -1) * size(prompt));
    return { deltas, prompt, step: 1 };
  });
}

describe("intervals of pooled figures", () => {
  it("are those of the ratio estimator over prompts, with Student's t", () => {
    const draw = random();
    const sizes = Array.from({ length: 40 }, () => 0.5 + 0.05 * normal(draw)).map(Math.fround);
    const run = summarizeRun(evenPrompts(40, (prompt) => sizes[prompt]!));
    const mean = sizes.reduce((sum, size) => sum + size, 0) / 40;
    const variance = sizes.reduce((sum, size) => sum + (size - mean) ** 2, 0) / 39;
    const fourth = sizes.reduce((sum, size) => sum + (size - mean) ** 4, 0);
    // Fewer normal-like residuals than 39 degrees of freedom only where their kurtosis is above 3.05.
    expect((40 * fourth) / (39 * variance) ** 2).toBeLessThan(3.05);
    const interval = computeIntervals(run.total).delta_abs_mean!;
    const half = (2.02269 * Math.sqrt(variance / 40)) / mean;
    expect(interval.low).toBeCloseTo(mean * Math.exp(-half), 5);
    expect(interval.high).toBeCloseTo(mean * Math.exp(half), 5);
    expect(interval).toMatchObject({
      method: "cluster-t",
      unit: "prompt",
      clusters: 40,
      reason: null,
      leave_one_out: null,
    });
  });

  it("are much wider over prompts than over their samples, where prompts differ", () => {
    const sequences = PROMPT_EFFECTS.draw(random(), 96);
    const [byPrompt, bySequence] = [true, false].map((grouped) =>
      computeIntervals(summarizeRun(sequences, grouped).total),
    );
    const width = ({ low, high }: { low: number; high: number }): number => high - low;
    expect(bySequence!.delta_abs_mean).toMatchObject({ unit: "sequence", clusters: 768 });
    expect(width(byPrompt!.delta_abs_mean!)).toBeGreaterThan(2 * width(bySequence!.delta_abs_mean!));
  });

  it("hold the figure, also where it is turned around for ESS, and k1 is mean Δ with the other sign", () => {
    const { total } = summarizeRun(INDEPENDENT.draw(random(), 100));
    const intervals = computeIntervals(total);
    const metrics = pooledMetrics(total);
    for (const name of ["delta_mean", "delta_abs_mean", "k1", "k2", "k3", "ess", "chi2_token"] as const) {
      expect(intervals[name]!.low).toBeLessThan(metrics[name]);
      expect(intervals[name]!.high).toBeGreaterThan(metrics[name]);
    }
    expect(intervals.k1!.low).toBe(-intervals.delta_mean!.high);
  });

  it("take bit-exact sequences for as many as they are", () => {
    const sequences = evenPrompts(200, (prompt) => (prompt % 10 === 0 ? 0.01 : 0)).filter((_, i) => i % 2);
    const { low, high, clusters } = computeIntervals(summarizeRun(sequences, false).total).delta_abs_mean!;
    expect(clusters).toBe(200);
    // Of 20 in 200: a standard error of 21 %. One weight for all equal sequences made it 13 times as wide.
    expect(high / low).toBeLessThan(Math.exp(2 * 2.2 * 0.22));
  });

  it("are the same whatever the parts were and the order in which they were merged", () => {
    const sequences = INDEPENDENT.draw(random(), 60);
    const whole = computeIntervals(summarizeRun(sequences).total);
    const merged = new RunSummary();
    for (const part of [2, 0, 1]) {
      const own = summarizeRun(sequences.filter((_, i) => i % 3 === part));
      merged.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(own))));
    }
    for (const [name, { low, high }] of Object.entries(computeIntervals(merged.total))) {
      expect(Math.abs(low / whole[name]!.low - 1)).toBeLessThan(1e-9);
      expect(Math.abs(high / whole[name]!.high - 1)).toBeLessThan(1e-9);
    }
  });
});

describe("ten prompts", () => {
  it("have an interval where they are alike, though most hold about 10 %", () => {
    const { low, high, reason } = computeIntervals(
      summarizeRun(evenPrompts(10, (prompt) => 0.0625 + 0.001 * prompt)).total,
    ).delta_abs_mean!;
    expect(reason).toBeNull();
    expect(low).toBeLessThan(0.067);
    expect(high).toBeGreaterThan(0.067);
  });
});

describe("where the data allow no interval", () => {
  const none = (sequences: readonly DrawnSequence[], metric = "delta_abs_mean") => {
    const interval = computeIntervals(summarizeRun(sequences).total)[metric]!;
    expect([interval.low, interval.high]).toEqual([Number.NaN, Number.NaN]);
    return interval;
  };

  it("gives what is left without any one prompt, and says that one holds most", () => {
    const { reason, leave_one_out } = none(evenPrompts(20, (prompt) => (prompt === 3 ? 1 : 0.0625)));
    expect(reason).toBe("one prompt holds 45.7 %");
    expect(leave_one_out![0]).toBeCloseTo(0.0625, 12);
    expect(leave_one_out![1]).toBeCloseTo((18 * 0.0625 + 1) / 19, 12);
  });

  it("says that there are too few prompts", () => {
    expect(none(evenPrompts(9, (prompt) => 0.5 + prompt / 64)).reason).toBe("only 9 prompts");
    expect(computeIntervals(summarizeRun(evenPrompts(1, () => 0.5)).total)).toEqual({});
  });

  it("says that prompts differ too much for so few", () => {
    const draw = random();
    const uneven = evenPrompts(100, () => 0);
    const sizes = Array.from({ length: 100 }, () => 0.01 * Math.exp(1.3 * normal(draw)));
    const { reason } = none(
      uneven.map((sequence) => ({ ...sequence, deltas: sequence.deltas.map(() => sizes[sequence.prompt]!) })),
    );
    expect(reason).toMatch(/^5 of 100 prompts hold \d\d\.\d %$/);
  });

  it("says that a few tokens hold most of a heavy-tailed figure, and keeps the interval of mean |Δ|", () => {
    const sequences = HEAVY_T.draw(random(), 200);
    const intervals = computeIntervals(summarizeRun(sequences).total);
    const deltas = sequences.flatMap((sequence) => [...sequence.deltas]);
    const ofTail: string[] = [];
    for (const [name, mass] of Object.entries(TOKEN_MASSES)) {
      const { reason } = intervals[name]!;
      expect(reason).toMatch(
        /^the tokens' tail is too heavy: 12 of 12,000 hold \d\d\.\d %$|^one prompt holds/,
      );
      const told = /of 12,000 hold (.*) %$/.exec(reason!)?.[1];
      if (told === undefined) continue;
      ofTail.push(name);
      const masses = deltas.map(mass).sort((a, b) => b - a);
      const sum = (of: readonly number[]): number => of.reduce((all, value) => all + value, 0);
      // Cells of the sketch are a thousandth of their Δ wide.
      expect(Math.abs(Number(told) - (100 * sum(masses.slice(0, 12))) / sum(masses))).toBeLessThan(0.3);
    }
    expect(ofTail).not.toEqual([]);
    expect(intervals.delta_abs_mean!.reason).toBeNull();
  });

  it("says that all agree", () => {
    expect(none(evenPrompts(20, () => 0)).reason).toBe("it is 0 in every prompt");
  });
});

describe("summaries of another version", () => {
  it("are refused, and told which", () => {
    const json = JSON.parse(JSON.stringify(summarizeRun(INDEPENDENT.draw(random(), 2))));
    const error = (version: number): unknown => {
      try {
        return RunSummary.fromJSON({ ...json, version });
      } catch (thrown) {
        return thrown;
      }
    };
    for (const [version, whose] of [
      [1, "an older"],
      [9, "a newer"],
    ] as const) {
      const thrown = error(version);
      expect(isLogratioError(thrown, "VersionError") && [thrown.message, thrown.likely]).toEqual([
        `cannot read run summary: version ${version}, this logratio reads version 8`,
        `${whose} logratio wrote it`,
      ]);
      expect(thrown).toMatchObject({ found: version, supported: 8 });
    }
  });
});
