import { ByteReader, ByteWriter, decodeBase64, encodeBase64 } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { layoutOf, part, Sums } from "../../core/summaries/index.ts";
import { Doctor } from "../doctor/doctor.ts";
import { type ClusterKeys, clusterKeys } from "../report/cluster-keys.ts";
import { RunSummary, type RunSummaryJson, type RunSummaryOptions } from "../report/run-summary.ts";

/** Evidence as JSON; only the version that wrote it reads it. */
export interface RunEvidenceJson {
  readonly summary: RunSummaryJson;
  /** Binary, in base64. */
  readonly doctor: string;
}

/**
 * The sums and the sample of a run, filled batch by batch and mergeable. Results are identical bit for bit in whatever
 * order parts are merged (`RunSummary`, `Doctor`).
 */
export class RunEvidence extends Sums {
  static readonly layout = layoutOf<RunEvidence>({
    summary: part(RunSummary.layout, ({ summary }) => summary),
    doctor: part(Doctor.layout, ({ doctor }) => doctor),
  });
  readonly summary: RunSummary;
  readonly doctor = new Doctor();

  constructor(options: RunSummaryOptions = {}) {
    super();
    this.summary = new RunSummary(options);
  }

  /**
   * Adds a batch.
   *
   * @param clusters the cluster keys of the rows, for a batch that has lost its prompts; default those of the batch
   * @param number of the batch within its file, if other evidence has other batches of the file; default in order of
   * adding
   * @throws MissingSideError if the batch lacks either policy's log-probs; nothing is added then
   */
  add(batch: RecordBatch, clusters: ClusterKeys = clusterKeys(batch), number?: number): void {
    this.summary.add(batch, clusters, number);
    this.doctor.add(batch, clusters);
  }

  toJSON(): RunEvidenceJson {
    const doctor = new ByteWriter();
    this.doctor.encode(doctor);
    return { summary: this.summary.toJSON(), doctor: encodeBase64(doctor.finish()) };
  }

  /**
   * @throws VersionError if another version wrote it
   * @throws FormatError if the text is not evidence
   */
  static fromJSON({ summary, doctor }: RunEvidenceJson): RunEvidence {
    const evidence = new RunEvidence();
    evidence.summary.merge(RunSummary.fromJSON(summary));
    evidence.doctor.mergeFrom(new ByteReader(decodeBase64(doctor), "the doctor's sample"));
    return evidence;
  }
}
