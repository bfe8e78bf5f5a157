import type { FindingLog, RecordBatch } from "../core/schema/index.ts";
import type { SourceChecks } from "./alignment/source-checks.ts";
import { RecordingList } from "./recorders.ts";
import { RepeatedRows } from "./repeated-rows.ts";

/** The checks made on every sequence of a source: who recorded it, and whether it occurs twice. */
export class RowChecks {
  readonly #recordings = new RecordingList();
  readonly #repeated: RepeatedRows;

  /** @param mostKeys see `keysPerFile` */
  constructor(findings: FindingLog, mostKeys: number) {
    this.#repeated = new RepeatedRows(findings, mostKeys);
  }

  add(batch: RecordBatch): void {
    this.#recordings.add(batch);
    this.#repeated.add(batch);
  }

  finish(checks: SourceChecks): void {
    const recordings = this.#recordings.list();
    if (recordings.length > 0) checks.recordings = recordings;
    const rowKeys = this.#repeated.finish();
    if (rowKeys !== undefined) checks.rowKeys = rowKeys;
  }
}
