import type { RecordBatch } from "../../core/schema/index.ts";
import type { MismatchSummary } from "../../core/summaries/index.ts";
import type { BoundedSlices } from "./bounded-slices.ts";
import type { Slices } from "./slices.ts";
import { type StalenessRun, splitByStaleness, uniformStaleness } from "./staleness.ts";
import type { StepSlices } from "./step-slices.ts";

/** The slices of a run. */
export interface RunSlices {
  readonly steps: StepSlices;
  readonly ranks: Slices<number>;
  readonly environments: Slices<string>;
  readonly correctness: Slices<string>;
  readonly engines: BoundedSlices<string>;
  readonly finishReasons: BoundedSlices<string>;
  readonly staleness: BoundedSlices<number>;
}

/** What rows of the same slices share: one object for all of them. */
export interface SliceSet {
  /** Number of the set within a batch, from 0. */
  readonly number: number;
  readonly unbounded: readonly MismatchSummary[];
  readonly engine: string | undefined;
  readonly finish: string | undefined;
  /** NaN if not known or not the same for all tokens. */
  readonly age: number;
}

/** The slices that each row of a batch belongs to, and what is summed for a row besides its kernel sums. */
export class RowSlices {
  readonly #summary: RunSlices;
  readonly #batch: RecordBatch;
  readonly #sets = new Map<string, SliceSet>();
  readonly #setOfRow: (SliceSet | undefined)[] = [];
  readonly #runs: (readonly StalenessRun[] | undefined)[] = [];
  /** By row: Σ(1 − ρ) over the tokens with ρ < ½. */
  readonly starved: Float64Array;

  readonly unit: string;

  constructor(summary: RunSlices, batch: RecordBatch, unit: string) {
    this.unit = unit;
    this.#summary = summary;
    this.#batch = batch;
    this.starved = new Float64Array(batch.length);
  }

  addStarved(row: number, sum: number): void {
    this.starved[row] = this.starved[row]! + sum;
  }

  of(row: number): readonly MismatchSummary[] {
    return this.open(this.set(row));
  }

  /** The slices of a set. Looked up each time: between two additions a part may have been pooled with others. */
  open({ unbounded, engine, finish, age }: SliceSet): readonly MismatchSummary[] {
    if (engine === undefined && finish === undefined && Number.isNaN(age)) return unbounded;
    const { engines, finishReasons, staleness } = this.#summary;
    const slices = [...unbounded];
    if (engine !== undefined) slices.push(this.#begin(engines.get(engine)));
    if (finish !== undefined) slices.push(this.#begin(finishReasons.get(finish)));
    if (!Number.isNaN(age)) slices.push(this.#begin(staleness.get(age)));
    return slices;
  }

  staleness(row: number): readonly StalenessRun[] {
    this.#runs[row] ??= splitByStaleness(this.#batch, row);
    return this.#runs[row];
  }

  set(row: number): SliceSet {
    const known = this.#setOfRow[row];
    if (known !== undefined) return known;
    const { steps, ranks, environments, correctness, engineIds, finishReasons } = this.#batch;
    const step = steps[row]!;
    const rank = ranks[row]!;
    const correct = correctness[row]!;
    const name = Number.isNaN(correct) ? undefined : correctnessName(correct);
    const environment = environments[row];
    const [engine, finish] = [engineIds?.[row], finishReasons?.[row]];
    const age = uniformStaleness(this.staleness(row));
    // Texts come last, each with its length, so that no two sets share a key.
    let key = `${step} ${rank} ${name} ${age}`;
    for (const text of [environment, engine, finish])
      key += text === undefined ? " -" : ` ${text.length} ${text}`;
    let set = this.#sets.get(key);
    if (set === undefined) {
      const unbounded = this.#unbounded(step, rank, environment, name);
      set = { number: this.#sets.size, unbounded, engine, finish, age };
      this.#sets.set(key, set);
    }
    this.#setOfRow[row] = set;
    return set;
  }

  #unbounded(
    step: number,
    rank: number,
    environment: string | undefined,
    correctness: string | undefined,
  ): MismatchSummary[] {
    const slices = [this.ofStep(step)];
    if (!Number.isNaN(rank)) slices.push(this.#begin(this.#summary.ranks.get(rank)));
    if (environment !== undefined) slices.push(this.#begin(this.#summary.environments.get(environment)));
    if (correctness !== undefined) slices.push(this.#begin(this.#summary.correctness.get(correctness)));
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
