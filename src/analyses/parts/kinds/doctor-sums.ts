import type { ByteReader, ByteWriter } from "../../../core/base/index.ts";
import type { RecordBatch } from "../../../core/schema/index.ts";
import { Doctor } from "../../doctor/index.ts";
import type { ShardSums } from "../part.ts";
import type { RunKind } from "./kind.ts";
import { decodeCounts, encodeCounts, mergeCounts } from "./sequence-counts.ts";

/** All that a diagnosis says of shards. */
export class DoctorSums implements ShardSums {
  readonly doctor = new Doctor();
  readonly sequencesByFile = new Map<string, number>();

  get sequences(): number {
    return this.doctor.sequences;
  }

  get tokens(): number {
    return this.doctor.tokens;
  }

  add(batch: RecordBatch): void {
    mergeCounts(this.sequencesByFile, [[batch.provenance.file, batch.length]]);
    this.doctor.add(batch);
  }

  merge(other: DoctorSums): void {
    mergeCounts(this.sequencesByFile, other.sequencesByFile);
    this.doctor.merge(other.doctor);
  }

  encode(to: ByteWriter): void {
    encodeCounts(this.sequencesByFile, to);
    this.doctor.encode(to);
  }

  mergeFrom(from: ByteReader): void {
    mergeCounts(this.sequencesByFile, decodeCounts(from));
    this.doctor.mergeFrom(from);
  }
}

export const DOCTOR_PARTS: RunKind = {
  version: 1,
  // A column of probabilities or placeholders is a fault to name.
  reads: { keepOdd: true },
  flags: [],
  makeSums: () => new DoctorSums(),
  prepare: () => async (batches) => {
    const sums = new DoctorSums();
    for await (const batch of batches) sums.add(batch);
    return sums;
  },
};
