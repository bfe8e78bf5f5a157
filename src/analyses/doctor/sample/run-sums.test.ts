import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { computeK3 } from "../../../core/kernels/scalar.ts";
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import { RunSums } from "./run-sums.ts";

type Token = readonly [rollout: number, trainer: number, mask: boolean];

function makeBatch(rows: readonly (readonly Token[])[], hasTrainer = true): RecordBatch {
  const builder = createRecordBuilder({
    provenance: { file: "a", format: "npz", trainer: "verl", alignment: "token" },
  });
  for (const row of rows)
    builder.push({
      length: row.length,
      responseMask: Uint8Array.from(row, ([, , mask]) => Number(mask)),
      rolloutLogprobs: Float32Array.from(row, ([rollout]) => rollout),
      ...(hasTrainer && { trainerLogprobs: Float32Array.from(row, ([, trainer]) => trainer) }),
    });
  return builder.flush();
}

// Eighths: sums of them are exact in any order.
const logprob = fc.oneof(
  fc.integer({ min: -200, max: 0 }).map((value) => value / 8),
  fc.constantFrom(Number.NaN, Number.NEGATIVE_INFINITY),
);
const rows = fc.array(fc.array(fc.tuple(logprob, logprob, fc.boolean()), { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 6,
});

it("are what a plain loop over tokens with mask 1 and two finite log-probs gives, in parts and merged", () => {
  fc.assert(
    fc.property(rows, fc.nat(5), (drawn, at) => {
      const sums = new RunSums();
      const rest = new RunSums();
      if (at > 0) sums.add(makeBatch(drawn.slice(0, at)));
      if (at < drawn.length) rest.add(makeBatch(drawn.slice(at)));
      sums.merge(rest);
      const masked = drawn.flat().filter(([, , mask]) => mask);
      const deltas = masked.map(([rollout, trainer]) => trainer - rollout).filter(Number.isFinite);
      const compared = masked.filter(([rollout, trainer]) => Number.isFinite(trainer - rollout));
      const unsure = compared.map(([rollout]) => -Math.expm1(rollout));
      const add = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
      const noise = (value: number): unknown => (add(unsure) === 0 ? null : expect.closeTo(value, 6));
      const mean = (f: (delta: number) => number): unknown =>
        deltas.length === 0
          ? null
          : expect.closeTo(deltas.reduce((sum, delta) => sum + f(delta), 0) / deltas.length, 6);
      expect(sums.metrics()).toEqual({
        sequences: drawn.length,
        tokens: deltas.length,
        delta_mean: mean((delta) => delta),
        delta_abs_mean: mean(Math.abs),
        delta_abs_max: deltas.length === 0 ? null : Math.max(...deltas.map(Math.abs)),
        k3: deltas.some((delta) => delta > 15)
          ? expect.any(Number)
          : mean((delta) => Math.exp(Math.max(delta, -20)) - 1 - Math.max(delta, -20)),
        equal_share: mean((delta) => Number(delta === 0)),
        logit_noise: noise(Math.sqrt(add(deltas.map((d) => d * d)) / add(unsure.map((q) => q * q)))),
        logit_noise_mean: noise((Math.sqrt(Math.PI / 2) * add(deltas.map(Math.abs))) / add(unsure)),
      });
      const lost = (side: 0 | 1): number => masked.filter((token) => !Number.isFinite(token[side])).length;
      expect(sums.excluded()).toEqual({
        ...(lost(0) > 0 && { rollout_missing: lost(0) }),
        ...(lost(1) > 0 && { trainer_missing: lost(1) }),
      });
      expect(sums.all.square).toBe(deltas.reduce((sum, delta) => sum + delta * delta, 0));
    }),
  );
});

it("hold the exponent of k3 to 20, and keep the digits of tiny differences", () => {
  const k3 = (delta: number): number => {
    const sums = new RunSums();
    const rollout = delta > 1 ? -delta : -1;
    sums.add(makeBatch([[[rollout, rollout + delta, true]]]));
    return sums.metrics().k3 as number;
  };
  expect(k3(30)).toBeCloseTo(Math.expm1(20) - 20, -2);
  expect(k3(2 ** -14)).toBeCloseTo(2 ** -29, 13);
});

it("count sequences of one policy apart", () => {
  const sums = new RunSums();
  sums.add(makeBatch([[[-1, -1, true]], [[-1, -1, true]]], false));
  const other = new RunSums();
  other.add(makeBatch([[[-1, -1, true]]], false));
  sums.merge(other);
  expect(sums.excluded()).toEqual({ one_sided_sequences: 3 });
  expect(sums.metrics()).toMatchObject({ sequences: 0, tokens: 0, delta_mean: null });
});

describe("all sums", () => {
  const first = (): RunSums => {
    const sums = new RunSums();
    sums.add(
      makeBatch([
        [
          [-1, -1.5, true],
          [-1, -1, true],
          [-9, -1, false],
          [Number.NaN, -1, true],
        ],
        [
          [-2, -1, true],
          [-1, Number.NEGATIVE_INFINITY, true],
          [Number.NaN, Number.NaN, true],
        ],
      ]),
    );
    sums.add(makeBatch([[[-1, -1, true]]], false));
    return sums;
  };
  const k3 = (delta: number): number => Math.expm1(delta) - delta;
  const q = (logprob: number): number => 1 - Math.exp(logprob);
  const unsure = (...logprobs: readonly number[]) => ({
    unsure: expect.closeTo(
      logprobs.reduce((sum, logprob) => sum + q(logprob), 0),
      12,
    ),
    unsureSquare: expect.closeTo(
      logprobs.reduce((sum, logprob) => sum + q(logprob) ** 2, 0),
      12,
    ),
  });
  const expected = {
    ...unsure(-1, -1, -2),
    ...{ sequences: 2, tokens: 3, delta: 0.5, abs: 1.5, square: 1.25, max: 1, equal: 1 },
    ...{ k3: expect.closeTo(k3(-0.5) + k3(1), 12), rolloutMissing: 2, trainerMissing: 2 },
  };

  it("are of tokens with mask 1", () => {
    expect(new RunSums().all).toEqual({
      ...{ sequences: 0, tokens: 0, delta: 0, abs: 0, square: 0, max: 0, equal: 0 },
      ...{ unsure: 0, unsureSquare: 0 },
      ...{ k3: 0, rolloutMissing: 0, trainerMissing: 0 },
    });
    expect(first().all).toEqual(expected);
    expect(first().sequences).toBe(3);
    expect(first().excluded()).toEqual({ rollout_missing: 2, trainer_missing: 2, one_sided_sequences: 1 });
    expect(new RunSums().excluded()).toEqual({});
  });

  it("travel as bytes, and add up", () => {
    const to = new ByteWriter();
    first().encode(to);
    const from = new ByteReader(to.finish(), "sums");
    const sums = new RunSums();
    sums.add(makeBatch([[[-1, -4, true]]]));
    sums.add(makeBatch([[[-1, -1, true]]], false));
    sums.mergeFrom(from);
    from.end();
    expect(sums.all).toEqual({
      ...{ ...expected, sequences: 3, tokens: 4, delta: -2.5, abs: 4.5, square: 10.25, max: 3 },
      ...unsure(-1, -1, -2, -1),
      k3: expect.closeTo(k3(-0.5) + k3(1) + k3(-3), 12),
    });
    expect(sums.sequences).toBe(5);
    expect(sums.excluded().one_sided_sequences).toBe(2);
    const merged = first();
    merged.merge(sums);
    expect(merged.all).toMatchObject({ max: 3, tokens: 7, rolloutMissing: 4 });
    expect(merged.sequences).toBe(8);
  });

  it("hold k3 of a trainer far below to e^−20, and leave small differences their digits", () => {
    const of = (rollout: number, trainer: number): number => {
      const sums = new RunSums();
      sums.add(makeBatch([[[rollout, trainer, true]]]));
      return sums.all.k3;
    };
    expect(of(-1, -31)).toBeCloseTo(19, 6);
    expect(of(-31, -1)).toBe(Math.expm1(20) - 20);
    // Differences of float32 values, where e^Δ − 1 − Δ would lose half of its digits.
    for (const delta of [-(2 ** -14), 2 ** -14, -(2 ** -13)])
      expect(of(-1, -1 + delta) / computeK3(delta)).toBeCloseTo(1, 14);
  });
});
