import type { ValueSketch } from "../../core/summaries/index.ts";
import type { CorrectnessSpread, Histogram } from "../../results/report.ts";
import type { RunSummary } from "./run-summary.ts";

const PER_DECADE = 3;
const SMALLEST = 1e-6;
/** Means of sequences differ by few decades. */
const MEAN_BARS = 36;

/** Edges at 1, 2.15, 4.64, 10, … per decade from 1e-6 up to the first that covers `max`. */
function logEdges(max: number): number[] {
  const edges = [SMALLEST];
  while (edges.at(-1)! < max && edges.length < 60) edges.push(SMALLEST * 10 ** (edges.length / PER_DECADE));
  return edges;
}

/** Logarithmic bars of magnitudes; the first bar is everything below 1e-6. */
export function magnitudeHistogram(sketch: ValueSketch): Histogram {
  const edges = [0, ...logEdges(Math.max(sketch.max, SMALLEST))];
  return fill(sketch, edges);
}

/** Bars of Δ: logarithmic to both sides of a middle bar for |Δ| < 1e-6. */
export function signedHistogram(sketch: ValueSketch): Histogram {
  return fill(sketch, signedEdges(sketch));
}

/** Distributions for right and for wrong answers, with the same edges. */
export function correctnessSpreads({ correctness, sequenceDeltas }: RunSummary): CorrectnessSpread[] {
  const spreads = (["correct", "incorrect"] as const).flatMap((name) => {
    const [slice, means] = [correctness.byKey.get(name), sequenceDeltas.get(name)];
    return slice === undefined || means === undefined || means.count === 0
      ? []
      : [{ name, deltas: slice.deltas, means }];
  });
  if (spreads.length < 2) return [];
  const deltaEdges = signedEdges(...spreads.map(({ deltas }) => deltas));
  const meanEdges = evenLogEdges(spreads.map(({ means }) => means));
  return spreads.map(({ name, deltas, means }) => ({
    name,
    delta: fill(deltas, deltaEdges),
    sequence_delta_abs: fill(means, meanEdges),
    sequence_delta_abs_p50: means.quantiles([0.5])[0]!,
  }));
}

function signedEdges(...sketches: readonly ValueSketch[]): number[] {
  const reach = Math.max(SMALLEST, ...sketches.flatMap(({ min, max }) => [Math.abs(min), Math.abs(max)]));
  const side = logEdges(reach);
  return [...side.map((edge) => -edge).reverse(), ...side];
}

/** Edges that grow by a constant factor from the smallest to the largest non-zero value; zeros are in the first bar. */
function evenLogEdges(sketches: readonly ValueSketch[]): number[] {
  const smallest = sketches.flatMap((sketch) => {
    const { middles, lows } = sketch.columns();
    const first = middles.findIndex((middle) => middle > 0);
    return first < 0 ? [] : [Math.max(lows[first]!, sketch.min)];
  });
  const low = Math.min(...smallest, 1);
  const high = Math.max(low * 1.01, ...sketches.map(({ max }) => max));
  return Array.from({ length: MEAN_BARS + 1 }, (_, at) => low * (high / low) ** (at / MEAN_BARS));
}

function fill(sketch: ValueSketch, edges: number[]): Histogram {
  const counts = new Array<number>(edges.length - 1).fill(0);
  let bar = 0;
  const cells = sketch.columns();
  // By index: until a loop is compiled, entries() allocates two objects per cell, and there are tens of thousands.
  for (let cell = 0; cell < cells.middles.length; cell++) {
    while (bar < counts.length - 1 && cells.middles[cell]! >= edges[bar + 1]!) bar++;
    counts[bar] = counts[bar]! + cells.counts[cell]!;
  }
  return { edges, counts };
}
