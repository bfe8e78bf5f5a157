/**
 * The diagnosis of a run, computed in its one pass.
 *
 * @module
 */
import { Doctor, fillPaths } from "../../../../analyses/doctor/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import { DOCTOR_SCHEMA_VERSION, type DoctorReport, type SourceSummary } from "../../../../results/index.ts";

/** Of which files answers are, and what reading them noticed. */
export interface RunRead {
  readonly name: string;
  /** Their sequences are counted by whoever tells of them. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
  readonly findings: readonly Finding[];
}

export class DoctorPass {
  readonly #doctor = new Doctor();
  readonly #sequences = new Map<string, number>();

  add(batch: RecordBatch): void {
    const { file } = batch.provenance;
    this.#sequences.set(file, (this.#sequences.get(file) ?? 0) + batch.length);
    this.#doctor.add(batch);
  }

  /** @param sampleTokens as {@link Doctor} takes it */
  finish({ name, sources, findings }: RunRead, sampleTokens?: number): DoctorReport {
    return fillPaths({
      schemaVersion: DOCTOR_SCHEMA_VERSION,
      run: name,
      ...this.#doctor.diagnose({ findings, ...(sampleTokens !== undefined && { sampleTokens }) }),
      findings,
      sources: sources.map((source) => ({
        ...source,
        sequences: this.#sequences.get(source.file) ?? 0,
      })),
    });
  }
}
