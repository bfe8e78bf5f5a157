import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../test/support/property-seed.ts";
import { recordBatch, type SequencePicture } from "../../../test/support/record-batch.ts";
import { ByteReader } from "../../core/base/byte-reader.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { NUMBER, TEXT } from "../../core/base/codec.ts";
import type { Layout } from "../../core/summaries/layout/layout.ts";
import type { MismatchMetrics, MismatchReport } from "../../results/report.ts";
import { BoundedSlices } from "./bounded-slices.ts";
import { buildReport } from "./build-report.ts";
import { pooledMetrics } from "./metrics.ts";
import { RunSummary } from "./run-summary.ts";

const makeReport = (summary: RunSummary): MismatchReport =>
  buildReport({ run: "drawn", paths: [], summary, parity: [], findings: [], sources: [] });

function toBytes<T>(layout: Layout<T>, sums: T): Uint8Array {
  const to = new ByteWriter();
  layout.encode(sums, to);
  return to.finish();
}

/** A sequence as numbers, so that plain sums need no picture to be read. */
interface Drawn {
  readonly step: number;
  readonly engine: string | undefined;
  readonly finish: string | undefined;
  readonly tokens: readonly { readonly delta: number; readonly mask: number; readonly version: number }[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  step: fc.integer({ min: 3, max: 5 }),
  engine: fc.constantFrom("a", "b", "c", undefined),
  finish: fc.constantFrom("stop", "length", undefined),
  tokens: fc.array(
    fc.record({
      delta: fc.integer({ min: -8, max: 8 }).map((eighths) => eighths / 8),
      mask: fc.constantFrom(1, 1, 0),
      version: fc.constantFrom(2, 2, 3, -1),
    }),
    { minLength: 1, maxLength: 7 },
  ),
});

function picture({ tokens, step, engine, finish }: Drawn, row: number): SequencePicture {
  let mask = 1;
  const words = tokens.flatMap((token) => {
    const change = token.mask === mask ? [] : ["|"];
    mask = token.mask;
    return [...change, String(token.delta)];
  });
  const versions = tokens.map(({ version }) => version);
  return {
    deltas: words.join(" "),
    ...{ step, row, versions },
    ...(engine !== undefined && { engine }),
    ...(finish !== undefined && { finish }),
  };
}

/** Tokens, Σ|Δ| and the largest |Δ| of each part, by loops over tokens. */
function plainSums(
  run: readonly Drawn[],
  partOf: (sequence: Drawn, version: number) => string | undefined,
): [string, number, number, number][] {
  const parts = new Map<string, [number, number, number]>();
  for (const sequence of run)
    for (const { delta, mask, version } of sequence.tokens) {
      const part = partOf(sequence, version);
      if (mask === 0 || part === undefined) continue;
      const [n, sum, most] = parts.get(part) ?? [0, 0, 0];
      parts.set(part, [n + 1, sum + Math.abs(delta), Math.max(most, Math.abs(delta))]);
    }
  return [...parts]
    .map(([part, [n, sum, most]]): [string, number, number, number] => [part, n, sum, most])
    .sort();
}

const shown = (parts: readonly (MismatchMetrics & { name?: string; staleness?: number })[]) =>
  parts
    .filter(({ tokens }) => tokens > 0)
    .map(({ name, staleness, tokens, delta_abs_mean, delta_abs_max }): [string, number, number, number] => [
      name ?? String(staleness),
      tokens,
      Math.round(tokens * delta_abs_mean * 1e9) / 1e9,
      delta_abs_max,
    ])
    .sort();

