import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DOCTOR, warnIfAbsent } from "../../../../test/support/shared-data.ts";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { openRun } from "../../../ingest/open-run.ts";
import type { GuiltyLeg } from "../../../results/diagnosis.ts";
import { BFLOAT16_SCALE } from "./judge.ts";
import { LegSums } from "./leg-sums.ts";
import { Legs } from "./legs.ts";
import { measureLeg } from "./measure.ts";
import {
  exact,
  jumps,
  noise,
  type ThreeColumns,
  temperature,
  threeColumns,
} from "./three-columns.test-data.ts";

function judge(columns: ThreeColumns): GuiltyLeg | null {
  const legs = new Legs();
  legs.add(threeColumns(columns));
  return legs.result().guilty_leg;
}

const SEEDS = [1, 2, 3, 4, 5];

describe("which leg is guilty", () => {
  const cases: readonly [string, GuiltyLeg, Omit<ThreeColumns, "seed">][] = [
    ["three equal columns", "none", { decode: exact, trainer: exact }],
    ["a CPU engine and a bfloat16 trainer", "none", { decode: exact, trainer: noise(0.025) }],
    ["a GPU engine, whose decode and prefill differ", "none", { decode: noise(0.02), trainer: noise(0.03) }],
    [
      "a deep model on a GPU: both legs wide, and alike",
      "none",
      { decode: noise(0.1), trainer: noise(0.14) },
    ],
    ["decoding that goes far off at times", "decode", { decode: jumps(0.05, 1), trainer: noise(0.02) }],
    [
      "decoding that is a little wider than the trainer leg",
      "decode",
      { decode: noise(0.06), trainer: noise(0.02) },
    ],
    ["decoding at another temperature", "decode", { decode: temperature(1.1), trainer: noise(0.02) }],
    ["a trainer of other weights", "trainer", { decode: noise(0.02), trainer: noise(0.4) }],
    ["a trainer that goes far off at times", "trainer", { decode: exact, trainer: jumps(0.05, 1) }],
    ["a trainer at another temperature", "trainer", { decode: noise(0.02), trainer: temperature(1.2) }],
    ["faults on both sides", "both", { decode: jumps(0.05, 1), trainer: jumps(0.1, 1.5) }],
  ];

  it.each(cases)("%s: %s", (_, expected, columns) => {
    expect(SEEDS.map((seed) => judge({ ...columns, seed }))).toEqual(SEEDS.map(() => expected));
  });

  it("tells the noise of the engine where neither is, and else nothing", () => {
    const engineNoise = (columns: Omit<ThreeColumns, "seed">): number | null => {
      const legs = new Legs();
      legs.add(threeColumns({ seed: 1, ...columns }));
      return legs.result().engineNoise;
    };
    const sigma = engineNoise({ decode: noise(0.1), trainer: noise(0.14) })!;
    expect(sigma / 0.1).toBeGreaterThan(0.8);
    expect(sigma / 0.1).toBeLessThan(1.25);
    expect(engineNoise({ decode: noise(0.02), trainer: noise(0.4) })).toBeNull();
  });

  it("sees in mean ρ what is below the noise of numbers: log-probs recorded a little too low", () => {
    const recorded = { decode: noise(0.005), trainer: noise(0.02), prompts: 40 };
    expect(judge({ ...recorded, seed: 1 })).toBe("none");
    expect(judge({ ...recorded, seed: 1, record: (logprob) => logprob - 0.01 })).toBe("decode");
  });

  it("does not say with one prompt, or with a column of NaN, or without one", () => {
    const few = { seed: 1, prompts: 1, decode: jumps(0.2, 2), trainer: exact };
    expect(judge(few)).toBeNull();
    const batch = threeColumns({ ...few, prompts: 8 });
    const lost = {
      ...batch,
      policyLogprobs: { rescore: new Float64Array(batch.responseMask.length).fill(NaN) },
    };
    for (const without of [lost, { ...batch, policyLogprobs: {} }]) {
      const legs = new Legs();
      legs.add(without);
      expect(legs.result()).toEqual({ guilty_leg: null, legs: [], engineNoise: null });
    }
  });
});

