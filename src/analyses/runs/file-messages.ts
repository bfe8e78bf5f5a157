import type { FindingData } from "../../core/schema/index.ts";
import { FindingLog } from "../../core/schema/index.ts";
import type { FileOutcome, RunFacts, RunFile } from "../../ingest/index.ts";
import type { FilterCounts } from "../filter/filter-batches.ts";
import { type ErrorData, packError, unpackError } from "../parallel/error-transport.ts";
import type { MovedEvidence } from "../parallel/moved-evidence.ts";
import type { QueueMemory } from "./file-queue.ts";
import type { FilterOptions } from "./filter-option.ts";
import type { RunInput } from "./input-options.ts";

/** What a thread needs to read its share of a run's files. */
export interface FilesTask {
  /** The number of this thread. */
  readonly thread: number;
  readonly queue: QueueMemory;
  /** By place. */
  readonly files: readonly (RunFile | undefined)[];
  readonly facts: RunFacts;
  readonly input: RunInput & FilterOptions;
  readonly memoryLimit: number;
}

/** The results of the files that it took. */
export interface FilesReply {
  readonly outcomes: readonly (readonly [place: number, outcome: PackedOutcome])[];
  readonly failure: { readonly place: number; readonly error: ErrorData } | undefined;
  /** Of what the filter was given. */
  readonly counts: FilterCounts | undefined;
  readonly evidence: MovedEvidence;
}

/** A file's outcome as plain data. */
export type PackedOutcome = Omit<FileOutcome, "findings" | "tally"> & {
  readonly findings: readonly FindingData[];
  readonly tally: Omit<FileOutcome["tally"], "firstError">;
  readonly error: ErrorData | undefined;
};

export function packOutcome({ findings, tally, ...outcome }: FileOutcome): PackedOutcome {
  const { firstError, ...counts } = tally;
  const error = firstError && packError(firstError);
  return { ...outcome, findings: findings.toData(), tally: counts, error };
}

export function unpackOutcome({ findings: data, tally, error, ...outcome }: PackedOutcome): FileOutcome {
  const findings = new FindingLog();
  findings.addData(data);
  const firstError = error && (unpackError(error) as NonNullable<FileOutcome["tally"]["firstError"]>);
  return { ...outcome, findings, tally: { ...tally, firstError } };
}
