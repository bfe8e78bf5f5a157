import { describe, expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { FormatError } from "../../../core/base/errors.ts";
import { clusterInterval } from "../../../core/statistics/cluster-interval.ts";
import { BFLOAT16_SCALE, judgeLegs } from "./judge.ts";
import { LEG, LEG_WIDTH, LegSums } from "./leg-sums.ts";
import { boundRatio, measureLeg } from "./measure.ts";

type Token = readonly [key: number, delta: number, prefill: number];
const leg = (...tokens: readonly Token[]): LegSums => {
  const sums = new LegSums();
  for (const token of tokens) sums.add(...token);
  sums.close();
  return sums;
};
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
const near = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 12));
const [P1, P2, P3] = [1 - Math.exp(-1), 1 - Math.exp(-2), 1 - Math.exp(-0.5)];

describe("the sums of a leg", () => {
  const tokens: readonly Token[] = [
    [7, 0.3, -0.5],
    [1, 0.1, -1],
    [1 + 4096, -0.2, -2],
  ];

  it("are by cluster, in the order of keys modulo 4096", () => {
    const sums = leg(...tokens);
    expect([...sums.clusters.keys()]).toEqual([1, 7]);
    expect([...sums.clusters.get(1)!]).toEqual(
      near([2, -0.1, 0.3, 0.05, P1 + P2, P1 ** 2 + P2 ** 2, Math.expm1(0.1) + Math.expm1(-0.2)]),
    );
    expect([...sums.clusters.get(7)!]).toEqual(near([1, 0.3, 0.3, 0.09, P3, P3 ** 2, Math.expm1(0.3)]));
    expect(Object.keys(LEG).map((_, column) => sums.total(column))).toEqual(
      near([
        3,
        0.2,
        0.6,
        0.14,
        P1 + P2 + P3,
        P1 ** 2 + P2 ** 2 + P3 ** 2,
        sum([0.1, -0.2, 0.3].map(Math.expm1)),
      ]),
    );
    expect(LEG_WIDTH).toBe(7);
    expect([sums.max, sums.equal]).toEqual([0.3, 0]);
    expect(sums.k3).toBeCloseTo(sum([0.1, -0.2, 0.3].map((d) => Math.expm1(d) - d)), 12);
  });

  it("are none before a batch ends, and none of no tokens", () => {
    const sums = new LegSums();
    sums.add(1, 0.5, -1);
    expect(sums.clusters.size).toBe(0);
    sums.close();
    expect(sums.clusters.size).toBe(1);
    sums.add(2, 0.5, -1);
    sums.close();
    expect([...sums.clusters.keys()]).toEqual([1, 2]);
    expect([new LegSums().total(LEG.tokens), new LegSums().k3, new LegSums().max]).toEqual([0, 0, 0]);
  });

  it("hold a ratio to e^20, and the weight of a certain token above 0", () => {
    const far = leg([1, 25, -1]).clusters.get(1)!;
    expect([far[LEG.excess], far[LEG.delta]]).toEqual([Math.expm1(20), 25]);
    for (const prefill of [0, 0.5, -1e-9]) expect(leg([1, 0.1, prefill]).total(LEG.weight)).toBe(1e-6);
    expect(leg([1, 0.1, -1e-5]).total(LEG.weight)).toBeCloseTo(1e-5, 9);
  });

  it("keep the digits of k3 of tiny differences", () => {
    const k3 = (delta: number): number => leg([1, delta, -1]).k3;
    expect(k3(5e-5) / ((5e-5 ** 2 * (1 + 5e-5 / 3)) / 2)).toBeCloseTo(1, 12);
    expect(k3(-5e-5) / ((5e-5 ** 2 * (1 - 5e-5 / 3)) / 2)).toBeCloseTo(1, 12);
    expect(k3(1e-4)).toBe(Math.expm1(1e-4) - 1e-4);
    expect(k3(0.5)).toBeCloseTo(Math.expm1(0.5) - 0.5, 12);
  });

  it("count tokens without any difference, and the largest one", () => {
    const sums = leg([1, 0, -1], [1, -0.5, -1], [2, 0, -1], [2, 0.25, -1]);
    expect([sums.equal, sums.max]).toEqual([2, 0.5]);
    sums.merge(leg([3, 0, -1], [3, 0.4, -1]));
    expect([sums.equal, sums.max]).toEqual([3, 0.5]);
    sums.merge(leg([3, -0.9, -1]));
    expect([sums.equal, sums.max]).toEqual([3, 0.9]);
  });

  const facts = (sums: LegSums) => ({
    clusters: [...sums.clusters].map(([key, columns]) => [key, [...columns]]),
    more: [sums.max, sums.equal, sums.k3],
  });

  it("merge, and travel as bytes, whatever was read of them before", () => {
    const more: readonly Token[] = [
      [3, 0, -1],
      [1, 0.7, -2],
    ];
    const whole = leg(...tokens);
    for (const token of more) whole.add(...token);
    whole.close();
    const [merged, read] = [leg(...tokens), leg(...tokens)];
    expect([merged.clusters.size, read.clusters.size]).toEqual([2, 2]);
    merged.merge(leg(...more));
    expect(facts(merged)).toEqual(facts(whole));
    const to = new ByteWriter();
    leg(...more).encode(to);
    const from = new ByteReader(to.finish(), "legs");
    read.mergeFrom(from);
    from.end();
    expect(facts(read)).toEqual(facts(whole));
  });

  it("are refused with a key that no cluster has", () => {
    const refuse = (keys: readonly number[]) => {
      const to = new ByteWriter();
      to.ascending(keys);
      return () => new LegSums().mergeFrom(new ByteReader(to.finish(), "legs"));
    };
    expect(refuse([4096])).toThrow("legs does not hold a summary: a key is out of range");
    expect(refuse(new Array(4097).fill(5))).toThrow("keys are not distinct");
    expect(refuse([4095])).toThrow(FormatError);
    expect(refuse([4095])).not.toThrow("a key is out of range");
  });
});

