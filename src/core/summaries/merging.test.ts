import { describe, expect, it } from "vitest";
import { ABS_DELTA_SUM, COUNT, DELTA_MEAN } from "../kernels/layout.ts";
import { emptySums } from "../kernels/merge.ts";
import { KeyHash } from "./cluster-key.ts";
import { ClusterSums } from "./cluster-sums.ts";
import { addOutcome, emptyOutcomeSums, OUTCOME_UNITS, outcomeMeans } from "./outcome-sums.ts";
import { ValueSketch } from "./value-sketch.ts";

function makeRow(n: number, delta: number): Float64Array {
  const row = emptySums();
  row[COUNT] = n;
  row[DELTA_MEAN] = delta;
  row[ABS_DELTA_SUM] = n * Math.abs(delta);
  return row;
}

const hashKey = (name: number): number => new KeyHash().addWord(name).key();

/** Prompt, tokens and mean Δ of each sequence. */
type Sequence = readonly [prompt: number, tokens: number, delta: number];

function addSequences(sequences: readonly Sequence[]): ClusterSums {
  const clusters = new ClusterSums();
  for (const [prompt, n, delta] of sequences) clusters.add(hashKey(prompt), true, makeRow(n, delta), 0);
  return clusters;
}

describe("the design effect", () => {
  it("is what the prompts' means vary by over what single sequences would", () => {
    // e of the sequences: −0.1, −0.1, 0.1, 0.1; of the prompts: −0.2, 0.2. (2/1 · 0.08) / (4/3 · 0.04) = 3
    const alike: Sequence[] = [
      [1, 1, 0.1],
      [1, 1, 0.1],
      [2, 1, 0.3],
      [2, 1, 0.3],
    ];
    expect(addSequences(alike).designEffect()).toBeCloseTo(3, 12);
    // One sequence each: nothing to resemble.
    expect(addSequences(alike.map(([, n, delta], i) => [i, n, delta])).designEffect()).toBeCloseTo(1, 12);
  });

  it("is that of the whole after shards were merged", () => {
    const sequences = Array.from({ length: 40 }, (_, i): Sequence => [i % 7, 1 + (i % 5), (i % 11) / 16]);
    const whole = addSequences(sequences);
    const merged = addSequences(sequences.slice(0, 13));
    merged.merge(addSequences(sequences.slice(13)));
    expect(merged.designEffect()).toBeCloseTo(whole.designEffect(), 12);
    expect([merged.sequences, merged.count, merged.unit]).toEqual([40, 7, "prompt"]);
  });

  it("is not known of one prompt, and where no two sequences differ", () => {
    expect(
      addSequences([
        [1, 2, 0.5],
        [1, 3, 0.1],
      ]).designEffect(),
    ).toBeNaN();
    expect(
      addSequences([
        [1, 2, 0.5],
        [2, 2, 0.5],
      ]).designEffect(),
    ).toBeNaN();
    expect(new ClusterSums().designEffect()).toBeNaN();
  });

  it("is of prompts only where every sequence has its own", () => {
    const mixed = addSequences([[1, 2, 0.5]]);
    expect(mixed.unit).toBe("prompt");
    mixed.add(hashKey(2), false, makeRow(1, 0), 0);
    expect(mixed.unit).toBe("sequence");
    expect(new ClusterSums().unit).toBe("sequence");
  });
});

describe("outcomes of sequences", () => {
  const outcome = (reward: number, correct: number, tokens = 10) => ({
    responseTokens: tokens,
    entropySum: 3,
    entropyTokens: 6,
    reward,
    correct,
  });

  it("are means over the sequences that have one", () => {
    const sums = emptyOutcomeSums();
    expect(Object.values(outcomeMeans(sums)).every(Number.isNaN)).toBe(true);
    for (const one of [outcome(1, 1), outcome(0.5, 0, 30), outcome(Number.NaN, Number.NaN)])
      addOutcome(sums, one);
    expect(outcomeMeans(sums)).toEqual({
      entropy: 0.5,
      response_tokens: 50 / 3,
      reward: 0.75,
      accuracy: 0.5,
    });
  });

  it("merge by adding", () => {
    const [whole, left, right] = [emptyOutcomeSums(), emptyOutcomeSums(), emptyOutcomeSums()];
    for (const [sums, one] of [
      [left, outcome(1, 1)],
      [right, outcome(3, 0, 5)],
    ] as const) {
      addOutcome(sums, one);
      addOutcome(whole, one);
    }
    OUTCOME_UNITS.sums.merge(left, right);
    expect(left).toEqual(whole);
  });
});

it("quantiles come in the order they are asked for, whatever that is", () => {
  const sketch = ValueSketch.of(Float32Array.from({ length: 101 }, (_, value) => value));
  const [high, low, middle] = sketch.quantiles([0.9, 0.1, 0.5]);
  for (const [found, wanted] of [
    [high, 90],
    [low, 10],
    [middle, 50],
  ] as const)
    expect(Math.abs(found! - wanted)).toBeLessThan(0.2);
});
