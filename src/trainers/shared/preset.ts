/**
 * What every trainer's preset is: its own setting names, what they mean in the neutral form, the metrics it would log
 * for a batch, and how a correction is written in its config.
 *
 * @module
 */

import type { AppliedCorrection, Correction, CorrectionBlock } from "../neutral/index.ts";
import type { Discrepancy } from "./parity-trainer.ts";

/** A value as a config file holds it; `null` is the trainer's None. */
export type Setting = number | string | boolean | null | readonly number[];
/** Settings under a trainer's own names. */
export type Settings = Readonly<Record<string, Setting>>;

/** A setting of a trainer, under the trainer's own name. */
export interface Parameter {
  /** The trainer's own name. */
  readonly name: string;
  /** What values it takes; a `pair` is two bounds, in the trainer's order. */
  readonly kind: "number" | "boolean" | "text" | "pair" | "number or text";
  /** The trainer's default, or what a user who switches the correction on gets. */
  readonly fallback: Setting;
  /** All values of a text parameter; any text when absent. */
  readonly choices?: readonly string[];
  /** One line: meaning, unit, which bound comes first. */
  readonly meaning: string;
}

/** Adds up one batch of the trainer (a step) in pieces. */
export interface BatchMetrics {
  /**
   * Adds a block that was corrected; blocks come in the trainer's order.
   *
   * @param pack Which pack the sequences belong to, for a trainer that logs by pack.
   */
  add(block: CorrectionBlock, applied: AppliedCorrection, pack?: string): void;
  /** Under the trainer's keys. */
  finish(): Readonly<Record<string, number>>;
  /** Where the trainer's way of adding up gives other figures than the data; absent where it never does. */
  discrepancies?(): readonly Discrepancy[];
}

/** A way to write settings down for the trainer. */
export interface ConfigText {
  /** What the text is written in, for highlighting. */
  readonly language: "yaml" | "toml" | "python" | "flags";
  /** Where it belongs, for instance `ppo_trainer.yaml, under algorithm`. */
  readonly place: string;
  /** Lines to paste into the trainer's config, or flags for its command line. */
  readonly text: string;
}

/** A trainer's correction: its settings, their meaning, its metrics, its config. */
export interface Preset {
  /** As in `--preset`, for instance `verl` or `slime-mis`. */
  readonly name: string;
  /** The trainer's name, as it writes itself. */
  readonly trainer: string;
  /** What it does, in one line. */
  readonly summary: string;
  /** The code whose formulas are kept: repository, file, commit. */
  readonly source: string;
  /** The trainer's keys that matter here. */
  readonly parameters: readonly Parameter[];
  /**
   * What these settings do, in the neutral form.
   *
   * @param settings Every parameter, fallbacks filled in.
   * @throws UsageError where the trainer itself refuses the settings, with its rule quoted.
   */
  correction(settings: Settings): Correction;
  /** What these settings do that their names do not say. */
  traps(settings: Settings): readonly string[];
  /** Sums for what the trainer logs of the correction under these settings. */
  metrics(settings: Settings): BatchMetrics;
  /** The settings that make this correction, or undefined when the trainer has none that do exactly that. */
  express(correction: Correction): Settings | undefined;
  /** The settings as the trainer's config writes them. */
  config(settings: Settings): ConfigText;
}
