import { describe, expect, it } from "vitest";
import { lineLayout } from "../../../../src/render/charts/line-layout.ts";
import type { StepMetric } from "../../../../src/results/metrics/run-metrics.ts";
import { SEQUENCE_COLUMNS } from "../../../../src/results/metrics/sequence-columns.ts";
import type { RunComparison, SequencePairs, StepSeries } from "../../../../src/results/view.ts";
import type { WireSequence } from "../../../../src/results/wire/sequence.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { rightWrong } from "../../state/right-wrong.ts";
import { tokenText, visible } from "../../ui/token-text.ts";
import { chartsOverSteps } from "./over-steps.ts";
import { nextStop, pairModel, windowAt } from "./pair-model.ts";
import { findPair, formatPair, orderedPairs, pairSort } from "./pairs.ts";

function table(columns: Partial<Record<(typeof SEQUENCE_COLUMNS)[number], number[]>>): SequenceTable {
  const length = Object.values(columns)[0]?.length ?? 0;
  const all = SEQUENCE_COLUMNS.map((name) => {
    const given = columns[name as keyof typeof columns];
    return [name, Float64Array.from(given ?? new Array<number>(length).fill(Number.NaN))];
  });
  return {
    length,
    columns: Object.fromEntries(all),
    texts: { group: { values: [], codes: new Int32Array(length).fill(-1) } },
  } as unknown as SequenceTable;
}

describe("pairs", () => {
  const pairs: SequencePairs = {
    a: [0, 1, 2],
    b: [2, 0, 1],
    how: ["ids", "ids", "prompt"],
    shared: [3, 3, 1],
    gap_mean: [0.1, 0.2, null],
    gap_max: [0.5, 0.9, null],
    gap_token: [1, 2, -1],
  };
  const all = {
    a: table({ step: [1, 1, 2], delta_abs_mean: [0.1, 0.4, Number.NaN] }),
    b: table({ step: [1, 2, 1], delta_abs_mean: [0.2, 0.3, 0.5] }),
    pairs,
  };

  it("are sorted by B's excess, those without figures last in either direction", () => {
    expect([...orderedPairs(all, pairSort("-mean"), null)]).toEqual([0, 1, 2]);
    expect([...orderedPairs(all, pairSort("mean"), null)]).toEqual([1, 0, 2]);
    expect([...orderedPairs(all, pairSort("-gap"), null)]).toEqual([1, 0, 2]);
    expect(pairSort("-nothing")).toEqual({ key: "mean", descending: true });
  });

  it("are limited to the chosen steps, and have names in the address", () => {
    expect([...orderedPairs(all, pairSort("mean"), [2, 9])]).toEqual([2]);
    expect(findPair(pairs, formatPair(pairs, 1))).toBe(1);
    for (const wrong of ["0-1", "7-0", "x", ""]) expect(findPair(pairs, wrong)).toBeUndefined();
  });
});

describe("charts over steps", () => {
  const series = (steps: number[], values: (number | null)[]): StepSeries =>
    ({ steps, series: { delta_abs_mean: values } }) as unknown as StepSeries;
  const empty = {} as Record<StepMetric, (number | null)[]>;
  const compared: Pick<RunComparison, "names" | "steps"> = {
    names: { a: "x", b: "y" },
    steps: { steps: [2], difference: { ...empty, delta_abs_mean: [0] } },
  };
  const fill = (data: StepSeries): StepSeries => ({
    ...data,
    series: new Proxy(data.series, { get: (target, name) => Reflect.get(target, name) ?? [] }),
  });

  it("have the steps of both runs, and differences at steps where both have a figure", () => {
    const charts = chartsOverSteps(
      fill(series([1, 2], [0.1, 0.2])),
      fill(series([2, 3], [0.2, 0.4])),
      compared,
    );
    expect(charts).toHaveLength(1);
    const { both, difference } = charts[0]!;
    expect(both.xs).toEqual([1, 2, 3]);
    expect(both.lines.map(({ values }) => values)).toEqual([
      [0.1, 0.2, null],
      [null, 0.2, 0.4],
    ]);
    expect(difference?.lines[0]?.values).toEqual([null, 0, null]);
    // Without any difference, the line is in the middle, and the axis has a length.
    const { plot, y } = lineLayout(difference!, { bare: true });
    expect(y.map(0)).toBeCloseTo((plot.top + plot.bottom) / 2, 9);
  });
});

