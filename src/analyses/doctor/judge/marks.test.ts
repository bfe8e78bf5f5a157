import { describe, expect, it } from "vitest";
import type { Figures, Shape } from "../features/shape.ts";
import { judgeMarks } from "./marks.ts";

/** Figures of a run in which nothing stands out, but for what is given. */
function judge(
  given: Readonly<Record<string, object>> = {},
  { rowSpread = 0, isHealthy = false }: { readonly rowSpread?: number; readonly isHealthy?: boolean } = {},
) {
  const figures = {
    spread: { meanAbs: 0.02, ...given.spread },
    tilt: { ratio: 1, rolloutZ: 0, trainerZ: 0, ...given.tilt },
    prefixes: { pairs: 0, rollout: 0, trainer: 0, between: 0 },
    training: { reference: null, advantage: { r: 0, z: 0, rows: 0 }, ...given.training },
    places: {
      positionJumps: null,
      packing: null,
      kink: { position: 0, before: 1, after: 1, z: 0 },
      bins: [],
      ...given.places,
    },
    ...(given.prefixes && { prefixes: given.prefixes }),
    staleness: given.staleness ?? null,
  };
  return judgeMarks(figures as unknown as Figures, { rowSpread } as unknown as Shape, isHealthy);
}
const weights = (...args: Parameters<typeof judge>) =>
  Object.fromEntries(judge(...args).map(({ cause, weight }) => [cause, weight]));

it("nothing is marked where nothing stands out, nor where the level is an engine's", () => {
  expect(judge()).toEqual([]);
  const jumps = { positionJumps: { rows: 10, wrongStarts: 9, tokens: 100, jumps: 0 } };
  expect(judge({ places: jumps })).toHaveLength(1);
  expect(judge({ places: jumps }, { isHealthy: true })).toEqual([]);
});

describe("equal contexts that were scored twice", () => {
  const prefixes = (trainer: number, rollout: number, more: object = {}) => ({
    prefixes: { pairs: 20, trainer, rollout, between: 1, ...more },
  });

  it("show a trainer that is not deterministic", () => {
    const [clue] = judge(prefixes(0.5, 0.1));
    expect(clue).toMatchObject({ cause: "dropout_on", weight: 8 });
    expect(clue!.sentence).toBe(
      "At 20 tokens that follow the same tokens in two sequences, logits differ between the sequences by 0.500 in the trainer and by 0.100 in the rollout, and between the sides by 1.00: the trainer is not deterministic.",
    );
    expect(weights(prefixes(0.25, 0))).toEqual({});
    expect(weights(prefixes(0.5, 0.2))).toEqual({});
    expect(Object.keys(weights(prefixes(0.5, 0.19)))).toEqual(["dropout_on"]);
  });

  it("show a rollout that changes: routing, or two populations of sequences", () => {
    expect(weights(prefixes(0.1, 0.5))).toEqual({ moe_routing_flips: 5, mixed_weight_versions: 2.5 });
    expect(weights(prefixes(0.1, 0.5), { rowSpread: 0.76 })).toEqual({
      moe_routing_flips: 2,
      mixed_weight_versions: 7,
    });
    expect(weights(prefixes(0.1, 0.5), { rowSpread: 0.75 }).moe_routing_flips).toBe(5);
    expect(judge(prefixes(0.1, 0.5))[0]!.sentence).toMatch(
      /: the rollout's policy changes from sequence to seq/,
    );
    expect(weights(prefixes(0, 0.25))).toEqual({});
    expect(weights(prefixes(0.2, 0.5))).toEqual({});
  });

  it("speak against both where both sides give the same", () => {
    expect(weights(prefixes(0.04, 0.04))).toEqual({
      dropout_on: -6,
      moe_routing_flips: -3,
      mixed_weight_versions: -3,
    });
    expect(weights(prefixes(0.05, 0.04))).toEqual({});
    expect(weights(prefixes(0.04, 0.05))).toEqual({});
    expect(weights(prefixes(0.04, 0.04, { pairs: 19 }))).toEqual({});
    expect(weights({ prefixes: { pairs: 20, trainer: 0, rollout: 0, between: 9e-4 } })).toEqual({});
  });
});

