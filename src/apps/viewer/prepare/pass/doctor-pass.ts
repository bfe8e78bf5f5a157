/**
 * The diagnosis of a run, computed in its one pass.
 *
 * @module
 */
import { Doctor } from "../../../../analyses/doctor/index.ts";
import { sourceSummaries } from "../../../../analyses/runs/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import type { Run } from "../../../../input/ingest/index.ts";
import { DOCTOR_SCHEMA_VERSION, type DoctorReport } from "../../../../results/index.ts";

export class DoctorPass {
  readonly #doctor = new Doctor();
  readonly #sequences = new Map<string, number>();

  async add(batch: RecordBatch): Promise<void> {
    const { file } = batch.provenance;
    this.#sequences.set(file, (this.#sequences.get(file) ?? 0) + batch.length);
    this.#doctor.add(batch);
  }

  finish(run: Pick<Run, "name" | "sources">, findings: readonly Finding[]): DoctorReport {
    return {
      schemaVersion: DOCTOR_SCHEMA_VERSION,
      run: run.name,
      ...this.#doctor.diagnose({ findings }),
      findings,
      sources: sourceSummaries(run).map((source) => ({
        ...source,
        sequences: this.#sequences.get(source.file) ?? 0,
      })),
    };
  }
}
