import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import { LengthMismatchError, UsageError } from "../base/errors.ts";
import { effectiveSampleSize, pearson } from "./derive.ts";
import * as layout from "./layout.ts";
import { emptySums, mergeSums } from "./merge.ts";
import { type MismatchOptions, type MismatchTable, mismatchSums, type TokenBlock } from "./mismatch.ts";
import { computeK3, computeProbDiff, tokenSums } from "./scalar.ts";
import { mismatchKernel } from "./wasm/kernel.ts";

const { FIELDS } = layout;
const EXACT = [
  layout.COUNT,
  layout.POSITIVE_COUNT,
  layout.NEGATIVE_COUNT,
  layout.OVER_COUNT,
  layout.PROB_COUNT,
  layout.NEGATIVE_INFINITE_COUNT,
  layout.POSITIVE_INFINITE_COUNT,
  layout.UNDEFINED_COUNT,
];
const magnitudes = (s: Float64Array): number =>
  Math.abs(s[layout.ROLLOUT_SUM]!) + Math.abs(s[layout.TRAINER_SUM]!) + s[layout.ABS_DELTA_SUM]!;
/** Signed sums: their error is measured against the same sum of magnitudes. */
const SIGNED: Record<number, (sums: Float64Array) => number> = {
  [layout.DELTA_MEAN]: (s) => s[layout.ABS_DELTA_SUM]! / s[layout.COUNT]!,
  [layout.EXCESS_MEAN]: (s) => (s[layout.ABS_DELTA_SUM]! + s[layout.K3_SUM]!) / s[layout.COUNT]!,
  [layout.PROB_DIFF_MEAN]: (s) => s[layout.ABS_PROB_DIFF_MEAN]!,
  [layout.ROLLOUT_SUM]: magnitudes,
  [layout.TRAINER_SUM]: magnitudes,
  [layout.PROB_DIFF_SLOPE]: (s) => Math.sqrt(s[layout.PROB_DIFF_M2]! / s[layout.TAIL_MASS_M2]!),
};

/** Second moments: the count and the mean of what they are of, whose own rounding they inherit. */
const MOMENTS: Record<number, [count: number, mean: number]> = {
  [layout.DELTA_M2]: [layout.COUNT, layout.DELTA_MEAN],
  [layout.EXCESS_M2]: [layout.COUNT, layout.EXCESS_MEAN],
  [layout.PROB_DIFF_M2]: [layout.PROB_COUNT, layout.PROB_DIFF_MEAN],
  [layout.ABS_PROB_DIFF_M2]: [layout.PROB_COUNT, layout.ABS_PROB_DIFF_MEAN],
  [layout.TAIL_MASS_M2]: [layout.PROB_COUNT, layout.TAIL_MASS_MEAN],
};
const EPSILON = 2e-15;

/** How far float64 arithmetic itself may be off. */
function boundRounding(field: number, sums: Float64Array): number {
  const n = sums[layout.PROB_COUNT]!;
  const slope = Math.abs(sums[layout.PROB_DIFF_SLOPE]!);
  const offRegression =
    EPSILON *
    Math.sqrt(n) *
    (sums[layout.ABS_PROB_DIFF_MAX]! + slope * (1 + Math.sqrt(n) * sums[layout.PROB_MEAN]!));
  if (field === layout.PROB_DIFF_SLOPE) return offRegression / Math.sqrt(sums[layout.TAIL_MASS_M2]!);
  const moment = MOMENTS[field];
  if (field !== layout.PROB_DIFF_RESIDUAL && !moment) return 0;
  const off = moment ? EPSILON * Math.abs(sums[moment[1]]!) * Math.sqrt(sums[moment[0]]!) : offRegression;
  return off * (2 * Math.sqrt(sums[field]!) + off);
}

function expectSameSums(actual: Float64Array, expected: Float64Array, tolerance = 1e-5): void {
  for (let field = 0; field < FIELDS; field++) {
    const [a, e] = [actual[field]!, expected[field]!];
    if (Object.is(a, e) || a === e) continue;
    // The residual is a square of what single precision leaves of Δp: it carries twice the relative error, and more
    // where few tokens make it up. Pearson's correlation subtracts it, divided, from 1.
    const share = field === layout.PROB_DIFF_RESIDUAL ? 4 * tolerance : tolerance;
    const allowed = EXACT.includes(field)
      ? 0
      : share * (SIGNED[field]?.(expected) ?? Math.abs(e)) + boundRounding(field, expected);
    if (!(Math.abs(a - e) <= allowed))
      expect.fail(`field ${field}: ${a} instead of ${e} (off by ${Math.abs(a - e)}, ${allowed} allowed)`);
  }
}