describe("a side that scores with the reference's weights", () => {
  const reference = (more: object = {}) => ({
    training: {
      reference: {
        tokens: 100,
        trainerEqual: 0.9,
        rolloutEqual: 0,
        trainerDistance: 0.001,
        rolloutDistance: 0.05,
        ...more,
      },
    },
  });

  it("is named: the trainer's a wrong checkpoint, the rollout's adapters that were not merged", () => {
    expect(weights(reference())).toEqual({ wrong_checkpoint: 8 });
    expect(judge(reference())[0]!.sentence).toBe(
      "The trainer log-probs differ from the reference policy's by 0.00100 nats on average (90.0 % are equal), the other side's by 0.0500: the trainer scores with the reference's weights.",
    );
    const turned = reference({
      trainerEqual: 0,
      rolloutEqual: 0.4,
      trainerDistance: 0.05,
      rolloutDistance: 0.001,
    });
    expect(weights(turned)).toEqual({ wrong_checkpoint: 3, lora_not_merged: 4 });
    expect(judge(turned)[0]!.sentence).toMatch(/^The rollout log-probs differ .*\(40\.0 % are equal\)/);
    expect(weights(reference({ trainerEqual: 0.5 }))).toEqual({ wrong_checkpoint: 4 });
  });

  it("is so near that chance is out of question, and the other far", () => {
    expect(weights(reference({ tokens: 99 }))).toEqual({});
    expect(weights(reference({ trainerDistance: 0.006 }))).toEqual({});
    expect(weights(reference({ trainerDistance: 0.0059 }))).toEqual({ wrong_checkpoint: 8 });
    expect(weights(reference({ trainerDistance: 0.0001, rolloutDistance: 0.0059 }))).toEqual({});
    expect(weights(reference({ trainerDistance: 0.0001, rolloutDistance: 0.0061 }))).toEqual({
      wrong_checkpoint: 8,
    });
  });
});

it("position ids that do not count on are told: starts in half of the rows, or jumps at one token in 500", () => {
  const jumps = (wrongStarts: number, count: number) =>
    judge({ places: { positionJumps: { rows: 10, wrongStarts, tokens: 1000, jumps: count } } });
  expect(jumps(5, 0)[0]!.sentence).toBe(
    "The recorded position ids are not consecutive: 5 of 10 responses do not start right after the prompt, and 0 tokens jump.",
  );
  expect([jumps(4, 1), jumps(4, 2), jumps(5, 0)].map((clues) => clues.map(({ weight }) => weight))).toEqual([
    [],
    [9],
    [9],
  ]);
});

