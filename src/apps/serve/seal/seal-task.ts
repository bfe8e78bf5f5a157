/**
 * What the sealing thread is asked, and what it answers.
 *
 * @module
 */
import type { AlertChange } from "../../../analyses/alerts/index.ts";
import type { BatchKey } from "../../../input/batch-log/index.ts";
import type { ServedFigures } from "../../../results/serve.ts";
import type { AlertTask } from "./run-figures.ts";

export interface SealTask {
  readonly run: string;
  readonly folder: string;
  readonly segment: number;
  /** Its valid bytes. */
  readonly bytes: number;
  /** Keys of batches that another segment has, as `keyText` writes them. */
  readonly repeated: readonly string[];
  /** No other segment of this run waits to be sealed. */
  readonly isLast: boolean;
  /** The segment is in the record already: only update the verdict and the alerts. */
  readonly isSealed?: boolean;
  /** Whatever fails for a reason that may pass is refused now: it failed often enough. */
  readonly isLastTry?: boolean;
  /** Present where sealing it ended the thread often: the batches that do so alone, by `keyText`, and why. */
  readonly fatal?: ReadonlyMap<string, string>;
  /** Present where alert rules are evaluated. */
  readonly alerts?: AlertTask | undefined;
}

export interface SealReply {
  /** Undefined where they could not be updated, for the reason `troubles` gives. */
  readonly figures: ServedFigures | undefined;
  /** Batches of the segment, including those refused. */
  readonly batches: number;
  /** Batches that cannot be read, and the reason for the first: they are in `.serve/refused`. */
  readonly refused: number;
  readonly reason: string | null;
  /** Batches of which only the key is left: their bytes changed on the disk. */
  readonly lost: readonly BatchKey[];
  /** Bytes of the log that were no whole batch, and the files that keep them but for writes that were cut off. */
  readonly damagedBytes: number;
  readonly damagedFiles: number;
  /** Sentences about damaged bytes, and about figures that could not be updated. */
  readonly troubles: readonly string[];
  /** Present where the rules were evaluated. */
  readonly alerts?: AlertChange | undefined;
}
