import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { SampledCluster, SampledSequence } from "../../../core/summaries/sampled-clusters.ts";
import { comparePlaces, gatherAllPlaces, testPlaces } from "./index.ts";
import { outcomeContrast } from "./outcome.ts";
import { findStandouts, type Standout } from "./standout.ts";
import { findTrend } from "./trend.ts";

const random = seededRandom(11);
const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

function findTurns(clusters: readonly SampledCluster[]): readonly Standout<number>[] {
  const places = gatherAllPlaces(clusters);
  return comparePlaces(places, testPlaces(places.toTest)).turns;
}

interface Drawn {
  readonly steps?: number;
  readonly prompts?: number;
  readonly samples?: number;
  readonly turns?: number;
  /** Of a sequence's mean |Δ|: by what factor. */
  readonly effect?: (sequence: { step: number; rank: number; correct: number; turn: number }) => number;
  /** Standard deviation of a prompt's log level. */
  readonly prompt?: number;
}

/** A run of prompts, each sampled several times on the ranks in turn. */
function drawRun({
  steps = 12,
  prompts = 12,
  samples = 4,
  turns = 3,
  effect = () => 1,
  prompt = 0.6,
}: Drawn): SampledCluster[] {
  return Array.from({ length: steps * prompts }, (_, cluster) => {
    const step = Math.floor(cluster / prompts);
    const level = 0.01 * Math.exp(prompt * normal());
    const solves = random();
    const sequences = Array.from({ length: samples }, (_, rank): SampledSequence => {
      const correct = random() < solves ? 1 : 0;
      const cells = Array.from({ length: turns }, (_, turn) => {
        const tokens = 20 + Math.floor(20 * random());
        const mean = level * Math.exp(0.3 * normal()) * effect({ step, rank, correct, turn });
        return [tokens, tokens * mean];
      }).flat();
      const name = `s${step}.r${rank}.q${cluster}`;
      return {
        handle: name,
        step,
        rank,
        correct,
        environment: null,
        engine: null,
        finish: null,
        staleness: Number.NaN,
        turns: cells,
        excess: [],
        deciles: cells,
        jumps: 0,
        reward: Number.NaN,
        tokens: 10,
      };
    });
    return { cluster, sequences };
  });
}

const getStep = ({ step }: SampledSequence): number => step;
const getRank = ({ rank }: SampledSequence): number => rank;

describe("standoutsOf", () => {
  test("names the step that is three times as far off, with the factor", () => {
    const run = drawRun({ effect: ({ step }) => (step === 7 ? 3 : 1) });
    const [found] = findStandouts(run, getStep);
    expect(found?.key).toBe(7);
    expect(found?.p).toBeLessThan(0.05);
    expect(found?.factor.factor).toBeGreaterThan(1.8);
    expect(found?.factor.factor).toBeLessThan(5);
    expect((found?.mean as number) / (found?.othersMean as number)).toBeCloseTo(
      found?.factor.factor as number,
      10,
    );
  });

  test("does not name a step that is nearer than the others", () => {
    const run = drawRun({ effect: ({ step }) => (step === 7 ? 0.2 : 1) });
    expect(findStandouts(run, getStep).map(({ key }) => key)).not.toContain(7);
  });

  test("sees a rank within prompts, where prompts differ by more than the rank does", () => {
    const run = drawRun({ prompt: 1.5, effect: ({ rank }) => (rank === 2 ? 1.5 : 1) });
    const [found] = findStandouts(run, getRank);
    expect(found?.key).toBe(2);
    expect(found?.factor.factor).toBeGreaterThan(1.2);
    expect(found?.factor.factor).toBeLessThan(1.9);
  });

  test("leaves out what is not known, and says nothing of one part alone", () => {
    const run = drawRun({ steps: 1 });
    expect(findStandouts(run, getStep)).toEqual([]);
    expect(findStandouts(run, () => Number.NaN)).toEqual([]);
    expect(findStandouts(run, () => undefined)).toEqual([]);
    expect(findStandouts([], getStep)).toEqual([]);
  });

  test("names a step, a rank or a turn in about 5 % of runs in which none differs", () => {
    const runs = 120;
    const named = { step: 0, rank: 0, turn: 0 };
    for (let run = 0; run < runs; run++) {
      const drawn = drawRun({ steps: 8, prompts: 8, prompt: 0.8 });
      if (findStandouts(drawn, getStep).length > 0) named.step++;
      if (findStandouts(drawn, getRank).length > 0) named.rank++;
      if (findTurns(drawn).length > 0) named.turn++;
    }
    for (const count of Object.values(named)) expect(count / runs).toBeLessThan(0.12);
  });
});

