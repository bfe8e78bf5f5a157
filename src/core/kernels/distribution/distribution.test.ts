import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../../test/support/run-size.ts";
import { LengthMismatchError, UsageError } from "../../base/errors.ts";
import type { DistributionRows, LogitBlock } from "../logit-block.ts";
import { distributionKernel } from "../wasm/distribution-kernel.ts";
import { fromBfloat16, fromFloat16 } from "./decode.ts";
import { computeJensen } from "./divergence.ts";
import { type ComparedRows, compareRows, describeRows } from "./index.ts";

const ENGINES = ["wasm", "scalar"] as const;
const INF = Number.POSITIVE_INFINITY;

function float32(...rows: number[][]): LogitBlock {
  return {
    format: "float32",
    values: Float32Array.from(rows.flat()),
    rows: rows.length,
    vocabulary: rows[0]!.length,
  };
}

function expectClose(actual: number, wanted: number, tolerance: number, what: string): void {
  const close = Object.is(actual, wanted) || Math.abs(actual - wanted) <= tolerance * Math.abs(wanted);
  expect(close || actual === wanted, `${what}: ${actual} instead of ${wanted}`).toBe(true);
}

const DIVERGENCES = [
  "forwardKl",
  "reverseKl",
  "jsDivergence",
  "totalVariation",
  "excludedP",
  "excludedQ",
] as const;

function expectSameRows(actual: DistributionRows, wanted: DistributionRows, largest: number): void {
  expect([...actual.ranks]).toEqual([...wanted.ranks]);
  expect([...actual.topIds]).toEqual([...wanted.topIds]);
  actual.logSumExp.forEach((value, row) => {
    const off = Math.abs(value - wanted.logSumExp[row]!);
    expect(off <= 1e-6 * (1 + largest) || Object.is(value, wanted.logSumExp[row]!), "log Σ exp").toBe(true);
  });
  for (const name of ["logprobs", "entropies", "topLogprobs"] as const) {
    actual[name].forEach((value, i) => {
      expectClose(value, wanted[name][i]!, 1e-5, `${name}[${i}]`);
    });
  }
}

function expectSame(actual: ComparedRows, wanted: ComparedRows, largest: number): void {
  expectSameRows(actual.p, wanted.p, largest);
  expectSameRows(actual.q, wanted.q, largest);
  for (const name of DIVERGENCES) {
    actual.divergences[name].forEach((value, row) => {
      expectClose(value, wanted.divergences[name][row]!, 1e-5, `${name}[${row}]`);
    });
  }
}

