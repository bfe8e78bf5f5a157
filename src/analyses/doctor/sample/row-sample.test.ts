import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { FormatError } from "../../../core/base/errors.ts";
import type { SampledRow } from "./row.ts";
import { decodeRow, encodeRow } from "./row-bytes.ts";
import { compareRows, RowSample, SAMPLE_TOKENS, stepFirstKey } from "./row-sample.ts";

const LIMIT = 40;

function makeRow(group: number, row: number, tokens: number, more: Partial<SampledRow> = {}): SampledRow {
  const values = Float32Array.from({ length: tokens }, (_, t) => -t - row / 7);
  return {
    ...{ file: `f${row % 3}`, step: row % 2 === 0 ? Number.NaN : row, rank: Number.NaN, pack: 0, row },
    ...{ environment: undefined, group, hasPrompt: true, reward: 1, advantage: Number.NaN },
    ...{ mask: new Uint8Array(tokens).fill(1), rollout: values, trainer: Float64Array.from(values) },
    ...{ ids: undefined, prompt: undefined, reference: undefined, rescore: undefined },
    ...{ rolloutEntropy: undefined, trainerEntropy: undefined, rolloutTop: undefined, trainerTop: undefined },
    ...{ positions: undefined, versions: undefined },
    ...more,
  };
}

const rowsOf = fc
  .array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 30 })), { maxLength: 30 })
  .map((drawn) => drawn.map(([group, tokens], row) => makeRow(group, row, tokens)));

/** As the doctor merges samples. */
function addAll(into: RowSample, sample: RowSample): void {
  into.dropFrom(sample.bound);
  for (const row of sample.list()) into.add(row.group, row);
}

it("keeps the same rows whatever order and tree they come in: groups of the smallest keys up to the limit", () => {
  fc.assert(
    fc.property(
      rowsOf.chain((rows) =>
        fc.tuple(
          fc.constant(rows),
          fc.shuffledSubarray(rows, { minLength: rows.length }),
          fc.array(fc.nat(2), { minLength: rows.length, maxLength: rows.length }),
        ),
      ),
      ([rows, order, places]) => {
        const samples = [0, 1, 2].map(() => new RowSample(LIMIT));
        for (const [i, row] of order.entries()) samples[places[i]!]!.add(row.group, row);
        // One of them travelled before it was merged: it was trimmed.
        const [first, second, third] = samples as [RowSample, RowSample, RowSample];
        expect(second.bound).toBeGreaterThan(0);
        addAll(second, third);
        addAll(first, second);
        expect(first.list()).toEqual(keepNaively(rows));
        expect(first.isWhole()).toBe(rows.reduce((sum, { mask }) => sum + mask.length, 0) <= LIMIT);
      },
    ),
    { numRuns: 500 },
  );
});

it("lists fewer tokens as a sample with that limit would have them, and keeps all", () => {
  fc.assert(
    fc.property(rowsOf, fc.integer({ min: 1, max: LIMIT }), (rows, most) => {
      const [sample, smaller] = [new RowSample(LIMIT), new RowSample(most)];
      for (const row of rows) for (const one of [sample, smaller]) one.add(row.group, row);
      const listed = sample.list(most);
      expect(sample.list()).toEqual(keepNaively(rows));
      expect(listed).toEqual(smaller.list());
      expect(sample.isWhole(most)).toBe(smaller.isWhole());
    }),
  );
});

/** Groups by key as long as all of them fit; the first one in any case. In the order of the sample's own list. */
function keepNaively(rows: readonly SampledRow[]): SampledRow[] {
  const keys = [...new Set(rows.map(({ group }) => group))].sort((a, b) => a - b);
  const kept: number[] = [];
  let tokens = 0;
  for (const key of keys) {
    for (const { group, mask } of rows) if (group === key) tokens += mask.length;
    if (tokens > LIMIT && kept.length > 0) break;
    kept.push(key);
  }
  const known = (value: number): number => (Number.isNaN(value) ? Number.POSITIVE_INFINITY : value);
  return rows
    .filter(({ group }) => kept.includes(group))
    .sort((a, b) =>
      known(a.step) !== known(b.step)
        ? known(a.step) - known(b.step)
        : a.file < b.file
          ? -1
          : a.file > b.file
            ? 1
            : a.row - b.row,
    );
}

it("writes a row and reads it back, every column in its own width", () => {
  const row = makeRow(2 ** 52 + 1, 5, 3, {
    environment: "",
    mask: Uint8Array.of(1, 0, 1),
    ids: Int32Array.of(7, -1, 150_000),
    prompt: Int32Array.of(1, 2),
    rescore: Float64Array.of(-1e-300, Number.NaN, Number.NEGATIVE_INFINITY),
    rolloutTop: {
      k: 2,
      ids: Int32Array.of(1, 2, 3, 4, 5, -1),
      logprobs: Float32Array.of(-1, -2, -3, -4, -5, NaN),
    },
    positions: Int32Array.of(4, 5, 6),
    versions: Int32Array.of(0, 0, 1),
  });
  const to = new ByteWriter();
  encodeRow(row, to);
  const bytes = to.finish();
  const from = new ByteReader(bytes, "row");
  const back = decodeRow(from);
  from.end();
  expect(back).toStrictEqual(row);
  for (let at = 0; at < bytes.length - 4; at++)
    expect(() => decodeRow(new ByteReader(bytes.subarray(0, at), "row"))).toThrow(FormatError);
});

