import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../../test/support/run-size.ts";
import { ByteWriter } from "../../core/base/byte-writer.ts";
import { mismatchSums } from "../../core/kernels/mismatch.ts";
import { tokensKernel } from "../../core/kernels/wasm/tokens-kernel.ts";
import { createRecordBuilder } from "../../core/schema/builder.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { RunSummary } from "./run-summary.ts";

const PROVENANCE = { file: "drawn", format: "json", trainer: "own", alignment: "token" } as const;

/** What a batch is drawn like. */
interface Shape {
  readonly seed: number;
  readonly rows: number;
  readonly longest: number;
  readonly values: "close" | "far" | "odd" | "tied" | "same";
  readonly mask: "all" | "turns" | "short turns" | "random" | "none";
  readonly ids: "none" | "few" | "many" | "beyond";
  readonly slices: "none" | "few" | "many";
  readonly columns: "float32" | "float64";
  readonly withTurnMask: boolean;
}

const PLAIN: Shape = {
  seed: 5,
  rows: 10,
  longest: 40,
  values: "close",
  mask: "all",
  ids: "few",
  slices: "few",
  columns: "float32",
  withTurnMask: false,
};

const SHAPES = fc.record<Shape>({
  seed: fc.integer(),
  rows: fc.integer({ min: 1, max: 60 }),
  longest: fc.constantFrom(0, 3, 40, 300, 9000),
  values: fc.constantFrom("close", "far", "odd", "tied", "same"),
  mask: fc.constantFrom("all", "turns", "short turns", "random", "none"),
  ids: fc.constantFrom("none", "few", "many", "beyond"),
  slices: fc.constantFrom("none", "few", "many"),
  columns: fc.constantFrom("float32", "float64"),
  withTurnMask: fc.boolean(),
});

/** mulberry32: draws from [0, 1) and, given a bound, whole numbers below it. */
function makeDraws(seed: number): { next(): number; below(bound: number): number } {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (bound) => Math.floor(next() * bound) };
}

const ODD = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 3e38, -3e38, 1e-40, -100];
/** At an edge of the tails' thresholds, where a cell has values on both sides. */
const NEAR_THRESHOLDS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, -0.001, -0.5, -10, 20, Math.log(1e-4), -Math.LN2];

function drawBatch(shape: Shape, step: number): RecordBatch {
  const { next, below } = makeDraws(shape.seed + 7919 * step);
  const builder = createRecordBuilder({ provenance: PROVENANCE });
  const rows = shape.longest > 1000 ? Math.min(shape.rows, 4) : shape.rows;
  const Column = shape.columns === "float32" ? Float32Array : Float64Array;
  const drawDelta = (): number => {
    if (shape.values === "same") return 0;
    if (shape.values === "tied") return below(2) === 0 ? 0.25 : -0.25;
    if (below(20) === 0) return NEAR_THRESHOLDS[below(NEAR_THRESHOLDS.length)]! * (1 + (below(3) - 1) * 1e-4);
    return shape.values === "close" ? (next() - 0.5) / 50 : (next() - 0.5) * 24;
  };
  for (let row = 0; row < rows; row++) {
    const length = below(shape.longest + 1);
    const rollout = new Column(length);
    const trainer = new Column(length);
    const mask = new Uint8Array(length);
    const every = shape.mask === "turns" ? 50 : 12;
    for (let t = 0; t < length; t++) {
      rollout[t] = below(3) === 0 ? -(next() ** 8) : Math.log(next());
      trainer[t] = rollout[t]! + drawDelta();
      if (shape.values === "odd" && below(9) === 0) rollout[t] = ODD[below(ODD.length)]!;
      if (shape.values === "odd" && below(9) === 0) trainer[t] = ODD[below(ODD.length)]!;
      if (shape.mask === "all") mask[t] = 1;
      else if (shape.mask === "random") mask[t] = below(4) === 0 ? 0 : 1;
      else if (shape.mask !== "none") mask[t] = t % every < every - 1 ? 1 : 0;
    }
    const many = { none: 1, few: 2, many: 40 }[shape.slices];
    const isSliced = shape.slices !== "none";
    builder.push({
      length,
      responseMask: mask,
      rolloutLogprobs: rollout,
      trainerLogprobs: trainer,
      ...(shape.ids !== "none" && {
        responseTokenIds: Int32Array.from({ length }, () => {
          if (below(10) === 0) return -1;
          if (shape.ids === "beyond" && below(5) === 0) return 2 ** 19 - 2 + below(4);
          return shape.ids === "few" ? below(9) : below(150_000);
        }),
      }),
      ...(isSliced && {
        rank: below(many),
        environment: `env ${below(many)}`,
        correct: below(3) === 0 ? undefined : below(2),
        engineId: `engine ${below(many)}`,
        finishReason: ["stop", "length"][below(2)],
        weightVersions: new Int32Array(length).fill(step - below(3)),
      }),
      step: shape.slices === "many" ? step + below(2) : step,
    });
  }
  const batch = builder.flush();
  if (!shape.withTurnMask) return batch;
  // A filter keeps fewer tokens than the turns have.
  const responseMask = batch.responseMask.map((value) => (below(3) === 0 ? 0 : value));
  return { ...batch, turnMask: batch.responseMask, responseMask };
}