describe.each(ENGINES)("hand values (%s)", (engine) => {
  it("describes a row", () => {
    const rows = describeRows(float32([0, Math.log(4), 0, -INF], [1, 2, 3, 4]), [1, 0], 3, { engine });
    expectClose(rows.logSumExp[0]!, Math.log(6), 1e-6, "log Σ exp");
    expectClose(rows.logprobs[0]!, Math.log(4 / 6), 1e-6, "log-prob");
    expectClose(rows.entropies[0]!, (4 / 6) * Math.log(6 / 4) + (2 / 6) * Math.log(6), 1e-6, "entropy");
    expect([...rows.ranks]).toEqual([1, 4]);
    expect([...rows.topIds]).toEqual([1, 0, 2, 3, 2, 1]);
    expectClose(rows.topLogprobs[1]!, Math.log(1 / 6), 1e-6, "second log-prob");
  });

  it("compares two rows", () => {
    const [p, q] = [float32([0, 0]), float32([0, Math.log(3)])];
    const { forwardKl, reverseKl, jsDivergence, totalVariation } = compareRows(p, q, [0], 0, {
      engine,
    }).divergences;
    expectClose(forwardKl[0]!, 0.5 * Math.log(2) + 0.5 * Math.log(2 / 3), 1e-6, "forward");
    expectClose(reverseKl[0]!, 0.25 * Math.log(0.5) + 0.75 * Math.log(1.5), 1e-6, "reverse");
    const toMean = (a: number, b: number): number => a * Math.log((2 * a) / (a + b));
    const js = toMean(0.5, 0.25) + toMean(0.5, 0.75) + toMean(0.25, 0.5) + toMean(0.75, 0.5);
    expectClose(jsDivergence[0]!, js / 2, 1e-6, "JS");
    expectClose(totalVariation[0]!, 0.25, 1e-6, "TV");
  });

  it("gives -1 and NaN for tokens that are no columns", () => {
    const rows = describeRows(float32([0, 1], [0, 1], [0, 1]), [-1, 2, 0.5], 0, { engine });
    expect([...rows.ranks]).toEqual([-1, -1, -1]);
    expect([...rows.logprobs]).toEqual([NaN, NaN, NaN]);
    expectClose(rows.entropies[2]!, 0.582203, 1e-5, "entropy");
  });

  it("lists fewer columns than k where there are fewer", () => {
    const rows = describeRows(float32([0, 5, -INF]), [2], 5, { engine });
    expect([...rows.topIds]).toEqual([1, 0, 2, -1, -1]);
    expect([...rows.topLogprobs].slice(2)).toEqual([-INF, NaN, NaN]);
    expect(rows.logprobs[0]).toBe(-INF);
    expect(rows.ranks[0]).toBe(3);
  });

  it("puts the smaller id first among equals, and gives equals one rank", () => {
    const row = Array.from({ length: 3000 }, (_, i) => (i % 7 === 3 ? 9 : i % 2));
    const rows = describeRows(float32(row), [1501], 6, { engine });
    expect([...rows.topIds]).toEqual([3, 10, 17, 24, 31, 38]);
    expect(rows.ranks[0]).toBe(1 + row.filter((z) => z > row[1501]!).length);
  });

  it("gives a vocabulary of one column certainty", () => {
    const { p, divergences } = compareRows(float32([3]), float32([-7]), [0], 1, { engine });
    expect(p.logprobs[0]! + p.entropies[0]! + divergences.forwardKl[0]!).toBe(0);
    expect([p.ranks[0], p.topIds[0], p.logSumExp[0]]).toEqual([1, 0, 3]);
    expect([divergences.jsDivergence[0], divergences.totalVariation[0]]).toEqual([0, 0]);
  });

  it.each([
    ["NaN", [1, Number.NaN, 2]],
    ["+inf", [1, INF, 2]],
    ["nothing but -inf", [-INF, -INF, -INF]],
  ])("flags a row with %s, and no other", (_, row) => {
    const good = [0.5, 1, 0];
    const { p, q, divergences } = compareRows(
      float32(good, row, good),
      float32(good, good, good),
      [0, 0, 0],
      2,
      {
        engine,
      },
    );
    expect(p.logSumExp[1]).toBeNaN();
    expect(p.logprobs[1]).toBeNaN();
    expect(p.entropies[1]).toBeNaN();
    expect([p.ranks[1], ...p.topIds.subarray(2, 4)]).toEqual([-1, -1, -1]);
    expect(p.topLogprobs[2]).toBeNaN();
    for (const name of DIVERGENCES) expect(divergences[name][1], name).toBeNaN();
    expect([...q.ranks]).toEqual([2, 2, 2]);
    expect([divergences.forwardKl[0], divergences.forwardKl[2]]).toEqual([0, 0]);
  });

  it("makes a KL infinite where only the other distribution is 0, and no other divergence", () => {
    const { divergences } = compareRows(float32([0, 0, 0]), float32([0, 0, -INF]), [0], 0, { engine });
    expect(divergences.forwardKl[0]).toBe(INF);
    expectClose(divergences.reverseKl[0]!, Math.log(1.5), 1e-6, "reverse");
    expectClose(divergences.totalVariation[0]!, 1 / 3, 1e-6, "TV");
    expectClose(divergences.jsDivergence[0]!, 0.1323041, 1e-5, "JS");
  });

  it("keeps what float64 itself would round away", () => {
    const [p, q] = [float32([0, -40.5, -41]), float32([0.25, -40.25, -40.75])];
    const { p: ofP, divergences } = compareRows(p, float32([0, -40.5, -40.75]), [0], 0, { engine });
    expectClose(ofP.logprobs[0]!, -(Math.exp(-40.5) + Math.exp(-41)), 1e-5, "log-prob");
    expectClose(divergences.totalVariation[0]!, Math.exp(-41) * Math.expm1(0.25), 1e-5, "TV");
    const shifted = compareRows(p, q, [0], 0, { engine }).divergences;
    expect(shifted.forwardKl[0]! + shifted.totalVariation[0]!).toBe(0);
  });

  it("renormalises over the columns that both have", () => {
    const { p, divergences } = compareRows(float32([1, 2, 3]), float32([1, 2]), [2], 1, { engine });
    expect([divergences.forwardKl[0], divergences.excludedQ[0]]).toEqual([0, 0]);
    expectClose(divergences.excludedP[0]!, Math.exp(p.logprobs[0]!), 1e-6, "excluded");
    expect(p.topIds[0]).toBe(2);
  });

  it("refuses blocks that do not fit", () => {
    const block = float32([1, 2]);
    expect(() => describeRows(block, [0, 0], 1, { engine })).toThrow(LengthMismatchError);
    expect(() => describeRows({ ...block, rows: 2 }, [0, 0], 1, { engine })).toThrow(
      "are 4 values, 2 are there",
    );
    const bits = new Uint16Array(2);
    expect(() => describeRows({ ...block, format: "float16" }, [0], 1, { engine })).toThrow(
      new UsageError("float16 logits need the raw bits in a Uint16Array, not a Float32Array"),
    );
    expect(() => describeRows({ ...block, values: bits }, [0], 1, { engine })).toThrow(
      new UsageError("float32 logits need a Float32Array, not a Uint16Array"),
    );
    for (const k of [-1, 0.5])
      expect(() => describeRows(block, [0], k, { engine })).toThrow(
        `k must be a whole number of at least 0, not ${k}`,
      );
    expect(() => compareRows(block, float32([1, 2], [1, 2]), [0], 1, { engine })).toThrow(
      new LengthMismatchError("cannot compare logits: P has 1 rows, Q has 2", { found: 2, expected: 1 }),
    );
  });
});

