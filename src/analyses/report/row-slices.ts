import type { MaskedTokens } from "../../core/kernels/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { MismatchSummary } from "../../core/summaries/index.ts";
import type { BoundedSlices } from "./bounded-slices.ts";
import type { Slices } from "./slices.ts";
import { type StalenessRun, splitByStaleness, sumStarved, uniformStaleness } from "./staleness.ts";

/** The slices of a run. */
export interface RunSlices {
  readonly steps: Slices<number>;
  readonly ranks: Slices<number>;
  readonly environments: Slices<string>;
  readonly correctness: Slices<string>;
  readonly engines: BoundedSlices<string>;
  readonly finishReasons: BoundedSlices<string>;
  readonly staleness: BoundedSlices<number>;
}

/** The slices that each row of a batch belongs to, and what is summed of a row beside its kernel sums. */
export class RowSlices {
  readonly #summary: RunSlices;
  readonly #batch: RecordBatch;
  readonly #rows: (MismatchSummary[] | undefined)[] = [];
  readonly #runs: (readonly StalenessRun[] | undefined)[] = [];
  /** By row: Σ(1 − ρ) of the tokens with ρ < ½. */
  readonly starved: Float64Array;

  readonly unit: string;

  constructor(summary: RunSlices, batch: RecordBatch, unit: string) {
    this.unit = unit;
    this.#summary = summary;
    this.#batch = batch;
    this.starved = new Float64Array(batch.length);
  }

  addStarved(row: number, { delta }: MaskedTokens, from: number, to: number): void {
    this.starved[row] = (this.starved[row] as number) + sumStarved(delta, from, to);
  }

  of(row: number): readonly MismatchSummary[] {
    const { engines, finishReasons, staleness } = this.#summary;
    const engine = this.#batch.engineIds?.[row];
    const finish = this.#batch.finishReasons?.[row];
    const age = uniformStaleness(this.staleness(row));
    // Asked for each time: between two additions a part may have been pooled with others.
    return [
      ...this.#unbounded(row),
      ...(engine === undefined ? [] : [this.#begin(engines.get(engine))]),
      ...(finish === undefined ? [] : [this.#begin(finishReasons.get(finish))]),
      ...(Number.isNaN(age) ? [] : [this.#begin(staleness.get(age))]),
    ];
  }

  staleness(row: number): readonly StalenessRun[] {
    this.#runs[row] ??= splitByStaleness(this.#batch, row);
    return this.#runs[row];
  }

  #unbounded(row: number): readonly MismatchSummary[] {
    const known = this.#rows[row];
    if (known) return known;
    const { steps, ranks, environments, correctness } = this.#batch;
    const slices = [this.ofStep(steps[row] as number)];
    const rank = ranks[row] as number;
    if (!Number.isNaN(rank)) slices.push(this.#begin(this.#summary.ranks.get(rank)));
    const environment = environments[row];
    if (environment !== undefined) slices.push(this.#begin(this.#summary.environments.get(environment)));
    const correct = correctness[row] as number;
    if (!Number.isNaN(correct))
      slices.push(this.#begin(this.#summary.correctness.get(correctnessName(correct))));
    this.#rows[row] = slices;
    return slices;
  }

  ofStep(step: number): MismatchSummary {
    return this.#begin(this.#summary.steps.get(step));
  }

  #begin(slice: MismatchSummary): MismatchSummary {
    slice.beginUnit(this.unit);
    return slice;
  }
}

export function correctnessName(correct: number): "correct" | "incorrect" {
  return correct > 0 ? "correct" : "incorrect";
}