describe("comparePlaces", () => {
  test("compares a turn with the other turns of the same responses", () => {
    const [found] = findTurns(drawRun({ prompt: 1.5, effect: ({ turn }) => (turn === 2 ? 2 : 1) }));
    expect(found?.key).toBe(2);
    expect(found?.factor.factor).toBeGreaterThan(1.6);
    expect(found?.factor.factor).toBeLessThan(2.5);
  });

  test("is not misled by long responses that are further off throughout", () => {
    const short = drawRun({ turns: 1, prompt: 0.3 });
    const long = drawRun({ turns: 4, prompt: 0.3, effect: () => 10 });
    const [found] = findTurns([
      ...short,
      ...long.map(({ cluster, sequences }) => ({ cluster: cluster + 1000, sequences })),
    ]);
    expect(found === undefined || found.factor.factor < 1.3).toBe(true);
  });
});

describe("outcomeContrast", () => {
  test("gives incorrect against correct, overall and within prompts", () => {
    const found = outcomeContrast(drawRun({ effect: ({ correct }) => (correct === 1 ? 1 : 2.5) }));
    expect(found?.p).toBeLessThan(0.05);
    expect(found?.factor.factor).toBeGreaterThan(1.8);
    expect(found?.factor.factor).toBeLessThan(3.5);
    expect(found?.withinPrompt?.factor).toBeGreaterThan(2);
    expect(found?.withinPrompt?.factor).toBeLessThan(3);
    expect((found?.incorrectMean as number) / (found?.correctMean as number)).toBeCloseTo(
      found?.factor.factor as number,
      10,
    );
  });

  test("names the step that makes the factor", () => {
    const run = drawRun({ effect: ({ step, correct }) => (step === 4 && correct === 0 ? 40 : 1) });
    const found = outcomeContrast(run);
    expect(found?.withoutStep?.step).toBe(4);
    expect(found?.withoutStep?.factor).toBeLessThan(1.5);
    expect(found?.factor.factor).toBeGreaterThan(2);
  });

  test("finds a difference in about 5 % of runs in which hard prompts are far off, right or wrong", () => {
    const runs = 150;
    let found = 0;
    for (let run = 0; run < runs; run++) {
      const contrast = outcomeContrast(drawRun({ steps: 4, prompts: 12, prompt: 0.8 }));
      if (contrast !== undefined && contrast.p <= 0.05) found++;
    }
    expect(found / runs).toBeLessThan(0.11);
    expect(found / runs).toBeGreaterThan(0.005);
  });

  test("needs both outcomes", () => {
    const right = drawRun({}).map(({ cluster, sequences }) => ({
      cluster,
      sequences: sequences.map((sequence) => ({ ...sequence, correct: 1 })),
    }));
    expect(outcomeContrast(right)).toBeUndefined();
  });
});

describe("trendOf", () => {
  test("compares the last third of the steps with the first, either way", () => {
    const grown = findTrend(drawRun({ effect: ({ step }) => 1.2 ** step }));
    expect(grown?.p).toBeLessThan(0.05);
    // Eight steps apart on average.
    expect(grown?.factor.factor).toBeGreaterThan(2.5);
    expect(grown?.factor.factor).toBeLessThan(7.5);
    expect(grown?.late).toBeGreaterThan(grown?.early as number);
    const fallen = findTrend(drawRun({ effect: ({ step }) => 1.2 ** -step }));
    expect(fallen?.p).toBeLessThan(0.05);
    expect(fallen?.late).toBeLessThan(fallen?.early as number);
  });

  test("finds a trend in about 5 % of runs without one", () => {
    const runs = 200;
    let found = 0;
    for (let run = 0; run < runs; run++)
      if ((findTrend(drawRun({ steps: 9, prompts: 6, prompt: 0.8 }))?.p as number) <= 0.05) found++;
    expect(found / runs).toBeLessThan(0.1);
    expect(found / runs).toBeGreaterThan(0.01);
  });

  test("needs three steps", () => {
    expect(findTrend(drawRun({ steps: 2 }))).toBeUndefined();
  });
});

test("names the step that is furthest off first, whatever their order", () => {
  for (const [third, eighth, order] of [
    [6, 9, [7, 2]],
    [9, 6, [2, 7]],
  ] as const) {
    const run = drawRun({
      prompt: 0.2,
      effect: ({ step }) => (step === 2 ? third : step === 7 ? eighth : 1),
    });
    expect(findStandouts(run, getStep).map(({ key }) => key)).toEqual(order);
  }
});

test("a trend is of the first and the last third of the steps, from three steps on", () => {
  const third = findTrend(drawRun({ steps: 9, prompt: 0.1, effect: ({ step }) => (step === 2 ? 30 : 1) }))!;
  expect(third.early / third.late).toBeGreaterThan(7);
  const middle = findTrend(drawRun({ steps: 9, prompt: 0.1, effect: ({ step }) => (step === 3 ? 30 : 1) }))!;
  expect(middle.early / middle.late).toBeLessThan(1.5);
  const three = findTrend(drawRun({ steps: 3, prompt: 0.1, effect: ({ step }) => 4 ** step }))!;
  expect(three.late / three.early).toBeGreaterThan(10);
});
