/**
 * What logratio knows about a trainer: what can be said of it (`src/trainers/NAME/index.ts`), which every report needs, and
 * what it computes (`NAME/methods.ts`). The code that reads its files is in `NAME/files`, which needs Node and is listed
 * in `src/trainers/files`.
 *
 * @module
 */
import type { Dialect } from "./dialect.ts";
import type { LoggedKeys } from "./logged-keys.ts";
import type { ParityTrainer } from "./parity-trainer.ts";
import type { Preset } from "./preset.ts";
import type { Release } from "./release.ts";
import type { RolloutSampling } from "./sampling.ts";

/** What one of its keys or flags does about a cause that the doctor names. */
export interface TrainerFix {
  /** The causes' ids. */
  readonly causes: readonly string[];
  /** The line to paste. */
  readonly line: string;
  readonly note: string;
  /** The keys and flags in line and note, as written, each with the trainer's file that defines it. */
  readonly keys: Readonly<Record<string, string>>;
}

/** How the Python package records both policies in the trainer; `logratio/hooks/catalog.json` is written from these. */
export interface Hook {
  /** The trainer's name on PyPI. */
  readonly distribution: string;
  /** The version or commit that the hook was written for. */
  readonly writtenFor: string;
  /** Where the lines go. */
  readonly place: string;
  /** `none` if there is nothing to add. */
  readonly language: "shell" | "python" | "none";
  /** What to type; `{plugin}` stands for the path of the plug-in file. */
  readonly lines: readonly string[];
  /** What else the run needs to have both log-probs. */
  readonly needs?: string;
  /** A file in `python/logratio/hooks/plugins` that is passed to the trainer. */
  readonly plugin?: string;
}

/** A dump that holds only text: it is recognized, to say what it is, but not read. */
export interface TextDump {
  /** `TRL's completions table`. */
  readonly what: string;
  /** All of these keys occur in a row (or at the top of a tree). */
  readonly keys: readonly string[];
  /** At least one of these keys occurs. */
  readonly anyOf?: readonly string[];
}

export interface Trainer {
  /** Its name in flags and its folder: `nemo-rl`. */
  readonly name: string;
  /** Its name as its users spell it: `NeMo-RL`. */
  readonly title: string;
  /** On GitHub: `NVIDIA-NeMo/RL`. */
  readonly repository: string;
  /** Its name on PyPI, if its releases are there. */
  readonly distribution?: string;
  /** What was read; a line that is based on another commit or version names it. */
  readonly read: Release;
  readonly fixes?: readonly TrainerFix[];
  readonly hook?: Hook;
  /** The more specific ones first. */
  readonly textDumps?: readonly TextDump[];
}

/** What a trainer computes: its corrections, how its configs say them, its metrics. */
export interface TrainerMethods {
  readonly trainer: Trainer;
  /** Its corrections. */
  readonly presets?: readonly Preset[];
  /** The configs of its newest release, if they are linted. */
  readonly dialect?: Dialect;
  /** Those of earlier releases, the newest first. */
  readonly earlier?: readonly Dialect[];
  /** How its rollouts sample, if its configs say. */
  readonly sampling?: RolloutSampling;
  /** Its mismatch metrics, if they are recomputed from our sums. */
  readonly parity?: ParityTrainer;
  /** The keys of its dashboards. */
  readonly logged?: LoggedKeys;
}