/** The nearest smaller or larger number of 16 bits, whichever the rounding of the bits gives. */
function asBfloat16(value: number): number {
  return (new Uint32Array(Float32Array.of(value).buffer)[0]! + 0x8000) >>> 16;
}
function asFloat16(value: number): number {
  const size = Math.min(Math.abs(value), 65_504);
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const magnitude = Math.min(0x7bff, Math.round(size * 2 ** (10 - exponent)) + (exponent + 14) * 1024);
  return (value < 0 ? 0x8000 : 0) | magnitude;
}

describe("formats of 16 bits", () => {
  it.each([
    ["float16", fromFloat16],
    ["bfloat16", fromBfloat16],
  ] as const)("reads every finite %s as the twin does", (format, decode) => {
    const finite = Array.from({ length: 65_536 }, (_, bits) => bits).filter((bits) =>
      Number.isFinite(decode(bits)),
    );
    const twice = finite.flatMap((bits) => [bits, bits]);
    const shape = { rows: finite.length, vocabulary: 2 };
    const tokens = new Int32Array(finite.length);
    const narrow = describeRows({ format, values: Uint16Array.from(twice), ...shape }, tokens, 1);
    const wide: LogitBlock = { format: "float32", values: Float32Array.from(twice, decode), ...shape };
    expect(narrow).toEqual(describeRows(wide, tokens, 1));
    finite.forEach((bits, row) => {
      if (Math.abs(narrow.logSumExp[row]! - decode(bits) - Math.LN2) > 1e-6 * (1 + Math.abs(decode(bits))))
        expect.fail(`${bits} is read as ${narrow.logSumExp[row]! - Math.LN2}`);
    });
  });

  it("reads infinities and NaN", () => {
    const block = (format: "float16" | "bfloat16", ...values: number[]): LogitBlock => ({
      format,
      values: Uint16Array.from(values),
      rows: 1,
      vocabulary: values.length,
    });
    for (const engine of ENGINES) {
      const sums = (given: LogitBlock): number => describeRows(given, [0], 0, { engine }).logSumExp[0]!;
      expect(sums(block("float16", 0, 0x7c00))).toBeNaN();
      expect(sums(block("float16", 0, 0x7e01))).toBeNaN();
      expect(sums(block("bfloat16", 0, 0x7f80))).toBeNaN();
      expect(sums(block("bfloat16", 0, 0xffc0))).toBeNaN();
      expectClose(sums(block("float16", 0, 0, 0xfc00)), Math.LN2, 1e-6, "float16 with -inf");
      expectClose(sums(block("bfloat16", 0, 0, 0xff80)), Math.LN2, 1e-6, "bfloat16 with -inf");
    }
  });
});

/** Widths around vectors, groups and blocks. */
const widths = fc.oneof(
  fc.integer({ min: 1, max: 90 }),
  fc.constantFrom(1023, 1024, 1025, 1040, 2048, 2100, 3200),
);
const special = fc.constantFrom(
  -INF,
  -INF,
  -3.4028234663852886e38,
  -1e4,
  1e4,
  0,
  -0,
  60,
  -60,
  Number.NaN,
  INF,
);

interface Noise {
  readonly widthP: number;
  readonly widthQ: number;
  readonly spread: number;
  readonly scale: number;
  readonly certain: number;
  readonly shift: number;
  readonly temperature: number;
  readonly seed: number;
  readonly odd: readonly (readonly [where: number, inP: number, inQ: number])[];
}

