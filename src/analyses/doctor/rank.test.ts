import { describe, expect, it } from "vitest";
import { type Clue, hold, MOST_WEIGHT } from "./clue.ts";
import { weighLegs } from "./judge/leg.ts";
import { addLogs, type Odds, rankCauses } from "./rank.ts";

const odds = (scores: Readonly<Record<string, number>>): Map<string, Odds> =>
  new Map(Object.entries(scores).map(([id, score]) => [id, { score, clues: [] }]));

describe("probabilities of causes", () => {
  it("are those of their log-odds, likeliest first, and sum to 1", () => {
    const ranked = rankCauses(odds({ a: Math.log(1), b: Math.log(6), c: Math.log(3) }));
    expect(ranked.map(({ id }) => id)).toEqual(["b", "c", "a"]);
    for (const [i, share] of [0.6, 0.3, 0.1].entries()) expect(ranked[i]!.probability).toBeCloseTo(share, 12);
  });

  it("stay finite where odds are past what a number holds", () => {
    const ranked = rankCauses(odds({ a: 5000, b: 5000 + Math.log(3), c: -5000 }));
    expect(ranked.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    for (const [i, share] of [0.75, 0.25, 0].entries()) expect(ranked[i]!.probability).toBeCloseTo(share, 9);
  });

  it("come in the order of names where they are equal, whatever the order of the odds", () => {
    for (const names of [
      ["b", "a", "c"],
      ["c", "b", "a"],
    ])
      expect(
        rankCauses(odds(Object.fromEntries(names.map((name) => [name, 1])))).map(({ id }) => id),
      ).toEqual(["a", "b", "c"]);
  });

  it("of one that coexists are its own, behind those that share 1", () => {
    const mark: Odds = { score: Math.log(99), clues: [], explains: 0.002, coexists: true };
    const ranked = rankCauses(new Map([...odds({ a: 0, b: Math.log(3) }), ["mark", mark]]));
    expect(ranked.map(({ id, coexists }) => [id, coexists])).toEqual([
      ["b", false],
      ["a", false],
      ["mark", true],
    ]);
    for (const [i, share] of [0.75, 0.25, 0.99].entries())
      expect(ranked[i]!.probability).toBeCloseTo(share, 12);
    expect(ranked.map(({ explains }) => explains)).toEqual([null, null, 0.002]);
  });

  it("come with what speaks for them, the strongest first", () => {
    const clue = (weight: number) => ({ cause: "a", weight, sentence: `${weight}`, figures: {} }) as Clue;
    const [ranked] = rankCauses(new Map([["a", { score: 0, clues: [clue(1), clue(-2), clue(5)] }]]));
    expect(ranked!.clues.map(({ weight }) => weight)).toEqual([5, 1, -2]);
  });

  it("add up as logarithms", () => {
    expect(addLogs([Math.log(2), Math.log(3), Math.log(5)])).toBeCloseTo(Math.log(10), 12);
    expect(addLogs([-1000, -1000])).toBeCloseTo(-1000 + Math.LN2, 9);
    expect(addLogs([])).toBe(Number.NEGATIVE_INFINITY);
    expect(addLogs([Number.NEGATIVE_INFINITY])).toBe(Number.NEGATIVE_INFINITY);
  });

  it("are moved by no single fact by more than its limit", () => {
    expect([hold(3), hold(40), hold(-40), hold(Number.POSITIVE_INFINITY)]).toEqual([
      3,
      MOST_WEIGHT,
      -MOST_WEIGHT,
      MOST_WEIGHT,
    ]);
  });
});

describe("the leg that three columns name", () => {
  const ALL = odds({
    healthy: 1,
    cannot_tell: 1,
    stale_weights: 1,
    kv_cache_quantization: 1,
    stale_prefix_cache: 1,
    token_shift: 1,
  });
  const scores = (leg: Parameters<typeof weighLegs>[1]) =>
    Object.fromEntries([...weighLegs(ALL, leg)].map(([id, { score }]) => [id, score]));
  const SAME = Object.fromEntries([...ALL].map(([id, { score }]) => [id, score]));

  it("speaks, where decoding differs, against what a prefill has too, and against a sound run", () => {
    expect(scores("decode")).toEqual({ ...SAME, healthy: -3, stale_weights: -3 });
  });

  it("speaks, where the trainer differs, against the engine's caches alone", () => {
    expect(scores("trainer")).toEqual({ ...SAME, kv_cache_quantization: -3, stale_prefix_cache: -3 });
  });

  it("speaks for a sound run where no leg differs, and for nothing where there is no third column", () => {
    expect(scores("none")).toEqual({ ...SAME, healthy: 3 });
    expect(scores(null)).toEqual(SAME);
  });
});