describe("packs whose first sequence is sound", () => {
  const packing = (more: object = {}) =>
    judge({
      places: {
        packing: {
          ...{ of: "sequences", size: 4, soundGap: 0.01, otherGap: 0.1, sound: 8, other: 24, z: 5 },
          ...more,
        },
      },
    });

  it("are told with their size and both gaps, and are not dropout's, which leaves no sequence alone", () => {
    const [clue, dropout] = packing();
    expect(clue!.cause).toBe("packing_leak");
    expect(clue!.weight).toBeCloseTo(3 + 3 * Math.log10(0.1 / 0.010001) + Math.log(8), 9);
    expect(clue!.sentence).toBe(
      "Of every 4 sequences in file order, the first is fine (median gap in logits 0.0100 over 8) and the others are not (0.100 or more in three quarters of 24): they see the sequences packed before them.",
    );
    expect(clue!.picture).toMatchObject({
      x: ["first of its pack", "others"],
      series: [{ y: [0.01, 0.1] }],
    });
    expect(dropout).toMatchObject({ cause: "dropout_on", weight: -8 });
    expect(packing({ of: "tokens", size: 4096 })[0]!.sentence).toMatch(
      /^In packs of up to 4096 tokens, filled in file order, the first sequence is fine \(median/,
    );
  });

  it("are four at least, by far, and not by chance", () => {
    expect([packing({ sound: 3 }), packing({ otherGap: 0.04 }), packing({ z: 4.5 })]).toEqual([[], [], []]);
    expect(packing({ sound: 4, otherGap: 0.041, z: 4.6 })).toHaveLength(2);
  });
});

describe("a gap that begins at a position", () => {
  const bins = [0.1, 0.1, 0.1, 0.9, 0.9].map((gap, at) => ({ position: 100 * at, gap }));
  const kink = (more: object = {}) =>
    judge({ places: { bins, kink: { position: 300, before: 0.1, after: 0.9, z: 6, ...more } } });

  it("is a window of context, told with the position", () => {
    const [clue] = kink();
    expect(clue).toMatchObject({ cause: "context_window", figures: { position: 300, z: 6 } });
    expect(clue!.weight).toBeCloseTo(2 + 2 * Math.log(9), 9);
    expect(clue!.sentence).toBe(
      "Up to position 300 (prompt included) the gap in logits is 0.100 and does not grow; after it, the gap is 0.900.",
    );
    expect(clue!.picture).toMatchObject({
      x: [0, 100, 200, 300, 400],
      series: [{ y: [0.1, 0.1, 0.1, 0.9, 0.9] }],
    });
  });

  it("is four times as large behind it, and did not grow before", () => {
    expect([kink({ after: 0.4 }), kink({ z: 5 }), kink({ before: 0.25, after: 2 })]).toEqual([[], [], []]);
    expect(kink({ after: 0.41, z: 5.1 })).toHaveLength(1);
    expect(kink({ before: 0.24, after: 2 })).toHaveLength(1);
  });
});

it("a sequence whose Σ Δ follows its own advantage is one update ahead", () => {
  const advantage = (r: number, z: number, rows: number) =>
    judge({ training: { advantage: { r, z, rows } } });
  const [clue] = advantage(0.8, 5, 20);
  expect(clue).toMatchObject({ cause: "trainer_ahead_one_update", weight: expect.closeTo(1.2, 9) });
  // Nothing but an update on these sequences follows their advantages so closely.
  expect(advantage(0.9, 8, 20)[0]!.weight).toBeCloseTo(3.6, 9);
  expect(clue!.sentence).toContain(
    "(rank correlation 0.800 over 20 sequences, z 5.00), as after an optimizer",
  );
  expect([advantage(0.49, 5, 20), advantage(0.8, 2.9, 20), advantage(0.8, 5, 15)]).toEqual([[], [], []]);
  expect(advantage(0.5, 3, 16)).toHaveLength(1);
});

describe("columns in each other's place", () => {
  const swap = (more: object = {}) => judge({ tilt: { ratio: -0.9, rolloutZ: 6.3, trainerZ: 0.5, ...more } });

  it("are told where the samples fit the trainer's", () => {
    const [clue, ...others] = swap();
    expect(others).toEqual([]);
    expect(clue).toMatchObject({ cause: "columns_swapped", weight: 8 });
    expect(clue!.sentence).toBe(
      "The tokens fit the trainer's column, not the rollout's: with t = (q − p) / (q + p), mean t is 0.900 times mean t²; tokens of the rollout's policy give −1 (z 6.30), those of the trainer's 1 (z 0.500).",
    );
  });

  it("are not told where the samples fit neither, or may fit both", () => {
    const others = [
      { rolloutZ: 3.3 },
      { trainerZ: -3 },
      { ratio: -0.59 },
      { ratio: -1.41 },
      { ratio: Number.NaN },
    ];
    expect(others.map(swap)).toEqual([[], [], [], [], []]);
    expect(swap({ rolloutZ: -6.3 })).toEqual([]);
  });
});

describe("recorded weight versions", () => {
  const byAge = (noise: readonly number[], z = 6) => ({
    staleness: {
      ages: noise.map((level, k) => ({ staleness: k, tokens: 900, sequences: 20, noise: level })),
      trend: { r: 0.8, z },
    },
  });

  it("show old weights where the noise grows with their age", () => {
    const [clue, workers] = judge(byAge([0.03, 0.05, 0.09]));
    expect(clue).toMatchObject({
      cause: "stale_weights",
      figures: { noise_freshest: 0.03, noise_oldest: 0.09 },
    });
    expect(clue!.weight).toBeCloseTo(5 + 4 * Math.log(3), 5);
    expect(clue!.sentence).toBe(
      "By the recorded weight versions, the noise on logits is 0.0300 at staleness 0, 0.0500 at staleness 1, 0.0900 at staleness 2: it grows with the age of the weights (z 6.00).",
    );
    expect(clue!.picture).toMatchObject({ x: ["0", "1", "2"], series: [{ y: [0.03, 0.05, 0.09] }] });
    expect(workers).toMatchObject({ cause: "mixed_weight_versions", weight: -2 });
  });

  it("speak against old weights where age makes no difference, and say nothing in between", () => {
    const [clue] = judge(byAge([0.05, 0.054]));
    expect(clue).toMatchObject({ cause: "stale_weights", weight: -4 });
    expect(clue!.sentence).toMatch(/: the age of the weights makes no difference\.$/);
    expect(judge(byAge([0.05, 0.06]))).toEqual([]);
    expect(judge(byAge([0.03, 0.09], 3.9))).toEqual([]);
  });

  it("point to updates that do not reach the engine where all weights were new", () => {
    expect(weights(byAge([0.09]))).toEqual({ stale_weights: -1, update_below_precision: 1 });
    expect(judge(byAge([0.09]))[0]!.sentence).toBe(
      "The recorded weight versions are 0 behind the step in every sequence: by them, the engine got new weights before each step.",
    );
  });
});
