import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import type { HealthReport } from "../../../results/health.ts";
import type { RunMetricKind } from "../../../trainers/shared/logged-keys.ts";
import { checkSeries, findBeside, orderBeside } from "./find-beside.ts";
import type { RunSeries } from "./series.ts";

/** Level of a step of 0 to 1 (the last); noise is added to it. */
type Shape = (part: number, step: number) => number;

const STEPS = 200;
/** Shapes of a run in which nothing is wrong: it learns to the end. */
const SOUND: Partial<Record<RunMetricKind, Shape>> = {
  reward: (part) => 0.2 + 0.5 * part,
  evaluation: (part) => 0.15 + 0.4 * part,
  entropy: (part) => 0.3 + 0.3 * Math.exp(-2 * part),
  flat_groups: (part) => 0.2 + 0.2 * part,
  clip: () => 0.08,
  clip_low: () => 0.04,
  clip_high: () => 0.04,
  grad_norm: (part) => 5 * Math.exp(-2.5 * part),
  reference_kl: (part) => 0.3 * part,
  length: (part) => 300 + 100 * part,
  truncated: () => 0.01,
};

/** Relative noise of 5 %, the same for the same seed. */
function draw(shapes: Partial<Record<RunMetricKind, Shape>>, seed = 1): RunSeries {
  const random = seededRandom(seed);
  const noise = (): number => 1 + 0.05 * Math.sqrt(12) * (random() - 0.5);
  const steps = Array.from({ length: STEPS }, (_, at) => at + 1);
  return new Map(
    Object.entries({ ...SOUND, ...shapes }).map(([kind, shape]) => {
      const own = kind === "evaluation" ? steps.filter((step) => step % 10 === 0) : steps;
      const values = own.map((step) => shape((step - 1) / (STEPS - 1), step) * noise());
      return [kind as RunMetricKind, [{ name: kind, part: "", steps: own, values }]] as const;
    }),
  );
}

const ids = (run: RunSeries): string[] => checkSeries(run).map(({ id, level }) => `${level} ${id}`);
const only = (run: RunSeries): BesideFinding => {
  const found = checkSeries(run);
  expect(found).toHaveLength(1);
  return found[0]!;
};

describe("a run that learns to the end", () => {
  it("has nothing, whatever its noise", () => {
    for (let seed = 1; seed <= 40; seed++) expect([seed, ids(draw({}, seed))]).toEqual([seed, []]);
  });

  it("has nothing that could be judged by few steps", () => {
    const short = new Map(
      [...draw({ entropy: (part) => (part < 0.01 ? 1 : 0.001), truncated: () => 0.9 })].map(
        ([kind, [one]]) =>
          [kind, [{ ...one!, steps: one!.steps.slice(0, 7), values: one!.values.slice(0, 7) }]] as const,
      ),
    );
    expect(ids(short)).toEqual([]);
  });
});

describe("entropy", () => {
  const falls: Shape = (_, step) => (step < 78 ? 0.52 : 0.009);

  it("that jumps to a tenth is dated by its jump", () => {
    const found = only(draw({ entropy: falls }));
    expect(found).toMatchObject({ id: "entropy", level: "warn", since_step: 78, outcome: "lasts" });
    expect(found.short).toMatch(/^entropy fell from 0\.5\d? to 0\.00\d+, most of it at step 78$/);
    expect(found.sentence).toContain("; the reward still rises.");
  });

  it("is bad where the reward no longer rises, and dated by its limit where it falls steadily", () => {
    const steady: Shape = (part) => 0.6 * Math.exp(-4 * part);
    const run = draw({
      entropy: steady,
      reward: (part) => 0.2 + Math.min(0.4, 2 * part),
      evaluation: () => 0.3,
    });
    const [found] = checkSeries(run);
    expect(found).toMatchObject({ id: "entropy", level: "bad" });
    expect(found!.short).toMatch(/, below a tenth since step 1\d\d$/);
  });

  it("that keeps an eighth is left alone", () => {
    expect(ids(draw({ entropy: (part) => (part < 0.5 ? 0.8 : 0.1) }))).toEqual([]);
  });
});

describe("clipping", () => {
  it("is too much from a fifth, and bad from two fifths of the tokens", () => {
    for (const [clip, found] of [
      [0.17, []],
      [0.25, ["warn clipping"]],
      [0.5, ["bad clipping"]],
    ] as const)
      expect(ids(draw({ clip: () => clip }))).toEqual(found);
    expect(only(draw({ clip: (_, step) => (step < 120 ? 0.05 : 0.5) })).since_step).toBe(120);
  });

  it("is the sum of its sides where the log has only these", () => {
    const run = new Map(
      [...draw({ clip_low: () => 0.15, clip_high: () => 0.15 })].filter(([kind]) => kind !== "clip"),
    );
    expect(only(run)).toMatchObject({ id: "clipping", read_from: ["clip_low + clip_high"] });
  });

  it("is one-sided where three times as much is clipped below, and much", () => {
    expect(ids(draw({ clip_low: () => 0.06, clip_high: () => 0.01 }))).toEqual(["warn clip_sides"]);
    expect(ids(draw({ clip_low: () => 0.06, clip_high: () => 0.03 }))).toEqual([]);
    expect(ids(draw({ clip_low: () => 0.01, clip_high: () => 0 }))).toEqual([]);
    expect(ids(draw({ clip_low: () => 0.01, clip_high: () => 0.06 }))).toEqual([]);
  });
});

