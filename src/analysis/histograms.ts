import type { Histogram } from "../protocol/report.ts";
import type { ValueSketch } from "../summaries/value-sketch.ts";

const PER_DECADE = 3;
const SMALLEST = 1e-6;

/** Edges at 1, 2.15, 4.64, 10, … per decade from 1e-6 up to the first that covers `max`. */
function logEdges(max: number): number[] {
  const edges = [SMALLEST];
  while ((edges.at(-1) as number) < max && edges.length < 60)
    edges.push(SMALLEST * 10 ** (edges.length / PER_DECADE));
  return edges;
}

/** Logarithmic bars of magnitudes; the first bar is everything below 1e-6. */
export function magnitudeHistogram(sketch: ValueSketch): Histogram {
  const edges = [0, ...logEdges(Math.max(sketch.max, SMALLEST))];
  return fill(sketch, edges);
}

/** Bars of Δ: logarithmic to both sides of a middle bar for |Δ| < 1e-6. */
export function signedHistogram(sketch: ValueSketch): Histogram {
  const side = logEdges(Math.max(Math.abs(sketch.min), Math.abs(sketch.max), SMALLEST));
  return fill(sketch, [...side.map((edge) => -edge).reverse(), ...side]);
}

function fill(sketch: ValueSketch, edges: number[]): Histogram {
  const counts = new Array<number>(edges.length - 1).fill(0);
  let bar = 0;
  for (const [middle, count] of sketch.cells()) {
    while (bar < counts.length - 1 && middle >= (edges[bar + 1] as number)) bar++;
    counts[bar] = (counts[bar] as number) + count;
  }
  return { edges, counts };
}
