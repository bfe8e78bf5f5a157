/**
 * The answers of `logratio serve` about its runs.
 *
 * | path | answer |
 * |---|---|
 * | `GET api/run` | `RunsInfo` of `results/view.ts` |
 * | `GET api/events` | server-sent events: `run` with a {@link RunsEvent} when `api/run` has changed |
 * | `GET runs/FOLDER/…` | the viewer of one run, as `results/view.ts` has it |
 * | `PUT api/batches?run=NAME&step=S&rank=R&call=C` | {@link BatchAnswer} to a batch: the packed record in safetensors |
 *
 * @module
 */
import type { Nats } from "../core/base/index.ts";
import type { RaisedAlert } from "./alerts.ts";
import type { VerdictLevel } from "./report.ts";

/** Figures of the batches in a run's record; those in the log follow within seconds. */
export interface ServedFigures {
  readonly sequences: number;
  /** With mask 1. */
  readonly tokens: number;
  readonly first_step: number | null;
  readonly last_step: number | null;
  /** Of the last steps against those before; null where there is nothing to compare. */
  readonly verdict: { readonly level: VerdictLevel; readonly headline: string } | null;
  /** Mean |Δ| of the last steps, 60 at most; null of a step without one. */
  readonly recent: readonly (Nats | null)[];
  /** Alarms of `watch` so far. */
  readonly alarms: number;
}

export interface ServedRun extends ServedFigures {
  /** The recorder's name for it: foreign text. */
  readonly name: string;
  /** Its folder in the data directory, and in `runs/FOLDER/`. */
  readonly folder: string;
  /** A batch came a moment ago, or is not in the record yet. */
  readonly writing: boolean;
  /** When the last batch came, as ISO 8601; null where that is unknown. */
  readonly last_write: string | null;
  /** Batches that cannot be read: they are kept, and in no figure. */
  readonly refused: number;
  /** Raised so far (`serve --alerts`), and the last of them. */
  readonly alerts: number;
  readonly last_alert: RaisedAlert | null;
}

/** The data of the event `run`: the run's current entry in the list; null when the list must be requested again. */
export interface RunsEvent {
  readonly run: ServedRun | null;
}

/** Every answer with status 200 or 201: this batch is durable. No other answer is JSON with `stored`. */
export interface BatchAnswer {
  /** True if it was stored now, false if the same batch was stored already. */
  readonly stored: boolean;
  /** Of the stored bytes, hexadecimal: the digest of the body that was sent. */
  readonly sha256: string;
  /** Under which call of its step and rank it is stored: another than requested if it was sent before. */
  readonly call: number;
  /** The run in which it is stored, where the request named a launch: the one it asked for, or one beside it. */
  readonly run?: string;
}