describe("a sample of a limit", () => {
  const fill = (limit: number, ...rows: readonly SampledRow[]): RowSample => {
    const sample = new RowSample(limit);
    for (const row of rows) sample.add(row.group, row);
    return sample;
  };
  const groups = (sample: RowSample): number[] => sample.list().map(({ group }) => group);

  it("keeps as many tokens as that, whole groups, the smallest keys first", () => {
    const [one, two, three] = [makeRow(1, 0, 4), makeRow(2, 1, 6), makeRow(3, 2, 1)];
    expect(groups(fill(10, two, one))).toHaveLength(2);
    expect(fill(10, two, one).bound).toBe(Number.POSITIVE_INFINITY);
    expect(fill(10, two, one).isWhole()).toBe(true);
    const beyond = fill(10, three, two, one);
    expect(beyond.isWhole()).toBe(false);
    expect(groups(beyond).sort()).toEqual([1, 2]);
    expect(beyond.bound).toBe(3);
    expect(beyond.isWhole()).toBe(false);
    expect([beyond.wants(2), beyond.wants(3), beyond.wants(4)]).toEqual([true, false, false]);
    beyond.add(3, three);
    expect(groups(beyond).sort()).toEqual([1, 2]);
  });

  it("keeps one group beyond the limit, and is not whole then", () => {
    const sample = fill(10, makeRow(5, 0, 11));
    expect(groups(sample)).toEqual([5]);
    expect(sample.bound).toBe(Number.POSITIVE_INFINITY);
    expect(sample.isWhole()).toBe(false);
    const two = fill(10, makeRow(5, 0, 11), makeRow(6, 1, 1));
    expect([groups(two), two.bound]).toEqual([[5], 6]);
  });

  it("drops groups once it holds twice the limit, and none before it is read", () => {
    const sample = fill(10, makeRow(1, 0, 10), makeRow(2, 1, 10));
    expect(sample.wants(2)).toBe(true);
    sample.add(3, makeRow(3, 2, 1));
    expect([sample.wants(1), sample.wants(2)]).toEqual([true, false]);
    // What was dropped does not count any more.
    sample.add(0, makeRow(0, 3, 10));
    expect(sample.wants(1)).toBe(true);
    expect(groups(sample)).toEqual([0]);
  });

  it("is that of the run with what another sample dropped", () => {
    const sample = fill(10, makeRow(1, 0, 2), makeRow(4, 1, 2), makeRow(7, 2, 2));
    sample.dropFrom(4);
    expect([groups(sample), sample.bound]).toEqual([[1], 4]);
    sample.dropFrom(9);
    expect(sample.bound).toBe(4);
    const merged = fill(10, makeRow(2, 3, 2), makeRow(5, 4, 2));
    addAll(merged, sample);
    expect([groups(merged).sort(), merged.bound]).toEqual([[1, 2], 4]);
  });

  it("is 100,000 tokens unless said otherwise", () => {
    expect(SAMPLE_TOKENS).toBe(100_000);
    const sample = new RowSample();
    sample.add(1, makeRow(1, 0, SAMPLE_TOKENS - 1));
    sample.add(2, makeRow(2, 1, 1));
    expect(sample.isWhole()).toBe(true);
    sample.add(3, makeRow(3, 2, 1));
    expect(sample.isWhole()).toBe(false);
  });
});

it("orders sequences by step, rank, file, pack, row and the name of the row, unknown numbers last", () => {
  const row = (more: Partial<SampledRow>): SampledRow =>
    makeRow(1, 0, 1, { step: 1, rank: 1, file: "b", pack: 1, row: 1, ...more });
  const ordered: SampledRow[] = [
    row({ step: 0, rank: 9 }),
    row({ rank: 0, file: "z" }),
    row({ file: "a", pack: 9 }),
    row({ pack: 0, row: 9 }),
    row({ row: 0 }),
    row({}),
    row({ row: 2 }),
    row({ row: Number.NaN }),
    row({ pack: 2, row: 0 }),
    row({ pack: Number.NaN, row: 0 }),
    row({ file: "c", pack: 0 }),
    row({ rank: 2, file: "a" }),
    row({ rank: Number.NaN, file: "a" }),
    row({ step: 2, rank: 0 }),
    row({ step: Number.NaN, rank: 0 }),
  ];
  for (const [i, a] of ordered.entries())
    for (const [j, b] of ordered.entries()) expect(Math.sign(compareRows(a, b))).toBe(Math.sign(i - j));
});