/** A digest of all that a summary holds. */
function summarize(batches: readonly RecordBatch[], engine: "wasm" | "scalar"): string {
  const summary = new RunSummary({ engine });
  for (const batch of batches) summary.add(batch);
  const to = new ByteWriter();
  summary.encode(to);
  return createHash("sha256").update(to.finish()).digest("hex");
}

describe("sums of tokens in WebAssembly", () => {
  it("run here", () => {
    expect(tokensKernel()).toBeDefined();
  });

  it("are those of the reference implementation, bit for bit", () => {
    fc.assert(
      fc.property(SHAPES, (shape) => {
        const batches = [0, 1, 2].map((step) => drawBatch(shape, step));
        expect(summarize(batches, "wasm")).toEqual(summarize(batches, "scalar"));
      }),
      { numRuns: sized(12, 40) },
    );
  });

  it.each([
    { mask: "all", longest: 9000, rows: 4, ids: "beyond" },
    { mask: "short turns", longest: 900, rows: 30, ids: "many" },
    { values: "odd", longest: 300, rows: 60, slices: "many" },
    { values: "odd", mask: "random", longest: 9000, rows: 4, ids: "many" },
    { values: "far", mask: "turns", longest: 300, rows: 60, slices: "many" },
    { values: "far", mask: "random", longest: 9000, rows: 4, columns: "float64", ids: "many" },
    { values: "far", mask: "random", longest: 9000, rows: 4, withTurnMask: true },
  ] as const)("are those of the reference implementation for $mask, $values, $longest", (given) => {
    const shape: Shape = { ...PLAIN, ...given };
    const batches = [0, 1].map((step) => drawBatch(shape, step));
    expect(summarize(batches, "wasm")).toEqual(summarize(batches, "scalar"));
  });

  it("begin anew after a batch that failed", () => {
    const shape: Shape = { ...PLAIN, values: "far" };
    const batch = drawBatch(shape, 0);
    const expected = summarize([batch], "scalar");
    // Its rows are in order up to the last one: the tokens of another step are added by then.
    const steps = batch.steps.map((_, row) => Number(row > 2));
    const offsets = batch.offsets.map((offset, row) => (row === batch.length ? 0 : offset));
    expect(() => summarize([{ ...batch, steps, offsets }], "wasm")).toThrow(/decrease/);
    expect(summarize([batch], "wasm")).toEqual(expected);
  });

  it("have room for what a pass of the kernel lends", () => {
    const tokens = 40_000;
    let most = 0;
    const column = new Float32Array(tokens).fill(-1);
    const mask = new Uint8Array(tokens).fill(1);
    mismatchSums(
      { rollout: column, trainer: column, mask, offsets: Int32Array.of(0, tokens) },
      {
        sink: ({ count }) => {
          most = Math.max(most, count);
        },
      },
    );
    expect(most).toBeLessThanOrEqual(tokensKernel()!.chunk);
  });
});
