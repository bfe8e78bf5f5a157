import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteReader } from "../../../core/base/byte-reader.ts";
import { ByteWriter } from "../../../core/base/byte-writer.ts";
import { createRecordBuilder } from "../../../core/schema/builder.ts";
import type { RecordBatch } from "../../../core/schema/record.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { OwnErrors } from "../../../results/diagnosis.ts";
import { makeNormal } from "../logits.test-data.ts";
import { MOST_COLUMNS } from "./columns.ts";
import { ErrorSums } from "./own-errors.ts";

const TOKENS = 25;

/** Log-probs of a token under each column, by name; `rollout` and `trainer` are the sides. */
type Token = Readonly<Record<string, number>>;

interface Drawn {
  readonly seed?: number;
  readonly prompts?: number;
  readonly perPrompt?: number;
  readonly token: (base: number, normal: () => number, place: { row: number; t: number }) => Token;
  readonly named?: boolean;
  readonly mask?: (t: number) => number;
}

/** Columns stay float64, so that sums can be compared to the last digits. */
function draw({
  seed = 1,
  prompts = 20,
  perPrompt = 2,
  token,
  named = true,
  mask = () => 1,
}: Drawn): RecordBatch {
  const random = seededRandom(seed);
  const normal = makeNormal(random);
  const builder = createRecordBuilder({
    provenance: { file: `run-${seed}.npz`, format: "npz", trainer: "verl", alignment: "token" },
    sampling: {},
  });
  for (let row = 0; row < prompts * perPrompt; row++) {
    const tokens = Array.from({ length: TOKENS }, (_, t) => token(-4 * random() - 0.1, normal, { row, t }));
    const column = (name: string): Float64Array => Float64Array.from(tokens, (one) => one[name]!);
    const others = Object.keys(tokens[0]!).filter((name) => name !== "rollout" && name !== "trainer");
    builder.push({
      length: TOKENS,
      responseMask: Uint8Array.from(tokens, (_, t) => mask(t)),
      rolloutLogprobs: column("rollout"),
      trainerLogprobs: column("trainer"),
      policyLogprobs: Object.fromEntries(others.map((name) => [name, column(name)])),
      ...(named && { groupId: `p${Math.floor(row / perPrompt)}` }),
      step: 1,
      row,
    });
  }
  return builder.flush();
}

function sums(...batches: readonly RecordBatch[]): ErrorSums {
  const errors = new ErrorSums();
  for (const batch of batches) errors.add(batch);
  return errors;
}

const describeRun = (...batches: readonly RecordBatch[]): OwnErrors => sums(...batches).result()!;

/** Errors of known sizes, which share a part. */
const known =
  (rollout: number, trainer: number, shared = 0) =>
  (base: number, normal: () => number): Token => {
    const both = shared * normal();
    return {
      float32: base,
      rollout: base + both + rollout * normal(),
      trainer: base + both + trainer * normal(),
    };
  };

