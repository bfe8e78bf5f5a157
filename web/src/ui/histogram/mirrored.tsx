import { mirroredChart } from "../../../../src/render/charts/index.ts";
import { ChartPicture } from "../chart-picture.tsx";
import { countInto, geometricEdges } from "./bins.ts";

const BINS = 36;
const SIZE = { width: 416, height: 216 };

export interface MirroredSide {
  readonly name: string;
  readonly values: Float64Array;
}

/**
 * Two samples of positive values on one logarithmic axis, one above it and one below, each as shares; the same picture
 * as in the HTML report. Values of 0 are in the first bin.
 */
export function MirroredHistogram({
  above,
  below,
  unit,
}: {
  readonly above: MirroredSide;
  readonly below: MirroredSide;
  readonly unit: string;
}) {
  const sides = [above, below].map(({ name, values }) => ({ name, values, ...measureSpan(values) }));
  const low = Math.min(...sides.map(({ least }) => least));
  const high = Math.max(low * 1.01, ...sides.map(({ most }) => most));
  const edges = geometricEdges(low, high, BINS);
  const [up, down] = sides.map(({ name, values, median }) => ({
    label: name,
    counts: countInto(edges, values, Math.log),
    median,
  }));
  if (up === undefined || down === undefined) return null;
  return (
    <ChartPicture
      name={`${above.name}-${below.name}`}
      svg={() =>
        mirroredChart(
          { ...up, color: "blue" },
          { ...down, color: "orange" },
          { ...SIZE, title: unit, xLabel: "", edges, axis: "log", heights: "share" },
        )
      }
      rows={() =>
        Array.from(up.counts, (count, bin) => ({
          from: edges[bin],
          to: edges[bin + 1],
          [above.name]: count,
          [below.name]: down.counts[bin],
        }))
      }
    />
  );
}

/** The least value above 0, the largest, and the median of all. */
function measureSpan(values: Float64Array): {
  readonly least: number;
  readonly most: number;
  readonly median: number;
} {
  const sorted = values.slice().sort();
  const least = sorted.find((value) => value > 0) ?? 1e-6;
  return { least, most: sorted.at(-1) ?? 1, median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN };
}