it("says by how much: the figures of both legs, token by token", () => {
  const batch = threeColumns({ seed: 9, decode: noise(0.1), trainer: noise(0.2) });
  const [a, b, c] = [batch.rolloutLogprobs!, batch.policyLogprobs.rescore!, batch.trainerLogprobs!];
  batch.responseMask[3] = 0;
  b[5] = Number.NaN;
  c[7] = b[7]!;
  const legs = new Legs();
  legs.add(batch);
  const left: number[] = [];
  const right: number[] = [];
  for (const t of batch.responseMask.keys()) {
    if (t === 3 || t === 5) continue;
    left.push(b[t]! - a[t]!);
    right.push(c[t]! - b[t]!);
  }
  const mean = (values: readonly number[], of: (value: number) => number): number =>
    values.reduce((sum, value) => sum + of(value), 0) / values.length;
  for (const [at, deltas] of [left, right].entries()) {
    const figures = legs.result().legs[at]!;
    expect(figures.name).toBe(["decode", "trainer"][at]);
    expect(figures.tokens).toBe(deltas.length);
    expect(figures.delta_mean).toBeCloseTo(
      mean(deltas, (d) => d),
      12,
    );
    expect(figures.delta_abs_mean).toBeCloseTo(mean(deltas, Math.abs), 12);
    expect(figures.delta_abs_max).toBe(Math.max(...deltas.map(Math.abs)));
    expect(figures.k3).toBeCloseTo(
      mean(deltas, (d) => Math.exp(d) - 1 - d),
      12,
    );
    expect(figures.equal_share).toBeCloseTo(
      mean(deltas, (d) => (d === 0 ? 1 : 0)),
      12,
    );
  }
  expect(legs.result().legs[1]!.equal_share).toBeGreaterThan(0);
});

it("measures the noise of logits that it was given", () => {
  for (const size of [0.01, 0.1]) {
    const legs = new Legs();
    legs.add(threeColumns({ seed: 3, prompts: 60, decode: exact, trainer: noise(size) }));
    const from = travel(legs);
    new LegSums().mergeFrom(from);
    const trainer = new LegSums();
    trainer.mergeFrom(from);
    const { scale, interval } = measureLeg(trainer)!;
    // The others' logits move too: by √(1 + Σ q²) of the noise, which is at most √2.
    expect(scale).toBeGreaterThan(size);
    expect(scale).toBeLessThan(size * Math.SQRT2);
    expect(interval.low).toBeLessThan(scale);
    expect(interval.high).toBeGreaterThan(scale);
  }
  expect(BFLOAT16_SCALE).toBeCloseTo(0.051, 3);
});

/** As in a file. */
function travel(legs: Legs): ByteReader {
  const to = new ByteWriter();
  legs.encode(to);
  return new ByteReader(to.finish(), "legs");
}

it("merges in any order, also as bytes, to the same bits", () => {
  const parts = SEEDS.map((seed) => {
    return threeColumns({ seed, prompts: 3, decode: noise(0.05), trainer: jumps(0.1, 1) });
  });
  const whole = new Legs();
  for (const batch of parts) whole.add(batch);
  fc.assert(
    fc.property(
      fc.shuffledSubarray(parts, { minLength: parts.length }),
      fc.nat(parts.length),
      (order, at) => {
        const [left, right] = [new Legs(), new Legs()];
        for (const [index, batch] of order.entries()) (index < at ? left : right).add(batch);
        const sent = new Legs();
        sent.mergeFrom(travel(right));
        left.merge(sent);
        expect(left.result()).toEqual(whole.result());
      },
    ),
    { numRuns: 20 },
  );
});

const isPresent = existsSync(DOCTOR);
warnIfAbsent("the guilty leg of recordings", DOCTOR);

it.skipIf(!isPresent)(
  "finds the guilty leg of every recording of three columns",
  { timeout: 60_000 },
  async () => {
    const found: Record<string, GuiltyLeg | null> = {};
    const expected: Record<string, GuiltyLeg | null> = {};
    for (const name of readdirSync(DOCTOR)) {
      const truth = JSON.parse(readFileSync(join(DOCTOR, name, "truth.json"), "utf8")) as {
        readonly guilty_leg: GuiltyLeg | null;
      };
      if (truth.guilty_leg === null) continue;
      expected[name] = truth.guilty_leg;
      const legs = new Legs();
      for await (const batch of (await openRun([join(DOCTOR, name, "data")])).batches()) legs.add(batch);
      found[name] = legs.result().guilty_leg;
    }
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    expect(found).toEqual(expected);
  },
);