describe("own errors", () => {
  it("are those that were put in, least first, and predict the gap", () => {
    const errors = describeRun(draw({ prompts: 400, token: known(0.031, 0.025) }));
    const [pair] = errors.pairs;
    expect(errors).toMatchObject({
      reference: "float32",
      owner: "rollout",
      unit: "prompt",
      no_interval: null,
    });
    expect(errors.columns.map(({ column }) => column)).toEqual(["trainer", "rollout"]);
    const [trainer, rollout] = errors.columns;
    expect(rollout!.rms / 0.031).toBeCloseTo(1, 1);
    expect(trainer!.rms / 0.025).toBeCloseTo(1, 1);
    expect(Math.abs(pair!.correlation!)).toBeLessThan(0.02);
    expect(Math.abs(pair!.independent_rms / pair!.gap_rms - 1)).toBeLessThan(0.02);
    expect(pair!.first_share).toBeCloseTo(0.031 ** 2 / (0.031 ** 2 + 0.025 ** 2), 1);
    expect(errors.columns[1]!.ratio_to_previous!.low).toBeGreaterThan(1);
    expect([trainer!.tokens, pair!.tokens]).toEqual([400 * 2 * TOKENS, 400 * 2 * TOKENS]);
  });

  it("keep the law Var(b − a) = Var a + Var b − 2 Cov(a, b) for any numbers", () => {
    const size = fc.double({ min: 1e-6, max: 10, noNaN: true });
    fc.assert(
      fc.property(size, size, size, fc.integer({ min: 1, max: 1e6 }), (rollout, trainer, shared, seed) => {
        const batch = draw({ seed, prompts: 12, token: known(rollout, trainer, shared) });
        const [pair] = describeRun(batch).pairs;
        const gaps = Array.from(batch.trainerLogprobs!, (value, t) => value - batch.rolloutLogprobs![t]!);
        const measured = Math.sqrt(gaps.reduce((sum, gap) => sum + gap * gap, 0) / gaps.length);
        const scale = rollout ** 2 + trainer ** 2 + shared ** 2;
        expect(Math.abs(pair!.gap_rms ** 2 - measured ** 2)).toBeLessThan(1e-12 * scale);
        const law = pair!.independent_rms ** 2 - 2 * pair!.covariance;
        expect(Math.abs(law - measured ** 2)).toBeLessThan(1e-12 * scale);
      }),
    );
  });

  it("have intervals that contain the truth 95 times in 100", () => {
    const inside = { rms: 0, correlation: 0, share: 0, ratio: 0 };
    const runs = 300;
    const [r, t, s] = [0.03, 0.02, 0.01];
    const truth = {
      rms: Math.hypot(r, s),
      correlation: s ** 2 / (Math.hypot(r, s) * Math.hypot(t, s)),
      share: r ** 2 / (r ** 2 + t ** 2),
      ratio: Math.hypot(r, s) / Math.hypot(t, s),
    };
    const contains = ({ low, high }: { low: number; high: number }, value: number): number =>
      low <= value && value <= high ? 1 : 0;
    for (let seed = 1; seed <= runs; seed++) {
      // A prompt's tokens are alike: intervals that count tokens would be too narrow.
      const scales: number[] = [];
      const batch = draw({
        seed,
        prompts: 40,
        token: (base, normal, { row }) => {
          const prompt = row >> 1;
          scales[prompt] ??= Math.exp(0.3 * normal() - 0.09);
          const scale = scales[prompt]!;
          return known(r * scale, t * scale, s * scale)(base, normal);
        },
      });
      const { columns, pairs } = describeRun(batch);
      inside.rms += contains(columns.find(({ column }) => column === "rollout")!.interval!, truth.rms);
      inside.correlation += contains(pairs[0]!.correlation_interval!, truth.correlation);
      inside.share += contains(pairs[0]!.first_share_interval!, truth.share);
      inside.ratio += contains(columns[1]!.ratio_to_previous!, truth.ratio);
    }
    for (const count of Object.values(inside)) {
      expect(count / runs).toBeGreaterThan(0.91);
      expect(count / runs).toBeLessThan(0.99);
    }
  });

  it("rank settings, further columns of the same tokens, by paired ratios", () => {
    const sizes = { bf16_a: 0.03, bf16_b: 0.03, fp16: 0.004, int8: 0.06 };
    const errors = describeRun(
      draw({
        prompts: 60,
        token: (base, normal) => ({
          ...known(0.02, 0.1)(base, normal),
          ...Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, base + size * normal()])),
        }),
      }),
    );
    const names = errors.columns.map(({ column }) => column.replace(/_.$/, ""));
    expect(names).toEqual(["fp16", "rollout", "bf16", "bf16", "int8", "trainer"]);
    expect(errors.columns[0]!.ratio_to_previous).toBeNull();
    const decided = errors.columns.slice(1).map(({ ratio_to_previous: ratio }) => ratio!.low > 1);
    expect(decided).toEqual([true, true, false, true, true]);
    expect(errors.pairs.map(({ first, second }) => [first, second])).toHaveLength(15);
    expect([errors.pairs[0]!.first, errors.pairs[0]!.second]).toEqual(["rollout", "trainer"]);
  });
});

describe("whose a gap is", () => {
  const owner = (token: Drawn["token"], prompts = 40): string | null =>
    describeRun(draw({ prompts, token })).owner;

  it.each([
    ["the rollout's", "rollout", known(0.03, 0.01)],
    ["the trainer's", "trainer", known(0.01, 0.03)],
    ["both sides'", "both", known(0.03, 0.03)],
    ["both sides', beside a small shared part", "both", known(0.03, 0.03, 0.01)],
    ["not said where the reference has other weights than both", "shared", known(0.03, 0.03, 0.4)],
    ["the rollout's where the reference is the trainer's column", "copy", known(0.03, 0)],
    ["the trainer's where the reference is the rollout's column", "copy", known(0, 0.03)],
    ["nobody's if there is none", null, known(0, 0, 0.1)],
  ])("is %s", (_, expected, token) => {
    expect(owner(token)).toBe(expected);
  });

  it("is not said with fewer than ten prompts, which is said", () => {
    const errors = describeRun(draw({ prompts: 9, token: known(0.03, 0.01) }));
    expect(errors).toMatchObject({ owner: null, clusters: 9, no_interval: "only 9 prompts" });
    expect(describeRun(draw({ prompts: 10, token: known(0.03, 0.01) })).owner).toBe("rollout");
    expect(errors.columns.every(({ interval }) => interval === null)).toBe(true);
    expect(errors.pairs[0]).toMatchObject({ correlation_interval: null, first_share_interval: null });
    const unnamed = describeRun(draw({ prompts: 3, named: false, token: known(0.03, 0.01) }));
    expect(unnamed.no_interval).toBe("only 6 sequences");
  });
});