describe("the gradient", () => {
  const base = SOUND.grad_norm!;
  const spiked =
    (at: readonly number[]): Shape =>
    (part, step) =>
      base(part, step) * (at.includes(step) ? 50 : 1);

  it("has spikes where three steps are far above those around them, though the norm falls", () => {
    expect(only(draw({ grad_norm: spiked([60, 90, 190]) }))).toMatchObject({
      id: "gradient_spikes",
      since_step: 60,
      outcome: "lasts",
      figures: { spikes: 3 },
    });
    expect(only(draw({ grad_norm: spiked([20, 40, 60]) })).outcome).toBe("over");
    expect(ids(draw({ grad_norm: spiked([60, 90]) }))).toEqual([]);
  });

  it("is exactly 0 in many steps, or has vanished", () => {
    const zeros =
      (share: number): Shape =>
      (_, step) =>
        step % 10 < 10 * share ? 0 : 0.5;
    expect(ids(draw({ grad_norm: zeros(0.3) }))).toEqual([]);
    expect(ids(draw({ grad_norm: zeros(0.5) }))).toEqual(["warn gradient_zero"]);
    expect(ids(draw({ grad_norm: zeros(0.8) }))).toEqual(["bad gradient_zero"]);
    expect(ids(draw({ grad_norm: (part) => 5 * Math.exp(-6 * part) }))).toEqual(["warn gradient_vanishing"]);
  });
});

describe("the reference", () => {
  it("is left behind where the KL is high and rises ever faster, or very high", () => {
    expect(ids(draw({ reference_kl: (part) => part ** 3 }))).toEqual(["warn reference"]);
    expect(ids(draw({ reference_kl: (part) => 0.9 * Math.min(1, 3 * part) }))).toEqual([]);
    expect(ids(draw({ reference_kl: () => 3 }))).toEqual(["warn reference"]);
    expect(ids(draw({ reference_kl: () => 3, evaluation: () => 0.3, reward: () => 0.3 }))).toEqual([
      "bad reference",
      "warn plateau",
    ]);
    expect(ids(draw({ reference_kl: () => 0 }))).toEqual([]);
  });
});

describe("reward and evaluation", () => {
  it("that part are told: a fall as bad, no rise as a warning", () => {
    const falls = only(draw({ evaluation: (part) => (part < 0.4 ? 0.2 + part : 0.6 - 0.5 * (part - 0.4)) }));
    expect(falls).toMatchObject({ id: "evaluation", level: "bad" });
    expect(falls.since_step).toBeGreaterThan(60);
    expect(falls.since_step).toBeLessThan(110);
    expect(ids(draw({ evaluation: () => 0.4 }))).toEqual(["warn evaluation"]);
  });

  it("are no matter where the reward gains little", () => {
    expect(ids(draw({ reward: (part) => 0.8 + 0.1 * part, evaluation: () => 0.4 }))).not.toContain(
      "warn evaluation",
    );
  });
});

describe("length", () => {
  const grows: Shape = (part) => 300 + 600 * part;

  it("that the reward pays for is told where an evaluation does not rise with it", () => {
    expect(ids(draw({ length: grows, evaluation: () => 0.4 }))).toContain("bad reward_length");
    expect(ids(draw({ length: grows }))).toEqual([]);
    const without = new Map([...draw({ length: grows })].filter(([kind]) => kind !== "evaluation"));
    expect(ids(without)).toEqual([]);
  });
});

describe("shares", () => {
  it("of flat groups and cut answers have their limits, and since when they are beyond", () => {
    expect(ids(draw({ flat_groups: () => 0.45 }))).toEqual([]);
    expect(only(draw({ flat_groups: (_, step) => (step < 100 ? 0.2 : 0.9) }))).toMatchObject({
      level: "bad",
      since_step: 100,
    });
    expect(ids(draw({ flat_groups: () => 0.6 }))).toEqual(["warn flat_groups"]);
    expect(ids(draw({ truncated: () => 0.08 }))).toEqual([]);
    expect(ids(draw({ truncated: () => 0.15 }))).toEqual(["warn truncation"]);
    expect(ids(draw({ truncated: () => 0.4 }))).toEqual(["bad truncation"]);
  });
});