const noises: fc.Arbitrary<Noise> = fc.record({
  widthP: widths,
  widthQ: fc.option(widths, { nil: 0 }),
  spread: fc.constantFrom(0, 0.5, 3, 12),
  scale: fc.constantFrom(0, 1e-6, 1e-5, 1e-4, 1e-3, 0.02, 0.3, 1, 10),
  certain: fc.constantFrom(0, 0, 8, 20, 40, 70),
  shift: fc.constantFrom(0, 0, 0.4, -31.7),
  temperature: fc.constantFrom(1, 1, 0.6, 1.5),
  seed: fc.integer(),
  odd: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(fc.tuple(fc.nat(), special, special), { maxLength: 3 }) },
  ),
});

function drawPair(noise: Noise): [p: number[], q: number[]] {
  let state = noise.seed >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const widthQ = noise.widthQ || noise.widthP;
  const width = Math.max(noise.widthP, widthQ);
  const p = Array.from({ length: width }, () => Math.fround(noise.spread * normal()));
  p[noise.widthP >> 1]! += noise.certain;
  const q = p.map((z) => z / noise.temperature + noise.shift + noise.scale * normal());
  for (const [where, inP, inQ] of noise.odd) {
    p[where % width] = inP;
    q[where % width] = inQ;
  }
  return [p.slice(0, noise.widthP), q.slice(0, widthQ)];
}

function findLargest(...rows: number[][]): number {
  return rows
    .flat()
    .reduce((most, z) => (Number.isFinite(z) && z > -1e30 ? Math.max(most, Math.abs(z)) : most), 0);
}

describe("the kernel agrees with its twin", () => {
  it("runs here", () => {
    expect(distributionKernel()).toBeDefined();
  });

  it("float32", () => {
    fc.assert(
      fc.property(
        noises,
        fc.integer({ min: -1, max: 100 }),
        fc.integer({ min: 0, max: 12 }),
        (noise, token, k) => {
          const [p, q] = drawPair(noise);
          const [actual, wanted] = ENGINES.map((engine) =>
            compareRows(float32(p), float32(q), [token], k, { engine }),
          );
          expectSame(actual!, wanted!, findLargest(p, q));
          expectSameRows(describeRows(float32(p), [token], k), wanted!.p, findLargest(p));
        },
      ),
      { numRuns: sized(150, 600) },
    );
  });

  it.each([
    ["float16", asFloat16, fromFloat16],
    ["bfloat16", asBfloat16, fromBfloat16],
  ] as const)("%s", (format, encode, decode) => {
    fc.assert(
      fc.property(noises, (given) => {
        const [p, q] = drawPair({ ...given, odd: [] });
        const narrow = (row: number[]): LogitBlock => ({
          format,
          values: Uint16Array.from(row, encode),
          rows: 1,
          vocabulary: row.length,
        });
        const wide = (row: number[]): LogitBlock => float32(row.map((z) => decode(encode(z))));
        const actual = compareRows(narrow(p), narrow(q), [0], 4);
        expectSame(actual, compareRows(wide(p), wide(q), [0], 4, { engine: "scalar" }), findLargest(p, q));
        expect(compareRows(wide(p), wide(q), [0], 4)).toEqual(actual);
        expect(compareRows(narrow(p), narrow(q), [0], 4, { engine: "scalar" })).toEqual(
          compareRows(wide(p), wide(q), [0], 4, { engine: "scalar" }),
        );
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("over many rows, wide and narrow in turn", () => {
    for (const width of [40, 5000, 17, 70_000]) {
      const noise = {
        widthP: width,
        widthQ: 0,
        spread: 3,
        scale: 0.1,
        certain: 9,
        shift: 0,
        temperature: 1,
        odd: [],
      };
      const pairs = [1, 2, 3].map((seed) => drawPair({ ...noise, seed }));
      const [p, q] = [float32(...pairs.map(([row]) => row)), float32(...pairs.map(([, row]) => row))];
      const [actual, wanted] = ENGINES.map((engine) => compareRows(p, q, [0, 7, 12], 5, { engine }));
      expectSame(actual!, wanted!, 30);
    }
  });
});

describe("the twin's Jensen-Shannon term", () => {
  it("is continuous where the series takes over, and ends at log 2", () => {
    for (const ratio of [1e-9, 0.05, 0.0999, 0.1001, 0.2, 3]) {
      const x = Math.tanh(ratio / 2);
      const series = Array.from({ length: 400 }, (_, i) => i + 1).reduceRight(
        (sum, n) => (sum + 1 / (2 * n * (2 * n - 1))) * x * x,
        0,
      );
      expectClose(computeJensen(ratio), series, 1e-12, `ratio ${ratio}`);
      expect(computeJensen(-ratio)).toBe(computeJensen(ratio));
    }
    expectClose(computeJensen(INF), Math.LN2, 1e-15, "infinite ratio");
  });
});