describe("columns", () => {
  it.each(["fp32", "ref32", "reference_fp32", "ref_float32"])("named %s are a reference", (name) => {
    const batch = draw({
      token: (base, normal) => {
        const { float32, ...sides } = known(0.03, 0.01)(base, normal);
        return { ...sides, [name]: float32! };
      },
    });
    expect(describeRun(batch).reference).toBe(name);
  });

  it("named reference, teacher and updated have other weights: neither reference nor setting", () => {
    const others = (base: number): Token => ({ reference: base - 1, teacher: base - 2, updated: base - 0.1 });
    const without = draw({
      token: (base, normal) => {
        const { float32: _, ...sides } = known(0.03, 0.01)(base, normal);
        return { ...sides, ...others(base) };
      },
    });
    expect(sums(without).result()).toBeNull();
    const beside = draw({
      token: (base, normal) => ({ ...known(0.03, 0.01)(base, normal), ...others(base) }),
    });
    expect(describeRun(beside).columns.map(({ column }) => column)).toEqual(["trainer", "rollout"]);
  });

  it("that lack a token take it from all, and are counted", () => {
    const errors = describeRun(
      draw({
        token: (base, normal, { t }) => ({
          ...known(0.03, 0.01)(base, normal),
          ...(t < 3 && { float32: Number.NaN }),
          fp16: t === 2 || t === 5 ? Number.NEGATIVE_INFINITY : base,
        }),
        mask: (t) => (t === 9 ? 0 : 1),
      }),
    );
    expect(errors.missing).toEqual({ float32: 3 * 40, fp16: 2 * 40 });
    expect(new Set(errors.columns.map(({ tokens }) => tokens))).toEqual(new Set([40 * (TOKENS - 5)]));
  });

  it("of a file without the reference are counted as lacking it", () => {
    const lacking = draw({
      seed: 2,
      token: (base, normal) => {
        const { float32: _, ...sides } = known(0.03, 0.01)(base, normal);
        return { ...sides };
      },
    });
    const errors = describeRun(draw({ token: known(0.03, 0.01) }), lacking);
    expect(errors.missing).toEqual({ float32: 40 * TOKENS });
    expect(errors.columns[0]!.tokens).toBe(40 * TOKENS);
  });

  it("that no token has at once give no figures, and counts", () => {
    const nothing = describeRun(
      draw({ token: (base, normal) => ({ ...known(1, 1)(base, normal), float32: Number.NaN }) }),
    );
    expect(nothing).toMatchObject({ owner: null, columns: [], pairs: [], missing: { float32: 40 * TOKENS } });
  });

  it("beyond the limit are named", () => {
    const many = Array.from({ length: MOST_COLUMNS }, (_, at) => `s${at.toString().padStart(2, "0")}`);
    const errors = describeRun(
      draw({
        prompts: 10,
        token: (base, normal) => ({
          ...known(1, 1)(base, normal),
          ...Object.fromEntries(many.map((name) => [name, base + normal()])),
        }),
      }),
    );
    expect(errors.columns).toHaveLength(MOST_COLUMNS);
    expect(errors.columns_left_out).toEqual(many.slice(-2));
  });
});

describe("sums of errors", () => {
  const batches = [1, 2, 3, 4].map((seed) =>
    draw({
      seed,
      prompts: 12,
      token: (base, normal) => ({
        ...known(0.03, 0.02, 0.01)(base, normal),
        ...(seed > 2 && { fp16: base + 0.001 * normal() }),
      }),
    }),
  );
  const whole = JSON.stringify(describeRun(...batches));

  it("merge to the same figures, bit for bit, in any order", () => {
    const [a, b, c, d] = batches.map((batch) => sums(batch)) as [ErrorSums, ErrorSums, ErrorSums, ErrorSums];
    d.merge(b);
    a.merge(c);
    d.merge(a);
    expect(JSON.stringify(d.result())).toBe(whole);
  });

  it("join the prompts of many, whatever the order of parts", () => {
    const many = [5, 6, 7].map((seed) =>
      draw({ seed, prompts: 300, perPrompt: 1, token: known(0.03, 0.02) }),
    );
    const apart = (batch: RecordBatch, at: number): RecordBatch => ({
      ...batch,
      groupIds: batch.groupIds.map((name) => `${at}-${name}`),
    });
    const parts = many.map(apart);
    const { clusters, ...rest } = describeRun(...parts);
    expect(clusters).toBeGreaterThan(64);
    expect(clusters).toBeLessThanOrEqual(256);
    const [a, b, c] = parts.map((batch) => sums(batch)) as [ErrorSums, ErrorSums, ErrorSums];
    b.merge(c);
    b.merge(a);
    expect(b.result()).toEqual({ clusters, ...rest });
  });

  it("travel as bytes", () => {
    const writer = new ByteWriter();
    sums(...batches.slice(1)).encode(writer);
    const rest = sums(batches[0]!);
    rest.mergeFrom(new ByteReader(writer.finish(), "drawn"));
    expect(JSON.stringify(rest.result())).toBe(whole);
  });

  it("of columns that some files lack use each pair's own tokens", () => {
    const { columns } = describeRun(...batches);
    expect(columns.map(({ column, tokens }) => [column, tokens])).toEqual([
      ["fp16", 2 * 24 * TOKENS],
      ["trainer", 4 * 24 * TOKENS],
      ["rollout", 4 * 24 * TOKENS],
    ]);
  });
});
