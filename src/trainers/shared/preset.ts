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
  readonly kind: "number" | "boolean" | "text" | "pair" | "number or text";
  /** The trainer's default, or what a user who switches the correction on gets. */
  readonly fallback: Setting;
  readonly choices?: readonly string[];
  /** One line: meaning, unit, which bound comes first. */
  readonly meaning: string;
}

/** Adds up one batch of the trainer (a step) in pieces. */
export interface BatchMetrics {
  /** @param pack Which pack the sequences belong to, for a trainer that logs by pack. */
  add(block: CorrectionBlock, applied: AppliedCorrection, pack?: string): void;
  /** Under the trainer's keys. */
  finish(): Readonly<Record<string, number>>;
  /** Where the trainer's way of adding up gives other figures than the data; absent where it never does. */
  discrepancies?(): readonly Discrepancy[];
}

/** A way to write settings down for the trainer. */
export interface ConfigText {
  readonly language: "yaml" | "toml" | "python" | "flags";
  /** Where it belongs, for instance `ppo_trainer.yaml, under algorithm`. */
  readonly place: string;
  readonly text: string;
}

/** A trainer's correction: its settings, their meaning, its metrics, its config. */
export interface Preset {
  /** As in `--preset`, for instance `verl` or `slime-mis`. */
  readonly name: string;
  readonly trainer: string;
  readonly summary: string;
  /** The code whose formulas are kept: repository, file, commit. */
  readonly source: string;
  readonly parameters: readonly Parameter[];
  /**
   * @param settings Every parameter, fallbacks filled in.
   * @throws UsageError where the trainer itself refuses the settings, with its rule quoted.
   */
  correction(settings: Settings): Correction;
  /** What these settings do that their names do not say. */
  traps(settings: Settings): readonly string[];
  metrics(settings: Settings): BatchMetrics;
  /** The settings that make this correction, or undefined when the trainer has none that do exactly that. */
  express(correction: Correction): Settings | undefined;
  config(settings: Settings): ConfigText;
}