describe("a pair", () => {
  const sequence = (ids: number[], trainer: number[], texts = "ab\ncd"): WireSequence => {
    const bytes = new TextEncoder().encode(texts);
    const promptLength = 1;
    return {
      meta: { promptLength } as WireSequence["meta"],
      ids: Int32Array.from([7, ...ids]),
      textOffsets: Uint32Array.from([0, 1, 3, 3, 5]).subarray(0, ids.length + 2),
      texts: bytes,
      flags: new Uint8Array(ids.length + 1),
      mask: Uint8Array.from(ids, (id) => (id === 0 ? 0 : 1)),
      turnMarks: new Uint16Array(ids.length),
      rollout: new Float32Array(ids.length),
      trainer: Float32Array.from(trainer),
      policies: {},
    };
  };

  it("is compared up to the first differing token, without untrained tokens", () => {
    const model = pairModel(sequence([1, 0, 3], [-0.5, -9, -1]), sequence([1, 0, 4], [-0.75, -1, -3]));
    expect([model.shared, model.length]).toEqual([2, 3]);
    expect([...model.differences]).toEqual([-0.25, Number.NaN, Number.NaN]);
    expect([model.largest, model.stops]).toEqual([0, [0]]);
    expect(model.deltasA[1]).toBeNaN();
    const equal = pairModel(sequence([1, 2], [-1, -1]), sequence([1, 2], [-1, -1]));
    expect([equal.largest, equal.stops]).toEqual([undefined, []]);
  });

  it("is aligned by turns, and tokens without a partner are counted", () => {
    const turned = (ids: number[], turnMarks: number[]): WireSequence => ({
      ...sequence(ids, new Array<number>(ids.length).fill(-1)),
      turnMarks: Uint16Array.from(turnMarks),
    });
    // A writes 1 2, gets one token of tool output and writes 5; B writes one token less and gets one more back.
    const a = turned([1, 2, 0, 5], [1, 1, 0, 2]);
    const b = turned([1, 0, 0, 5, 6], [1, 0, 0, 2, 2]);
    const byTurn = pairModel(a, b, "turns");
    expect([[...byTurn.tokensA], [...byTurn.tokensB]]).toEqual([
      [0, 1, 2, 3, -1],
      [0, 1, 2, 3, 4],
    ]);
    const own = pairModel(a, b, "own");
    expect([[...own.tokensA], [...own.tokensB]]).toEqual([
      [0, 1, 2, -1, -1, 3, -1],
      [0, -1, -1, 1, 2, 3, 4],
    ]);
    expect(own.alone).toEqual({ a: 2, b: 3 });
    // The 5 is the same token after a different text: compared by turn, not by index.
    expect(own.differences[5]).toBe(0);
    expect(pairModel(a, b).differences[3]).toBeNaN();
  });

  it("shows tokens with invisible characters written out", () => {
    const model = sequence([1, 2, 3], [0, 0, 0]);
    expect(tokenText(model, 0)).toEqual({ text: "b⏎", breaks: true, isSpecial: false });
    expect(tokenText(model, 1).text).toBe("·");
    expect(tokenText(model, 9).text).toBeUndefined();
    expect(visible("\u202e<script>\t")).toBe("‹U+202E›<script>→");
    expect(visible("\n".repeat(10_000))).toHaveLength(201);
  });

  it("moves between its largest differences, a window at a time", () => {
    expect([nextStop([3, 9], 3, 1), nextStop([3, 9], 3, -1), nextStop([3, 9], 20, -1)]).toEqual([
      9,
      undefined,
      9,
    ]);
    expect(windowAt({ length: 1000 }, 450)).toEqual([400, 800]);
    expect(windowAt({ length: 1000 }, 5000)).toEqual([800, 1000]);
  });
});

it("separates right from wrong, and tests only what can be tested", () => {
  const { right, wrong, tests } = rightWrong(
    table({ correct: [1, 0, 1, Number.NaN, 0], delta_abs_mean: [0.1, 0.4, 0.2, 9, 0.5] }),
  );
  expect([[...right], [...wrong]]).toEqual([
    [0.1, 0.2],
    [0.4, 0.5],
  ]);
  expect(tests?.means.difference).toBeCloseTo(0.3, 12);
  expect(rightWrong(table({ correct: [1], delta_abs_mean: [1] })).tests).toBeUndefined();
});