function expectSameTables(actual: MismatchTable, expected: MismatchTable, tolerance?: number): void {
  expect(actual.rowTurns).toEqual(expected.rowTurns);
  expect(actual.turnRows).toEqual(expected.turnRows);
  for (const name of ["rows", "turns"] as const) {
    expect(actual[name].length).toBe(expected[name].length);
    for (let at = 0; at < expected[name].length; at += FIELDS) {
      expectSameSums(
        actual[name].subarray(at, at + FIELDS),
        expected[name].subarray(at, at + FIELDS),
        tolerance,
      );
    }
  }
}

/** The table by its definition: look at one token after the other. */
function naiveTable({ rollout, trainer, mask, offsets }: TokenBlock): MismatchTable {
  const rowCount = offsets.length - 1;
  const rows: Float64Array[] = [];
  const turns: Float64Array[] = [];
  const turnRows: number[] = [];
  const rowTurns = new Int32Array(rowCount);
  for (let row = 0; row < rowCount; row++) {
    const sums = emptySums();
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
      if (mask[i] === 0) continue;
      if (i === offsets[row] || mask[i - 1] === 0) {
        const turn = rowTurns[row]!++;
        turns[turn] ??= emptySums();
        turnRows[turn] = (turnRows[turn] ?? 0) + 1;
      }
      const token = tokenSums(rollout, trainer, undefined, i, i + 1);
      mergeSums(sums, token);
      mergeSums(turns[rowTurns[row]! - 1]!, token);
    }
    rows.push(sums);
  }
  const flat = (list: Float64Array[]): Float64Array => Float64Array.from(list.flatMap((sums) => [...sums]));
  return { rows: flat(rows), turns: flat(turns), turnRows: Int32Array.from(turnRows), rowTurns };
}

const special = fc.constantFrom(
  0,
  -0,
  -1e-40,
  -1e-45,
  -9999,
  0.5,
  3,
  20,
  -30,
  -80,
  -104,
  Number.NaN,
  Infinity,
  -Infinity,
);
const logprob = fc.oneof(
  { weight: 5, arbitrary: fc.double({ min: -6, max: 0, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: -1e-3, max: 0, noNaN: true }) },
);
const bits = fc.oneof(
  fc.constant(() => 1),
  fc.constant(() => 0),
  fc.infiniteStream(fc.constantFrom(0, 1)).map((stream) => () => stream.next().value as number),
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 12 })).map(
    ([on, off]) =>
      (i: number) =>
        i % (on + off) < on ? 1 : 0,
  ),
);

/** Blocks of the given row lengths, noise of one scale, a few special values. */
function drawBlock(lengths: fc.Arbitrary<number[]>): fc.Arbitrary<TokenBlock> {
  return fc
    .tuple(
      lengths,
      bits,
      fc.constantFrom(0, 1e-7, 1e-5, 1e-3, 0.05, 0.7, 10),
      fc.constantFrom(0, 0, 0, 0.02, 0.3),
    )
    .chain(([sizes, maskAt, scale, oddShare]) => {
      const offsets = Int32Array.from([
        0,
        ...sizes.map((_, i) => sizes.slice(0, i + 1).reduce((a, b) => a + b, 0)),
      ]);
      const n = offsets[sizes.length]!;
      const noise = fc.double({ min: -1, max: 1, noNaN: true });
      const token = fc.tuple(logprob, noise, fc.double({ min: 0, max: 1, noNaN: true }), special, special);
      return fc.array(token, { minLength: n, maxLength: n }).map((tokens) => ({
        rollout: Float32Array.from(tokens, ([a, , odd, x]) => (odd < oddShare ? x : a)),
        trainer: Float32Array.from(tokens, ([a, b, odd, , y]) =>
          odd > 1 - oddShare ? y : Math.fround(a) + scale * b,
        ),
        mask: Uint8Array.from(tokens, (_, i) => maskAt(i)),
        offsets,
      }));
    });
}

