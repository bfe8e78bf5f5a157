/**
 * The diagnosis of a run, computed in its one pass.
 *
 * @module
 */
import { Doctor, fillPaths } from "../../../../analyses/doctor/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import type { Diagnosis, SourceSummary } from "../../../../results/index.ts";

/** Of which files answers are, and what reading them noticed. */
export interface RunRead {
  readonly name: string;
  /** Their sequences are counted by whoever tells of them. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
  readonly findings: readonly Finding[];
}

export class DoctorPass {
  readonly #doctor = new Doctor();

  add(batch: RecordBatch): void {
    this.#doctor.add(batch);
  }

  /** @param sampleTokens as {@link Doctor} takes it */
  finish({ sources, findings }: RunRead, sampleTokens?: number): Diagnosis {
    return fillPaths(
      this.#doctor.diagnose({ findings, ...(sampleTokens !== undefined && { sampleTokens }) }),
      sources,
    );
  }
}