describe("the measure of a leg", () => {
  const sums = leg([1, 0.1, -1], [1, -0.2, -2], [2, 0.3, -0.5], [3, -0.1, -1], [3, 0.05, -2]);
  const square = [0.05, 0.09, 0.0125];
  const weightSquare = [P1 ** 2 + P2 ** 2, P3 ** 2, P1 ** 2 + P2 ** 2];
  const variance = sum(square) / sum(weightSquare);

  it("has σ, the shape and the excess, with intervals over clusters", () => {
    const [abs, weight, tokens] = [
      [0.3, 0.3, 0.15],
      [P1 + P2, P3, P1 + P2],
      [2, 1, 2],
    ] as const;
    const excess = [Math.expm1(0.1) + Math.expm1(-0.2), Math.expm1(0.3), Math.expm1(-0.1) + Math.expm1(0.05)];
    const mean = sum(excess) / 5;
    const ofVariance = clusterInterval(
      variance,
      Float64Array.from(square, (own, k) => (own - variance * weightSquare[k]!) / sum(weightSquare)),
      "log",
    );
    const ofShape = clusterInterval(
      Math.log((Math.sqrt(variance) * sum(weight)) / sum(abs)),
      Float64Array.from(
        square,
        (own, k) =>
          own / sum(square) / 2 -
          weightSquare[k]! / sum(weightSquare) / 2 -
          abs[k]! / sum(abs) +
          weight[k]! / sum(weight),
      ),
      "linear",
    );
    const ofExcess = clusterInterval(
      mean,
      Float64Array.from(excess, (own, k) => (own - mean * tokens[k]!) / 5),
      "linear",
    );
    const found = measureLeg(sums)!;
    expect(found.scale).toBeCloseTo(Math.sqrt(variance), 9);
    expect(found.interval.low).toBeCloseTo(Math.sqrt(ofVariance.low), 9);
    expect(found.interval.high).toBeCloseTo(Math.sqrt(ofVariance.high), 6);
    expect(found.shapeLow).toBeCloseTo(Math.exp(ofShape.low), 9);
    expect(found.excess).toBeCloseTo(mean, 9);
    expect(found.excessMargin).toBeCloseTo(ofExcess.high - mean, 9);
  });

  it("is not known of one cluster, and 0 of two sides that are equal", () => {
    expect(measureLeg(leg([1, 0.1, -1], [1, 0.2, -1]))).toBeUndefined();
    expect(measureLeg(leg())).toBeUndefined();
    expect(measureLeg(leg([1, 0, -1], [2, 0, -1]))).toMatchObject({
      ...{ scale: 0, interval: { low: 0, high: 0 }, shapeLow: 0, excess: 0 },
    });
  });

  it("is bounded against another leg's, cluster by cluster", () => {
    const other = leg([1, 0.2, -1], [2, 0.1, -0.5], [4, 0.3, -1]);
    const theirs = [0.04, 0.01, 0, 0.09];
    const theirWeight = [P1 ** 2, P3 ** 2, 0, P1 ** 2];
    const [ours, ourWeight] = [
      [...square, 0],
      [...weightSquare, 0],
    ];
    const influences = ours.map(
      (own, k) =>
        (own / sum(ours) -
          ourWeight[k]! / sum(ourWeight) -
          theirs[k]! / sum(theirs) +
          theirWeight[k]! / sum(theirWeight)) /
        2,
    );
    const ratio = Math.log(variance / (sum(theirs) / sum(theirWeight))) / 2;
    const { low } = clusterInterval(ratio, Float64Array.from(influences), "linear");
    expect(boundRatio(sums, other)).toBeCloseTo(Math.exp(low), 9);
  });

  it("is 0, infinite or not known against a leg without any difference", () => {
    const none = leg([1, 0, -1], [2, 0, -1]);
    expect([boundRatio(sums, none), boundRatio(none, sums)]).toEqual([Number.POSITIVE_INFINITY, 0]);
    expect(boundRatio(none, none)).toBeNaN();
  });
});