const shortRows = fc.array(fc.integer({ min: 0, max: 70 }), { maxLength: 9 });

/** Deterministic noise for long blocks. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

function longBlock(
  lengths: number[],
  seed: number,
  maskAt: (i: number, random: () => number) => number,
): TokenBlock {
  const random = generator(seed);
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, row) => {
    offsets[row + 1] = offsets[row]! + length;
  });
  const n = offsets[lengths.length]!;
  const rollout = Float32Array.from({ length: n }, () => Math.log(random()) * random());
  const trainer = rollout.map(
    (value) => value + 0.1 * (random() - 0.5) + (random() < 0.001 ? -12 * random() : 0),
  );
  for (let i = 0; i < n; i += 4001) trainer[i] = Number.NaN;
  return { rollout, trainer, mask: Uint8Array.from({ length: n }, (_, i) => maskAt(i, random)), offsets };
}

const masks: Record<string, (i: number, random: () => number) => number> = {
  "all ones": () => 1,
  random: (_, random) => (random() < 0.8 ? 1 : 0),
  "turns of 300": (i) => (i % 340 < 300 ? 1 : 0),
  "one turn across all chunks": (i) => (i > 3 ? 1 : 0),
};

it("runs the WebAssembly kernel on this machine", () => {
  expect(mismatchKernel()).toBeDefined();
});

describe("kernel and twin", () => {
  it("agree on short rows with anything in them", () => {
    fc.assert(
      fc.property(drawBlock(shortRows), fc.boolean(), (block, turns) => {
        expectSameTables(mismatchSums(block, { turns }), mismatchSums(block, { turns, engine: "scalar" }));
      }),
      { numRuns: sized(200, 600) },
    );
  });

  it("agree on rows of medium length", () => {
    const lengths = fc.array(fc.integer({ min: 30, max: 400 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(drawBlock(lengths), (block) => {
        expectSameTables(mismatchSums(block), mismatchSums(block, { engine: "scalar" }));
      }),
      { numRuns: sized(20, 60) },
    );
  });

  for (const [name, maskAt] of Object.entries(masks)) {
    it(`agree across chunk borders, ${name}`, () => {
      const { chunk } = mismatchKernel()!;
      const lengths = [5, chunk - 6, 3, 0, chunk, 2 * chunk + 17, 1, 1, chunk + 1, 3 * chunk, 40];
      const block = longBlock(lengths, 11, maskAt);
      for (const turns of [true, false]) {
        expectSameTables(
          mismatchSums(block, { turns }),
          mismatchSums(block, { turns, engine: "scalar" }),
          1e-6,
        );
      }
    });
  }

  it("agree with the naive definition of turns", () => {
    fc.assert(
      fc.property(drawBlock(shortRows), (block) => {
        expectSameTables(mismatchSums(block, { engine: "scalar" }), naiveTable(block), 1e-9);
        expectSameTables(mismatchSums(block), naiveTable(block));
      }),
      { numRuns: sized(60, 200) },
    );
  });

  it("takes the sums of a row from nothing but the row", () => {
    const { chunk } = mismatchKernel()!;
    const block = longBlock(
      [100, 2 * chunk, 0, 77, chunk - 1, 3000, 3000, 3000, 9],
      5,
      masks["turns of 300"]!,
    );
    const whole = mismatchSums(block).rows;
    for (const [rowStart, rowEnd] of [
      [0, 1],
      [1, 4],
      [3, 9],
      [8, 9],
      [4, 4],
    ] as const) {
      const part = mismatchSums(block, { rowStart, rowEnd });
      expect(part.rows).toEqual(whole.slice(rowStart * FIELDS, rowEnd * FIELDS));
      expect(part.rowTurns.length).toBe(rowEnd - rowStart);
    }
  });

  it("agree where a mask entry is neither 0 nor 1", () => {
    const block = longBlock([300], 3, (i) => (i % 7 === 0 ? 0 : (i % 255) + 1));
    const binary = { ...block, mask: block.mask.map((value) => (value === 0 ? 0 : 1)) };
    expect(mismatchSums(block)).toEqual(mismatchSums(binary));
    expectSameTables(mismatchSums(block), mismatchSums(block, { engine: "scalar" }));
  });

  it("sums double precision in double precision", () => {
    const rollout = Float64Array.from({ length: 50 }, (_, i) => -1 - i / 7);
    const trainer = rollout.map((value, i) => value + 1e-12 * (i + 1));
    const { rows } = mismatchSums({
      rollout,
      trainer,
      mask: new Uint8Array(50).fill(1),
      offsets: Int32Array.of(0, 50),
    });
    expect(rows[layout.DELTA_MEAN]! / 25.5e-12).toBeCloseTo(1, 3);
  });
});

describe("the sink", () => {
  const collect = (block: TokenBlock, options: MismatchOptions = {}): number[][] => {
    const tokens: number[][] = [];
    mismatchSums(block, {
      ...options,
      sink: ({ count, delta, probDiff, k3, index, turn }) => {
        for (let i = 0; i < count; i++) tokens.push([index[i]!, turn[i]!, delta[i]!, probDiff[i]!, k3[i]!]);
      },
    });
    return tokens.sort((a, b) => a[0]! - b[0]!);
  };
  /** What the sink must get for each finite, masked-in token. */
  const expectedTokens = ({ rollout, trainer, mask, offsets }: TokenBlock): number[][] => {
    const tokens: number[][] = [];
    for (let row = 0; row + 1 < offsets.length; row++) {
      let turn = -1;
      for (let i = offsets[row]!; i < offsets[row + 1]!; i++) {
        if (mask[i] !== 0 && (i === offsets[row] || mask[i - 1] === 0)) turn++;
        const [a, b] = [rollout[i]!, trainer[i]!];
        if (mask[i] === 0 || !Number.isFinite(a) || !Number.isFinite(b)) continue;
        tokens.push([i, turn, b - a, computeProbDiff(a, b), computeK3(b - a)]);
      }
    }
    return tokens;
  };
  const expectTokens = (actual: number[][], expected: number[][]): void => {
    expect(actual.length).toBe(expected.length);
    expected.forEach((token, i) => {
      token.forEach((value, column) => {
        const found = actual[i]![column]!;
        const single = Math.fround(value);
        const allowed = column < 2 ? 0 : Math.abs(value) * 1e-5 + 1e-30;
        if (!(Object.is(found, single) || Math.abs(found - value) <= allowed))
          expect.fail(`token ${i}, column ${column}: ${found} instead of ${value}`);
      });
    });
  };

  it("gets every finite masked-in token once, with its turn", () => {
    fc.assert(
      fc.property(drawBlock(shortRows), (block) => {
        const expected = expectedTokens(block);
        expectTokens(collect(block), expected);
        expectTokens(collect(block, { engine: "scalar" }), expected);
        expectTokens(
          collect(block, { turns: false }),
          expected.map(([index, , ...rest]) => [index!, 0, ...rest]),
        );
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("gets them across chunk borders", () => {
    const block = longBlock([mismatchKernel()!.chunk * 2 + 100, 50], 8, masks["turns of 300"]!);
    expectTokens(collect(block), expectedTokens(block));
    expectTokens(collect(block, { engine: "scalar" }), expectedTokens(block));
  });
});

describe("metamorphic", () => {
  const finite = drawBlock(shortRows).map((block) => ({
    ...block,
    rollout: block.rollout.map((value) => (Number.isFinite(value) ? value : -1)),
    trainer: block.trainer.map((value) => (Number.isFinite(value) ? value : -2)),
  }));

  it("both sides equal: nothing but zeros, ESS 1, Pearson 1", () => {
    fc.assert(
      fc.property(finite, (block) => {
        const { rows } = mismatchSums({ ...block, trainer: block.rollout });
        for (let at = 0; at < rows.length; at += FIELDS) {
          if (rows[at + layout.COUNT] === 0) continue;
          for (const field of [
            layout.DELTA_MEAN,
            layout.DELTA_M2,
            layout.DELTA_MIN,
            layout.DELTA_MAX,
            layout.ABS_DELTA_SUM,
            layout.K3_SUM,
            layout.EXCESS_MEAN,
            layout.EXCESS_M2,
            layout.PROB_DIFF_MEAN,
            layout.PROB_DIFF_M2,
            layout.ABS_PROB_DIFF_MEAN,
            layout.ABS_PROB_DIFF_MAX,
            layout.PROB_DIFF_SLOPE,
            layout.PROB_DIFF_RESIDUAL,
          ]) {
            expect(rows[at + field]! + 0).toBe(0);
          }
          expect(effectiveSampleSize(rows, at)).toBe(1);
          if (rows[at + layout.TAIL_MASS_M2]! > 1e-25) expect(pearson(rows, at)).toBe(1);
          else expect(pearson(rows, at) === 1 || Number.isNaN(pearson(rows, at))).toBe(true);
        }
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("sides swapped: Δ and Δp change sign", () => {
    fc.assert(
      fc.property(finite, (block) => {
        const there = mismatchSums(block).rows;
        const back = mismatchSums({ ...block, rollout: block.trainer, trainer: block.rollout }).rows;
        for (let at = 0; at < there.length; at += FIELDS) {
          const [a, b] = [there.subarray(at, at + FIELDS), back.subarray(at, at + FIELDS)];
          const scale = a[layout.ABS_DELTA_SUM]! / a[layout.COUNT]! || 0;
          expect(Math.abs(a[layout.DELTA_MEAN]! + b[layout.DELTA_MEAN]!)).toBeLessThanOrEqual(1e-9 * scale);
          expect(Math.abs(a[layout.PROB_DIFF_MEAN]! + b[layout.PROB_DIFF_MEAN]!)).toBeLessThanOrEqual(
            1e-5 * a[layout.ABS_PROB_DIFF_MEAN]!,
          );
          if (a[layout.COUNT]! > 0)
            expect(Math.abs(a[layout.DELTA_MAX]! + b[layout.DELTA_MIN]!)).toBeLessThanOrEqual(
              1e-6 * Math.abs(a[layout.DELTA_MAX]!),
            );
          expect([a[layout.POSITIVE_COUNT], a[layout.NEGATIVE_COUNT]]).toEqual([
            b[layout.NEGATIVE_COUNT],
            b[layout.POSITIVE_COUNT],
          ]);
        }
      }),
      { numRuns: sized(50, 150) },
    );
  });

  it("k3 is never negative", () => {
    fc.assert(
      fc.property(drawBlock(shortRows), (block) => {
        mismatchSums(block, {
          sink: ({ count, k3 }) => {
            for (let i = 0; i < count; i++) expect(k3[i]).toBeGreaterThanOrEqual(0);
          },
        });
      }),
      { numRuns: 100 },
    );
  });
});

describe("bad blocks", () => {
  const block = longBlock([3, 4], 1, () => 1);
  for (const engine of ["wasm", "scalar"] as const) {
    it(`are refused (${engine})`, () => {
      const sums =
        (change: Partial<TokenBlock>, options: MismatchOptions = {}) =>
        () =>
          mismatchSums({ ...block, ...change }, { ...options, engine });
      expect(sums({ trainer: new Float32Array(6) })).toThrow(LengthMismatchError);
      expect(sums({ trainer: new Float32Array(6) })).toThrow(
        "cannot align the columns: 7 rollout log-probs, 6 trainer log-probs, 7 mask entries",
      );
      expect(sums({ offsets: Int32Array.of(0, 8) })).toThrow("row offsets end at 8, but there are 7 tokens");
      expect(sums({ offsets: Int32Array.of(0, 5, 4) })).toThrow("row offsets decrease from 5 to 4");
      expect(sums({ offsets: Int32Array.of(-1, 5) })).toThrow("row offsets start at -1");
      expect(sums({ offsets: new Int32Array(0) })).toThrow(UsageError);
      for (const [rowStart, rowEnd] of [
        [1, 3],
        [-1, 1],
        [2, 1],
      ] as const)
        expect(sums({}, { rowStart, rowEnd })).toThrow(
          `rows [${rowStart}, ${rowEnd}) are not within the block's 2 rows`,
        );
    });
  }

  it("a block without rows has an empty table", () => {
    const empty = {
      rollout: new Float32Array(0),
      trainer: new Float32Array(0),
      mask: new Uint8Array(0),
      offsets: Int32Array.of(0),
    };
    expect(mismatchSums(empty)).toEqual({
      rows: new Float64Array(0),
      turns: new Float64Array(0),
      turnRows: new Int32Array(0),
      rowTurns: new Int32Array(0),
    });
  });
});
