/**
 * Figures by step, and by step within slices.
 *
 * @module
 */
import { metricsOf } from "../../analysis/metrics.ts";
import { orNull } from "../../base/json.ts";
import { COUNT } from "../../kernels/layout.ts";
import { emptySums, mergeSums } from "../../kernels/merge.ts";
import type { StepMetrics } from "../../protocol/report.ts";
import { STEP_METRICS, type StepMetric, type StepSeries } from "../../protocol/view.ts";
import { ValueSketch } from "../../summaries/value-sketch.ts";

/** Quantiles of a slice take about 30 kB a step: with more of them, slices have none. */
const MOST_SKETCHES = 2000;
/** Values of a slice that are kept, those of the most sequences. */
const MOST_VALUES = 32;

type SliceBy = StepSeries["slices"][number]["by"];

/** What a sequence adds to its step beside its kernel sums. */
export interface SequenceFacts {
  readonly responseTokens: number;
  readonly entropySum: number;
  readonly entropyTokens: number;
  /** NaN where not known. */
  readonly reward: number;
  readonly correct: number;
}

class StepMeans {
  sequences = 0;
  responseTokens = 0;
  entropy = 0;
  entropyTokens = 0;
  reward = 0;
  rewards = 0;
  correct = 0;
  judged = 0;

  add({ responseTokens, entropySum, entropyTokens, reward, correct }: SequenceFacts): void {
    this.sequences++;
    this.responseTokens += responseTokens;
    this.entropy += entropySum;
    this.entropyTokens += entropyTokens;
    if (!Number.isNaN(reward)) {
      this.reward += reward;
      this.rewards++;
    }
    if (!Number.isNaN(correct)) {
      this.correct += correct;
      this.judged++;
    }
  }

  metrics(): Partial<Record<StepMetric, number>> {
    return {
      entropy: this.entropy / this.entropyTokens,
      response_tokens: this.responseTokens / this.sequences,
      reward: this.reward / this.rewards,
      accuracy: this.correct / this.judged,
    };
  }
}

/** The tokens of a slice in one step. */
class SliceStep {
  readonly sums = emptySums();
  readonly means = new StepMeans();
  readonly deltas: ValueSketch | undefined;

  constructor(deltas: ValueSketch | undefined) {
    this.deltas = deltas;
  }

  /** Adds a sequence, or the part of one that is of the slice: its kernel sums at `offset`, its tokens' Δ. */
  add(rows: Float64Array, offset: number, deltas: ArrayLike<number>, facts: SequenceFacts): void {
    mergeSums(this.sums, rows, offset);
    this.means.add(facts);
    for (let i = 0; this.deltas !== undefined && i < deltas.length; i++) this.deltas.add(deltas[i]!);
  }
}

export class StepSeriesBuilder {
  readonly #steps = new Map<number, StepMeans>();
  readonly #slices = new Map<SliceBy, Map<string, Map<number, SliceStep>>>();
  #sketches = 0;

  /** NaN is a step of its own. */
  addSequence(step: number, facts: SequenceFacts): void {
    getOr(this.#steps, step, () => new StepMeans()).add(facts);
  }

  /** The tokens of a slice at a step, to be added to. */
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
      sequences: perStep.map(({ step }) => this.#steps.get(step ?? Number.NaN)?.sequences ?? 0),
      tokens: perStep.map(({ tokens }) => tokens),
      series: columns(
        perStep.map((metrics) => ({ ...metrics, ...this.#steps.get(metrics.step ?? Number.NaN)?.metrics() })),
      ),
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
            const metrics = metricsOf(sums, means.sequences, hasQuantiles ? deltas : undefined);
            return { ...(sums[COUNT]! > 0 && metrics), ...means.metrics() };
          }),
        ),
      }));
  }
}

/** One list per metric that some row has. */
function columns(
  rows: readonly Partial<Record<StepMetric, number>>[],
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
