import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawSegments } from "../../../test/support/calibration/when-claims.ts";
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums } from "../../core/summaries/cluster-sums.ts";
import type { StepSegment } from "../../results/assessment.ts";
import { type Segmentation, StepLevels } from "./when.ts";
import { sayWhen } from "./when-words.ts";

interface DrawnStep {
  readonly step: number;
  /** Mean |Δ| of each prompt, nats. */
  readonly means: readonly number[];
  readonly tokens?: number;
  readonly k3?: number;
}

function addStep(levels: StepLevels, { step, means, tokens = 250, k3 = 1e-5 }: DrawnStep): void {
  const table = new Float64Array(means.length * CLUSTER_WIDTH);
  means.forEach((mean, i) => {
    table[i * CLUSTER_WIDTH + CLUSTER.tokens] = tokens;
    table[i * CLUSTER_WIDTH + CLUSTER.deltaAbs] = tokens * mean;
    table[i * CLUSTER_WIDTH + CLUSTER.k3] = tokens * k3;
  });
  levels.add({ step, clusters: { table, count: means.length, sequences: 2 * means.length } as ClusterSums });
}

function segmentsOf(steps: readonly DrawnStep[]): Segmentation {
  const levels = new StepLevels();
  for (const step of steps) addStep(levels, step);
  return levels.find();
}

/** Prompts that differ by a tenth or so. */
const around = (mean: number, prompts = 8): number[] =>
  Array.from({ length: prompts }, (_, i) => mean * (0.9 + 0.2 * (((i * 5) % prompts) / prompts)));

const runOf = (means: readonly number[]): DrawnStep[] =>
  means.map((mean, i) => ({ step: 10 * (i + 1), means: around(mean) }));

const rangesOf = ({ segments }: Segmentation): [number, number][] =>
  segments.map(({ from_step, to_step }) => [from_step, to_step]);

const times = <T>(count: number, value: T): T[] => new Array<T>(count).fill(value);

describe("segments of a run", () => {
  it("are one where nothing jumps, also of a slow drift and where all noise is alike", () => {
    expect(rangesOf(segmentsOf(runOf(times(9, 1e-3))))).toEqual([[10, 90]]);
    expect(segmentsOf(runOf(Array.from({ length: 60 }, (_, i) => 1e-3 * 1.03 ** i))).segments).toHaveLength(
      1,
    );
    const many = { name: "", steps: 300, prompts: 4, effect: 0.1 };
    expect(drawSegments(many, () => 0.37).segments).toEqual([
      expect.objectContaining({ from_step: 0, to_step: 299, steps: 300, level: "normal" }),
    ]);
  });

  it("have the figures and the level of their tokens", () => {
    const { segments } = segmentsOf([
      ...runOf(times(4, 2e-3)),
      ...times(4, 0).map((_, i) => ({ step: 50 + 10 * i, means: around(0.05), k3: 2e-3 })),
    ]);
    expect(segments.map(({ level, tokens, steps }) => [level, tokens, steps])).toEqual([
      ["normal", 8000, 4],
      ["elevated", 8000, 4],
    ]);
    expect(segments[1]!.k3).toBeCloseTo(2e-3, 12);
    expect(segments[1]!.delta_abs_mean / 0.05).toBeCloseTo(0.9875, 3);
  });

  it("are cut at a single bad step, not at a single bad prompt", () => {
    const steps = runOf(times(12, 1e-3));
    expect(rangesOf(segmentsOf(steps.with(4, { step: 50, means: around(1e-2) })))).toEqual([
      [10, 40],
      [50, 50],
      [60, 120],
    ]);
    const odd = { step: 50, means: around(1e-3).with(3, 0.1) };
    expect(segmentsOf(steps.with(4, odd)).segments).toHaveLength(1);
  });

  it("differ in level or by a factor of two", () => {
    const jump = (from: number, to: number): number =>
      segmentsOf(runOf([...times(40, from), ...times(40, to)])).segments.length;
    expect([jump(1e-3, 1.9e-3), jump(1e-3, 2.1e-3), jump(1.4e-2, 2.4e-2)]).toEqual([1, 2, 2]);
    // What float32 rounds is no level of its own.
    expect([jump(1e-8, 1e-6), jump(1e-8, 1e-3)]).toEqual([1, 2]);
  });

  it("say nothing of three steps, unless one of them is far off", () => {
    expect(segmentsOf(runOf([1e-3, 1e-3, 2e-3])).segments).toHaveLength(1);
    expect(rangesOf(segmentsOf(runOf([1e-3, 1e-3, 0.2])))).toEqual([
      [10, 20],
      [30, 30],
    ]);
  });

  it("hold only steps with enough tokens: small ones are joined, or left out", () => {
    const small = (step: number, mean: number): DrawnStep => ({ step, means: around(mean, 2), tokens: 100 });
    const joined = segmentsOf(Array.from({ length: 100 }, (_, i) => small(i, i < 50 ? 1e-3 : 0.05)));
    expect(rangesOf(joined)).toEqual([
      [0, 49],
      [50, 99],
    ]);
    expect(joined.steps_skipped).toBe(0);
    const beside = segmentsOf([
      ...runOf(times(5, 1e-3)),
      small(60, 1),
      ...runOf([0, 0, 0, 0, 0, 0, 1e-3]).slice(6),
    ]);
    expect(rangesOf(beside)).toEqual([[10, 70]]);
    expect(beside).toMatchObject({ steps_skipped: 1, segments: [{ steps: 6, tokens: 12_000 }] });
    expect(segmentsOf([small(1, 1), small(2, 1)])).toMatchObject({ segments: [], steps_skipped: 2 });
  });

  it("leave out steps without a number, and know nothing of none", () => {
    const steps = runOf(times(5, 1e-3));
    expect(segmentsOf([...steps, { step: Number.NaN, means: around(9) }])).toEqual(segmentsOf(steps));
    expect(segmentsOf([])).toEqual({ segments: [], steps_skipped: 0, false_alarm_rate: 0.05 });
  });

  it("cover each step once, in order, with all tokens, whatever the steps are", () => {
    const mean = fc.oneof(fc.double({ min: 0, max: 2, noNaN: true }), fc.constantFrom(0, 1e-3, 0.1, 1e300));
    const step = fc.record({ means: fc.array(mean, { minLength: 1, maxLength: 9 }), tokens: fc.nat(800) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (drawn) => {
        const steps = drawn.map((one, i) => ({ ...one, step: 7 * i + 1, tokens: one.tokens + 1 }));
        const { segments, steps_skipped } = segmentsOf(steps);
        const covered = segments.reduce((sum, one) => sum + one.steps, 0);
        expect(covered + steps_skipped).toBe(steps.length);
        segments.forEach((one, i) => {
          expect(one.from_step).toBeLessThanOrEqual(one.to_step);
          expect(one.from_step).toBeGreaterThan(segments[i - 1]?.to_step ?? 0);
          expect(one.tokens).toBeGreaterThanOrEqual(1000);
          expect(one.steps_at_level).toBeLessThanOrEqual(one.steps);
        });
      }),
    );
  });
});