describe("slices by engine, finish reason and staleness", () => {
  it("are plain sums over their tokens, however the run is cut, merged and sent", () => {
    fc.assert(
      fc.property(fc.array(drawn, { minLength: 1, maxLength: 14 }), fc.nat(14), (run, cut) => {
        const pictures = run.map(picture);
        const summary = new RunSummary();
        summary.add(recordBatch(pictures.slice(0, cut)));
        const other = new RunSummary();
        other.add(recordBatch(pictures.slice(cut)));
        summary.merge(RunSummary.fromJSON(JSON.parse(JSON.stringify(other))));
        const report = makeReport(summary);
        expect(shown(report.per_engine)).toEqual(plainSums(run, ({ engine }) => engine));
        expect(shown(report.per_finish_reason)).toEqual(plainSums(run, ({ finish }) => finish));
        expect(shown(report.per_staleness)).toEqual(
          plainSums(run, ({ step }, version) => (version < 0 ? undefined : String(step - version))),
        );
        expect(report.pooled_parts).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("give a sequence that two versions sampled to both, quantiles and tails included", () => {
    const summary = new RunSummary();
    summary.add(
      recordBatch([
        { deltas: "0.5 0.5 -1 -1", step: 7, versions: [7, 7, 5, 5] },
        { deltas: "0.25 0.25", step: 7, versions: [7, 7] },
      ]),
    );
    const [fresh, old] = makeReport(summary).per_staleness;
    expect(fresh).toMatchObject({ staleness: 0, sequences: 2, tokens: 4, delta_abs_mean: 0.375 });
    expect(old).toMatchObject({ staleness: 2, sequences: 1, tokens: 2, delta_mean: -1 });
    expect(old?.delta_abs_p50).toBeCloseTo(1, 2);
    expect(old?.ess).toBeCloseTo(1, 9);
  });

  it("are empty where nothing is known, and a step is needed for staleness", () => {
    const summary = new RunSummary();
    summary.add(recordBatch([{ deltas: "0.5", versions: [3] }]));
    const { per_engine, per_finish_reason, per_staleness } = makeReport(summary);
    expect([per_engine, per_finish_reason, per_staleness]).toEqual([[], [], []]);
  });
});

describe("bounded slices", () => {
  const ENGINES = BoundedSlices.layoutBy(TEXT);
  const make = (names: readonly string[], most: number): BoundedSlices<string> => {
    const slices = new BoundedSlices<string>(most);
    for (const name of names) {
      const one = new RunSummary();
      one.add(recordBatch([{ deltas: String(name.length / 8), engine: name, step: 1 }]));
      slices.get(name).merge(one.engines.get(name));
    }
    return slices;
  };
  const figures = (slices: BoundedSlices<string>) => ({
    apart: slices.sorted().map(([name, slice]) => [name, slice.sequences.count]),
    count: slices.pooled()?.count,
    sequences: slices.pooled()?.summary.sequences.count,
  });

  it("keep the same parts apart in whatever order, and every sequence is in one or the other", () => {
    const name = fc.integer({ min: 0, max: 40 }).map((i) => `engine-${i}`);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 90 }), fc.integer({ min: 1, max: 12 }), (names, most) => {
        const whole = make(names, most);
        const cut = Math.floor(names.length / 3);
        const rest = make(names.slice(cut), most);
        const first = make(names.slice(0, cut), most);
        const from = new ByteReader(toBytes(ENGINES, first), "test");
        const read = make(names.slice(cut), most);
        ENGINES.mergeFrom(read, from);
        from.end();
        ENGINES.merge(rest, first);
        expect(figures(rest)).toEqual(figures(whole));
        expect(figures(read)).toEqual(figures(whole));
        const distinct = new Set(names).size;
        const { apart, count = 0, sequences = 0 } = figures(whole);
        expect(apart).toHaveLength(Math.min(distinct, most));
        expect(count).toBe(Math.max(distinct - most, 0));
        expect(apart.reduce((sum, [, n]) => sum + Number(n), sequences)).toBe(names.length);
      }),
      { numRuns: 40 },
    );
  });

  it("count 5,000 engines, keep 1,024 apart and pool the tokens of the others", () => {
    const summary = new RunSummary();
    const rows = Array.from({ length: 5000 }, (_, i) => ({ deltas: "0.5 -0.25", engine: `e${i}`, step: 1 }));
    summary.add(recordBatch(rows));
    const { per_engine, pooled_parts } = makeReport(summary);
    expect(per_engine).toHaveLength(1024);
    expect(pooled_parts).toMatchObject([
      { kind: "engine", parts: 3976, is_more: false, tokens: 7952, delta_abs_mean: 0.375 },
    ]);
    expect(pooledMetrics(summary.total).tokens).toBe(10_000);
  });

  it("say that there are more where even the count has a limit", () => {
    const slices = new BoundedSlices<number>(2);
    for (let i = 0; i < 40_000; i++) slices.get(i);
    expect(slices.pooled()).toMatchObject({ count: 16_384, isMore: true });
    const turned = new BoundedSlices<number>(2);
    for (let i = 39_999; i >= 0; i--) turned.get(i);
    const layout = BoundedSlices.layoutBy(NUMBER);
    expect(toBytes(layout, turned)).toEqual(toBytes(layout, slices));
  });
});
