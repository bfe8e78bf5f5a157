import type { RecordBatch } from "../../core/schema/index.ts";
import type { DoctorReport } from "../../results/index.ts";
import { clusterKeys } from "../report/index.ts";
import { ColumnsSeen } from "./columns/index.ts";
import { Legs } from "./legs/index.ts";
import { takeRow } from "./sample/row.ts";
import { RowSample, stepFirstKey } from "./sample/row-sample.ts";
import { RunSums } from "./sample/run-sums.ts";

/** What the data alone decide; the caller adds run, findings and sources. */
export type DoctorParts = Pick<
  DoctorReport,
  | "verdict"
  | "sentence"
  | "causes"
  | "guilty_leg"
  | "legs"
  | "next_experiment"
  | "untested"
  | "metrics"
  | "excluded"
>;

export interface DiagnoseOptions {
  /** Whose flags the fixes name, as adapters call trainers (`verl`, `slime`, …); default: the batches' own. */
  readonly trainer?: string;
}

/** Takes batches in any order and says at the end what is wrong with the run. Memory does not grow with the run. */
export class Doctor {
  readonly #sums = new RunSums();
  readonly #columns = new ColumnsSeen();
  readonly #legs = new Legs();
  /** Groups from all over the run. */
  readonly #spread = new RowSample();
  /** Steps that are as whole as the limit allows: rows are swapped within a step. */
  readonly #steps = new RowSample();

  /** A batch without one of the two sides adds nothing but its count. */
  add(batch: RecordBatch): void {
    this.#sums.add(batch);
    this.#columns.add(batch);
    if (batch.rolloutLogprobs === undefined || batch.trainerLogprobs === undefined) return;
    const clusters = clusterKeys(batch);
    this.#legs.add(batch, clusters);
    const { keys, arePrompts } = clusters;
    for (let i = 0; i < batch.length; i++) {
      const group = keys[i] as number;
      const stepKey = stepFirstKey(batch.steps[i] as number, group);
      if (!this.#spread.wants(group) && !this.#steps.wants(stepKey)) continue;
      const row = takeRow(batch, i, group, arePrompts[i] === 1);
      this.#spread.add(group, row);
      this.#steps.add(stepKey, row);
    }
  }

  merge(other: Doctor): void {
    this.#sums.merge(other.#sums);
    this.#columns.merge(other.#columns);
    this.#legs.merge(other.#legs);
    this.#spread.merge(other.#spread);
    this.#steps.merge(other.#steps);
  }

  diagnose(_options: DiagnoseOptions = {}): DoctorParts {
    return {
      verdict: "cannot_tell",
      sentence: "The data were read and no cause was examined yet.",
      causes: [
        {
          id: "cannot_tell",
          family: "healthy",
          title: "None of these",
          description: "The data do not decide between the causes, or the cause is not in the list.",
          probability: 1,
          evidence: [],
          handles: [],
          fix: [],
        },
      ],
      ...this.#legs.result(),
      next_experiment: null,
      untested: this.#columns.untested(),
      metrics: this.#sums.metrics(),
      excluded: this.#sums.excluded(),
    };
  }
}