describe("words for when", () => {
  const segment = (level: StepSegment["level"], from: number, to: number, mean = 1e-3): StepSegment => ({
    from_step: from,
    to_step: to,
    steps: 1 + (to - from) / 10,
    steps_at_level: 1 + (to - from) / 10,
    tokens: 5000,
    delta_abs_mean: mean,
    k3: 1e-5,
    level,
  });
  const say = (level: StepSegment["level"], ...segments: StepSegment[]): string | null =>
    sayWhen({ segments, steps_skipped: 0, false_alarm_rate: 0.05 }, level);

  it("are where the worst level is, and that it is over", () => {
    const [bad, sound] = [segment("elevated", 10, 30), segment("normal", 50, 150)];
    expect(say("elevated", bad, sound)).toBe("in steps 10–30; normal since step 50");
    expect(say("elevated", segment("normal", 10, 50), segment("elevated", 60, 90))).toBe("since step 60");
    expect(say("elevated", segment("normal", 0, 10), segment("elevated", 20, 20), sound)).toBe(
      "in step 20 only",
    );
    expect(say("elevated", segment("elevated", 0, 0), segment("normal", 10, 30))).toBe("in step 0 only");
    expect(say("elevated", segment("normal", 0, 0), bad, sound)).toBe("in steps 10–30; normal since step 50");
    expect(say("high", segment("none", 0, 20), segment("elevated", 30, 40), segment("high", 50, 90))).toBe(
      "since step 50; elevated in steps 30–40",
    );
    expect(say("high", bad, sound)).toBe("elevated in steps 10–30; normal since step 50");
    expect(
      say("broken", segment("broken", 0, 10), segment("broken", 20, 30, 1), segment("none", 40, 90)),
    ).toBe("in steps 0–30; no mismatch since step 40");
  });

  it("spell out three places", () => {
    const many = Array.from({ length: 10 }, (_, i) =>
      segment(i % 2 ? "normal" : "high", 20 * i, 20 * i + 10),
    );
    expect(say("high", ...many)).toBe(
      "in steps 0–10, in steps 40–50, in steps 80–90, and 2 more stretches; normal since step 180",
    );
  });

  it("are every step where each reads so", () => {
    const one = segment("normal", 10, 150);
    expect(say("normal", one)).toBe("in every step");
    expect(say("normal", { ...one, steps_at_level: 3 })).toBeNull();
    expect(say("elevated", one)).toBeNull();
    expect(say("normal", segment("normal", 10, 10))).toBeNull();
    expect(say("normal")).toBeNull();
    const skipped = { segments: [one], steps_skipped: 1, false_alarm_rate: 0.05 };
    expect(sayWhen(skipped, "normal")).toBe("in every step with enough tokens");
  });

  it("are by how much, where no level changes", () => {
    const [before, odd, after] = [
      segment("normal", 10, 60),
      segment("normal", 70, 70, 7e-3),
      segment("normal", 80, 90, 1.1e-3),
    ];
    expect(say("normal", before, odd, after)).toBe("in every step; mean |Δ| 7.0 times as large in step 70");
    expect(say("elevated", before, odd, after)).toBe("mean |Δ| 7.0 times as large in step 70");
    expect(say("normal", before, segment("normal", 70, 90, 3e-3))).toBe(
      "in every step; mean |Δ| 3.0 times as large since step 70",
    );
  });
});
