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
  /** Compares the last steps with those before; null if there is nothing to compare. */
  readonly verdict: { readonly level: VerdictLevel; readonly headline: string } | null;
  /** Mean |Δ| of the last steps, at most 60; null for a step without one. */
  readonly recent: readonly (Nats | null)[];
  /** Alarms of `watch` so far. */
  readonly alarms: number;
}

export interface ServedRun extends ServedFigures {
  /** The recorder's name for it: untrusted text. */
  readonly name: string;
  /** Its folder in the data directory, and in `runs/FOLDER/`. */
  readonly folder: string;
  /** Whether a batch has just arrived, or is not in the record yet. */
  readonly writing: boolean;
  /** When the last batch arrived, as ISO 8601; null if unknown. */
  readonly last_write: string | null;
  /** Unreadable batches: they are kept, but are in none of the figures. */
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
  /** Digest of the stored bytes, hexadecimal: that of the body that was sent. */
  readonly sha256: string;
  /** The call of its step and rank under which it is stored: differs from the request if the batch was sent before. */
  readonly call: number;
  /** The run that stores it, if the request named a launch: the requested one, or one next to it. */
  readonly run?: string;
}
