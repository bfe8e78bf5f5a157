/**
 * Figures by step, and by step within slices.
 *
 * @module
 */
import { computeMetrics } from "../../../../analyses/report/index.ts";
import { orNull } from "../../../../core/base/index.ts";
import { COUNT, emptySums, mergeSums } from "../../../../core/kernels/index.ts";
import {
  addOutcome,
  emptyOutcomeSums,
  outcomeMeans,
  type SequenceOutcome,
  ValueSketch,
} from "../../../../core/summaries/index.ts";
import { STEP_METRICS, type StepMetric } from "../../../../results/metrics/run-metrics.ts";
import type { StepMetrics } from "../../../../results/report.ts";
import type { StepSeries } from "../../../../results/view.ts";

/** Quantiles of a slice take about 30 kB per step: with more slice steps than this, slices have none. */
const MOST_SKETCHES = 2000;
/** The most values to keep per kind of slice: those with the most sequences. */
const MOST_VALUES = 32;

type SliceBy = StepSeries["slices"][number]["by"];

/** The tokens of a slice in one step. */
class SliceStep {
  readonly sums = emptySums();
  readonly means = emptyOutcomeSums();
  readonly deltas: ValueSketch | undefined;

  constructor(deltas: ValueSketch | undefined) {
    this.deltas = deltas;
  }

  /** Adds a sequence, or its part in the slice: kernel sums at `offset`, and its tokens' Δ. */
  add(rows: Float64Array, offset: number, deltas: ArrayLike<number>, facts: SequenceOutcome): void {
    mergeSums(this.sums, rows, offset);
    addOutcome(this.means, facts);
    for (let i = 0; this.deltas !== undefined && i < deltas.length; i++) this.deltas.add(deltas[i]!);
  }
}

export class StepSeriesBuilder {
  readonly #slices = new Map<SliceBy, Map<string, Map<number, SliceStep>>>();
  #sketches = 0;

  /** The sums of a slice at a step, to add to; NaN is a separate step. */
  slice(by: SliceBy, value: string, step: number): SliceStep {
    const values = getOr(this.#slices, by, () => new Map<string, Map<number, SliceStep>>());
    const steps = getOr(values, value, () => new Map<number, SliceStep>());
    return getOr(
      steps,
      step,
      () => new SliceStep(this.#sketches++ < MOST_SKETCHES ? new ValueSketch(7) : undefined),
    );
  }

  /** `perStep` are the report's own figures, in the order that the series will have. */
  finish(perStep: readonly StepMetrics[]): StepSeries {
    const order = perStep.map(({ step }) => step);
    return {
      steps: order,
      sequences: perStep.map(({ sequences }) => sequences),
      tokens: perStep.map(({ tokens }) => tokens),
      series: columns(perStep),
      slices: [...this.#slices].flatMap(([by, values]) => this.#sliceSeries(by, values, order)),
    };
  }

  #sliceSeries(
    by: SliceBy,
    values: ReadonlyMap<string, ReadonlyMap<number, SliceStep>>,
    order: readonly (number | null)[],
  ): StepSeries["slices"] {
    if (values.size < 2) return [];
    const hasQuantiles = this.#sketches <= MOST_SKETCHES;
    const sequences = (steps: ReadonlyMap<number, SliceStep>): number =>
      [...steps.values()].reduce((sum, { means }) => sum + means.sequences, 0);
    const kept = [...values].sort(([, a], [, b]) => sequences(b) - sequences(a)).slice(0, MOST_VALUES);
    return kept
      .sort(([a], [b]) => byNumberOrName(a, b))
      .map(([value, steps]) => ({
        by,
        value,
        series: columns(
          order.map((step) => {
            const slice = steps.get(step ?? Number.NaN);
            if (slice === undefined) return {};
            const { sums, means, deltas } = slice;
            const metrics = computeMetrics(sums, means.sequences, hasQuantiles ? deltas : undefined);
            return { ...(sums[COUNT]! > 0 && metrics), ...outcomeMeans(means) };
          }),
        ),
      }));
  }
}

/** One list per metric that some row has. */
function columns(
  rows: readonly Partial<Record<StepMetric, number | null>>[],
): Record<StepMetric, (number | null)[]> {
  return Object.fromEntries(
    STEP_METRICS.map((name) => [name, rows.map((row) => orNull(row[name] ?? Number.NaN))]),
  ) as Record<StepMetric, (number | null)[]>;
}

function byNumberOrName(a: string, b: string): number {
  const difference = Number(a) - Number(b);
  if (!Number.isNaN(difference)) return difference;
  return a < b ? -1 : 1;
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
