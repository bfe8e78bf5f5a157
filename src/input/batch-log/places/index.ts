/**
 * The layout of a data directory:
 *
 *     DATA/RUN/part-00000012.parquet      the record: what every verb reads
 *     DATA/RUN/.serve/00000013.log        segments not yet in the record
 *     DATA/RUN/.serve/keys                batches in the record
 *     DATA/RUN/.serve/figures.json        figures for the list of runs
 *     DATA/RUN/.serve/alerts.json         raised alerts, and those still to be delivered (`serve --alerts`)
 *     DATA/RUN/.serve/refused/            batches that cannot be read, as received, each with the reason
 *     DATA/.serve.lock                    which server uses the directory
 *
 * @module
 */
import { join } from "node:path";

/** The folder in a run's directory that marks it as stored by a server. */
export const OWN_FOLDER = ".serve";

export interface RunPlaces {
  /** What `logratio report` and `view --follow` read. */
  readonly folder: string;
  readonly own: string;
  readonly keys: string;
  readonly figures: string;
  readonly summary: string;
  readonly alerts: string;
  readonly refused: string;
}

export function runPlaces(folder: string): RunPlaces {
  const own = join(folder, OWN_FOLDER);
  return {
    folder,
    own,
    keys: join(own, "keys"),
    figures: join(own, "figures.json"),
    summary: join(own, "summary.json"),
    alerts: join(own, "alerts.json"),
    refused: join(own, "refused"),
  };
}

const SEGMENT = /^(\d{8,})\.log$/;
const PART = /^part-(\d{8,})(?:-\d+)*\.parquet$/;

export function partName(segment: number): string {
  return `part-${String(segment).padStart(8, "0")}.parquet`;
}

/** The segment that a part of the record was made from; undefined for other names. */
export function partSegment(name: string): number | undefined {
  const digits = PART.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function segmentName(number: number): string {
  return `${String(number).padStart(8, "0")}.log`;
}

/** The number in a segment's name; undefined for other names. */
export function segmentNumber(name: string): number | undefined {
  const digits = SEGMENT.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