it("keys of one step lie together, and tell groups apart within it", () => {
  const keys = [1, 2, 3, Number.NaN].map((step) =>
    [0, 2 ** 21, 2 ** 40, 2 ** 52].map((group) => stepFirstKey(step, group)),
  );
  for (const own of keys) {
    expect(new Set(own.map((key) => Math.floor(key / 2 ** 32))).size).toBe(1);
    expect(own.map((key) => key % 2 ** 32)).toEqual([0, 1, 2 ** 19, 2 ** 31]);
    for (const key of own) expect(Number.isSafeInteger(key)).toBe(true);
  }
  expect(new Set(keys.map(([key]) => key)).size).toBe(4);
});

describe("a row from bytes", () => {
  const write = (row: SampledRow): { packed: Uint8Array; plain: Uint8Array } => {
    const to = new ByteWriter();
    encodeRow(row, to);
    return to.finishApart();
  };
  const travel = (row: SampledRow): SampledRow => decodeRow(new ByteReader(write(row), "row"));

  it("has every column, or none", () => {
    const bare = makeRow(3, 1, 2, { hasPrompt: false });
    expect(travel(bare)).toStrictEqual(bare);
    const full = makeRow(3, 1, 2, {
      ...{ environment: "math", reference: Float32Array.of(-1, -2), rolloutEntropy: Float64Array.of(1, 2) },
      ...{ trainerEntropy: Float32Array.of(3, 4), prompt: new Int32Array(0), advantage: 0.5 },
      trainerTop: { k: 1, ids: Int32Array.of(5, 6), logprobs: Float32Array.of(-1, -2) },
    });
    expect(travel(full)).toStrictEqual(full);
    const empty = makeRow(3, 1, 0, {
      rolloutTop: { k: 0, ids: new Int32Array(0), logprobs: new Float32Array(0) },
    });
    expect(travel(empty)).toStrictEqual(empty);
  });

  it("takes four bytes for a float32 and eight for a float64", () => {
    const narrow = Float32Array.of(-1, -2, -3);
    expect(write(makeRow(1, 0, 3, { rollout: narrow, trainer: narrow })).plain.length).toBe(24);
    expect(
      write(makeRow(1, 0, 3, { rollout: narrow, trainer: Float64Array.from(narrow) })).plain.length,
    ).toBe(36);
  });

  /** As encodeRow writes a row of one token without any column; the rest is up to the test. */
  const begin = (): ByteWriter => {
    const to = new ByteWriter();
    to.name("f");
    to.floats([0, 0, 0, 0, 0, 0, 0]);
    to.byte(0);
    to.name("");
    to.whole(1);
    to.bits(Uint8Array.of(1));
    return to;
  };
  const policies = (to: ByteWriter): void => {
    for (const kind of [1, 1, 0, 0, 0, 0]) {
      to.byte(kind);
      if (kind === 1) to.plainFloat32(-1);
    }
  };
  const read = (write: (to: ByteWriter) => void): (() => SampledRow) => {
    const to = begin();
    write(to);
    return () => decodeRow(new ByteReader(to.finishApart(), "row"));
  };
  const end = (to: ByteWriter): void => {
    for (let k = 0; k < 6; k++) to.byte(0);
  };

  it("is refused where its bytes cannot be one", () => {
    const rest = (to: ByteWriter) => {
      policies(to);
      end(to);
    };
    expect(read(rest)().rollout).toEqual(Float32Array.of(-1));
    const lacks = (kinds: readonly number[]) =>
      read((to) => {
        for (const kind of kinds) {
          to.byte(kind);
          if (kind === 1) to.plainFloat32(-1);
        }
        end(to);
      });
    expect(lacks([0, 1, 0, 0, 0, 0])).toThrow("row does not hold a summary: a sequence lacks a policy");
    expect(lacks([1, 0, 0, 0, 0, 0])).toThrow("row does not hold a summary: a sequence lacks a policy");
    expect(lacks([3, 1, 0, 0, 0, 0])).toThrow("row does not hold a summary: a column is of no known width");
    const short = read((to) => {
      to.byte(1);
      to.byte(1);
      to.plainFloat32(-1);
      for (let k = 0; k < 10; k++) to.byte(0);
    });
    expect(short).toThrow("4 bytes of measured values are needed, 0 are left");
    const wide = read((to) => {
      to.byte(2);
      to.plainFloat32(-1);
    });
    expect(wide).toThrow("8 bytes of measured values are needed, 4 are left");
  });

  it("is refused where numbers or alternatives are not all there", () => {
    const ids = read((to) => {
      policies(to);
      to.byte(1);
    });
    expect(ids).toThrow("row does not hold a summary: 1 numbers are declared, 0 bytes are left");
    const top = (write: (to: ByteWriter) => void) =>
      read((to) => {
        policies(to);
        for (let k = 0; k < 4; k++) to.byte(0);
        to.whole(2);
        write(to);
      });
    const incomplete = "row does not hold a summary: alternatives are incomplete";
    const withoutIds = top((to) => {
      to.byte(0);
      to.byte(1);
      to.plainFloat32(-1);
      to.byte(0);
    });
    expect(withoutIds).toThrow(incomplete);
    const withoutLogprobs = top((to) => {
      to.byte(1);
      to.signed(7);
      to.byte(0);
      to.byte(0);
    });
    expect(withoutLogprobs).toThrow(incomplete);
  });
});
