/**
 * The form of a trainer's preset: its own setting names, their meaning in the neutral form, the metrics it would log
 * for a batch, and how a correction is written in its config.
 *
 * @module
 */

import type { AppliedCorrection, CorrectionBlock } from "../neutral/apply.ts";
import type { Correction } from "../neutral/correction.ts";
import type { Discrepancy } from "./parity-trainer.ts";

/** A value as in a config file; `null` is the trainer's None. */
export type Setting = number | string | boolean | null | readonly number[];
/** Settings under a trainer's own names. */
export type Settings = Readonly<Record<string, Setting>>;

/** A setting of a trainer, under the trainer's own name. */
export interface Parameter {
  /** The trainer's own name. */
  readonly name: string;
  /** The kind of its values; a `pair` is two bounds, in the trainer's order. */
  readonly kind: "number" | "boolean" | "text" | "pair" | "number or text";
  /** The trainer's default, or the value that users get when they switch the correction on. */
  readonly fallback: Setting;
  /** Allowed values of a text parameter; any text when absent. */
  readonly choices?: readonly string[];
  /** One line: meaning, unit, which bound comes first. */
  readonly meaning: string;
}

/** Sums one batch of the trainer (a step) in pieces. */
export interface BatchMetrics {
  /**
   * Adds a corrected block; blocks come in the trainer's order.
   *
   * @param pack Which pack the sequences belong to, for a trainer that logs by pack.
   */
  add(block: CorrectionBlock, applied: AppliedCorrection, pack?: string): void;
  /** The metrics under the trainer's keys. */
  finish(): Readonly<Record<string, number>>;
  /** Where the trainer's aggregation differs from the data; absent if it never does. */
  discrepancies?(): readonly Discrepancy[];
}

/** A way to write settings for the trainer. */
export interface ConfigText {
  /** The text's language, for highlighting. */
  readonly language: "yaml" | "toml" | "python" | "flags";
  /** Where it belongs, for instance `ppo_trainer.yaml, under algorithm`. */
  readonly place: string;
  /** Lines to paste into the trainer's config, or flags for its command line. */
  readonly text: string;
}

/** An effect of settings that their names do not show, and how the linter grades it. */
export interface Trap {
  /** One sentence, without its full stop. */
  readonly says: string;
  /** `note` when absent; `drop` if a rule of the linter, which sees the whole config, reports it instead. */
  readonly severity?: "error" | "warning" | "note" | "drop";
  /** The code of the linter's finding, or with `drop` the code of that rule's finding; `trap` when absent. */
  readonly code?: string;
  /**
   * The settings that it depends on: the finding points at the first one that the config sets, and is a note if another
   * config may set one of them.
   */
  readonly setting?: string | readonly string[];
}

/** A trainer's correction: its settings, their meaning, its metrics, its config. */
export interface Preset {
  /** Its value of `--preset`, for instance `verl` or `slime-mis`. */
  readonly name: string;
  /** The trainer's name in its own spelling. */
  readonly trainer: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** The code that the formulas follow: repository, file, commit. */
  readonly source: string;
  /** The trainer's first release that no longer takes these settings; absent if its newest does. */
  readonly until?: string;
  /** The trainer's settings of this correction. */
  readonly parameters: readonly Parameter[];
  /**
   * The neutral form of these settings.
   *
   * @param settings Every parameter, fallbacks filled in.
   * @throws UsageError when the trainer itself refuses the settings, with its rule quoted.
   */
  correction(settings: Settings): Correction;
  /**
   * What these settings do, in one clause, where the neutral form has no words for it; `correction` then throws a
   * UsageError. Undefined, or absent, where it has.
   */
  beyondForm?(settings: Settings): string | undefined;
  /** Effects of these settings that their names do not show. */
  traps(settings: Settings): readonly Trap[];
  /** Sums for the trainer's metrics of the correction under these settings. */
  metrics(settings: Settings): BatchMetrics;
  /** The settings for this correction; undefined when the trainer has none that do exactly that. */
  express(correction: Correction): Settings | undefined;
  /** The settings in the form of the trainer's config. */
  config(settings: Settings): ConfigText;
}