describe("the guilty leg, by legs of a given width", () => {
  /** Eight clusters of 40 tokens, in pairs whose mean ratio is 1; a share of the pairs differs, by this. */
  const wide = (size: number, share = 1): LegSums =>
    leg(
      ...Array.from({ length: 160 }, (_, k): readonly Token[] => {
        const own = k % 20 < 20 * share ? size * (1 + ((k * 7) % 9) / 500) : 0;
        return [
          [k % 8, own, -50],
          [k % 8, Math.log(2 - Math.exp(own)), -50],
        ];
      }).flat(),
    );
  /** All of one sign: the mean ratio is not 1. */
  const biased = (size: number): LegSums =>
    leg(...Array.from({ length: 64 }, (_, k): Token => [k % 8, size * (1 + ((k * 7) % 9) / 100), -50]));
  const none = wide(0);

  it("is none where both agree, and not known of one cluster", () => {
    expect(judgeLegs(none, none)).toBe("none");
    expect(judgeLegs(leg([1, 0.5, -1]), wide(0.1))).toBeNull();
    expect(judgeLegs(wide(0.1), leg([1, 0.5, -1]))).toBeNull();
  });

  it("is the decode leg where it is wider than the trainer's, beyond half of what bfloat16 makes", () => {
    expect(judgeLegs(wide(0.45 * BFLOAT16_SCALE), none)).toBe("none");
    expect(judgeLegs(wide(0.55 * BFLOAT16_SCALE), none)).toBe("decode");
    expect(judgeLegs(wide(0.55 * BFLOAT16_SCALE), wide(0.5 * BFLOAT16_SCALE))).toBe("decode");
    expect(judgeLegs(wide(0.55 * BFLOAT16_SCALE), wide(0.6 * BFLOAT16_SCALE))).toBe("none");
  });

  it("is the trainer leg beyond what bfloat16 makes, and twice as wide as the decode leg", () => {
    expect(judgeLegs(none, wide(0.95 * BFLOAT16_SCALE))).toBe("none");
    expect(judgeLegs(none, wide(1.1 * BFLOAT16_SCALE))).toBe("trainer");
    expect(judgeLegs(wide(BFLOAT16_SCALE), wide(2.2 * BFLOAT16_SCALE))).toBe("trainer");
    expect(judgeLegs(wide(BFLOAT16_SCALE), wide(1.8 * BFLOAT16_SCALE))).toBe("none");
  });

  it("is the leg whose mean ratio is not 1, beyond what storing rounds", () => {
    expect(judgeLegs(biased(2e-4), none)).toBe("decode");
    expect(judgeLegs(biased(-2e-4), none)).toBe("decode");
    expect(judgeLegs(biased(9e-5), none)).toBe("none");
    expect(judgeLegs(none, biased(2e-4))).toBe("trainer");
    expect(judgeLegs(none, biased(9e-5))).toBe("none");
    // Of one sign in some clusters, of the other in the rest: a mean of 0.001 and a wide interval.
    const unsure = leg(
      ...Array.from({ length: 64 }, (_, k): Token => [k % 8, k % 8 < 4 ? 0.01 : -0.008, -50]),
    );
    expect(judgeLegs(unsure, none)).toBe("none");
  });

  it("is both where the trainer leg is far off beside a decode leg that is", () => {
    expect(judgeLegs(biased(0.01), wide(2 * BFLOAT16_SCALE))).toBe("decode");
    expect(judgeLegs(biased(0.01), wide(5.5 * BFLOAT16_SCALE))).toBe("both");
    expect(judgeLegs(biased(0.01), wide(4 * BFLOAT16_SCALE))).toBe("decode");
    // A tenth of the tokens, far off: √10 times as wide as their mean size.
    expect(judgeLegs(biased(0.01), wide(0.3, 0.1))).toBe("both");
    expect(judgeLegs(biased(0.01), wide(0.12, 0.1))).toBe("decode");
  });

  it("is the decode leg where its tails are heavy, however wide the trainer's", () => {
    expect(judgeLegs(wide(0.4, 0.1), wide(2.6 * BFLOAT16_SCALE))).toBe("decode");
    expect(judgeLegs(wide(0.12, 0.1), wide(1.5 * BFLOAT16_SCALE))).toBe("none");
    expect(judgeLegs(wide(1.2 * BFLOAT16_SCALE), wide(1.5 * BFLOAT16_SCALE))).toBe("none");
  });
});