describe("parts of the reward", () => {
  const parts = (shapes: Readonly<Record<string, Shape>>): RunSeries =>
    new Map([
      [
        "reward_part",
        Object.entries(shapes).map(([part, shape], at) => ({
          ...draw({ reward: shape }, at + 1).get("reward")![0]!,
          name: `rewards/${part}/mean`,
          part,
        })),
      ],
    ]);

  it("are told where one that is not the task leads, or where one rises and another falls", () => {
    expect(ids(parts({ correct: () => 0.01, format: () => 0.5 }))).toEqual(["bad reward_parts"]);
    expect(ids(parts({ correct: (part) => 0.2 + 0.5 * part, format: () => 0.01 }))).toEqual([]);
    const apart = only(parts({ correct: (part) => 0.6 - 0.3 * part, style: (part) => 0.2 + 0.2 * part }));
    expect(apart.short).toMatch(
      /^parts of the reward move apart: “style” from 0\.2\d to 0\.4\d?, “correct” from 0\.5\d to 0\.3\d?$/,
    );
  });
});

describe("a plateau", () => {
  const flat: Shape = (part) => 0.2 + Math.min(0.4, 2 * part);

  it("is a reward that surely rises no more, from about where it ends to rise", () => {
    const found = only(draw({ reward: flat, evaluation: flat }));
    expect(found).toMatchObject({ id: "plateau", level: "warn" });
    expect(found.since_step).toBeGreaterThan(30);
    expect(found.since_step).toBeLessThan(70);
  });

  it("is not said of a solved task, of an evaluation that still rises, or of a short rest", () => {
    expect(ids(draw({ reward: (part) => Math.min(0.97, 0.5 + 2 * part) * 0.999 }, 3))).not.toContain(
      "warn plateau",
    );
    expect(ids(draw({ reward: flat }))).toEqual([]);
    const late: Shape = (part) => 0.2 + Math.min(0.4, 0.5 * part);
    expect(ids(draw({ reward: late, evaluation: late }))).toEqual([]);
  });
});

describe("the checks of a dump", () => {
  const perStep = (share: number, steps = 12) =>
    Array.from({ length: steps }, (_, at) => ({
      step: at + 1,
      count: at < 4 ? 2 : Math.round(share * 8),
      of: 8,
    }));
  const health = (share: number, steps?: number): HealthReport => ({
    flat_groups: {
      ...{ id: "flat_groups", outcome: "beyond", value: share, limit: 0.5, groups: 96, flat: 60 },
      ...{ flat_best: 58, flat_worst: 2, per_step: perStep(share, steps) },
    },
    truncation: {
      ...{ id: "truncation", outcome: "beyond", value: 0.2, limit: 0.1, basis: "longest", sequences: 400 },
      ...{ truncated: 80, longest: 64, reward_truncated: null, reward_rest: null, reasons: [] },
      per_step: [{ step: 1, count: 80, of: 400 }],
    },
    staleness: { id: "staleness", outcome: "beyond", value: 7, limit: 4, tokens: 9, mean: 2.5, parts: [] },
    reward_length: {
      ...{ id: "reward_length", outcome: "beyond", value: 0.5, limit: 0.3, sequences: 400 },
      ...{ interval: [0.4, 0.6], within: "group", tenths: [] },
    },
  });
  const none: RunSeries = new Map();

  it("are bad only of enough steps, and dated", () => {
    expect(findBeside(none, health(0.9))[0]).toMatchObject({
      id: "flat_groups",
      level: "bad",
      since_step: 5,
      short: "all answers of 88 % of the groups have one reward since step 5",
    });
    expect(findBeside(none, health(0.9, 6))[0]).toMatchObject({ level: "warn", since_step: null });
  });

  it("say nothing of a share that may be chance, nor of a few answers that are guessed to be cut", () => {
    expect(findBeside(none, health(0.6)).map(({ id }) => id)).toEqual(["staleness"]);
  });

  it("take long answers that are rewarded for a fault only where answers grow", () => {
    const length = (end: number): RunSeries =>
      new Map([["length", draw({ length: (part) => 100 + end * part }).get("length")!]]);
    expect(findBeside(length(100), health(0.2)).map(({ id }) => id)).toEqual(["reward_length", "staleness"]);
    expect(findBeside(length(20), health(0.2)).map(({ id }) => id)).toEqual(["staleness"]);
  });

  it("keep the worse of two findings of one kind", () => {
    const one = findBeside(none, health(0.9))[0]!;
    const milder: BesideFinding = { ...one, level: "warn", short: "milder" };
    expect(orderBeside([milder, one])).toEqual([one]);
    expect(orderBeside([milder, { ...one, run: "b" }])).toHaveLength(2);
  });
});
