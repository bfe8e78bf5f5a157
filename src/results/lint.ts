/**
 * The result of `logratio correct --lint`: what a trainer's config really does, and where it does not do what it says.
 *
 * @module
 */
export const LINT_SCHEMA_VERSION = 1;

/**
 * `error`: the trainer raises, ignores the setting, or does the reverse of what it says. `warning`: it works but
 * surprises. `note`: worth knowing.
 */
export type LintSeverity = "error" | "warning" | "note";

export interface LintFinding {
  readonly severity: LintSeverity;
  /** A code for filters, for instance `order` or `not-switched-on`. */
  readonly code: string;
  /** The setting as written in the file. */
  readonly key?: string;
  /** One-based; absent if what is missing has no line. */
  readonly line?: number;
  /** The included file that the line is of; absent for the config itself. */
  readonly file?: string;
  /** One sentence, no trailing stop. */
  readonly message: string;
  readonly why?: string;
  /** File and function of the trainer. */
  readonly source?: string;
  /** What to write. */
  readonly instead?: string;
}

export type LintValue = number | string | boolean | null | readonly number[];

export interface LintSetting {
  readonly name: string;
  /** Null is the trainer's None; absent if only the run knows it. */
  readonly value?: LintValue;
  /** `default`: not written in the file. */
  readonly origin: "file" | "default";
  readonly line?: number;
  /** The included file that the line is of; absent for the config itself. */
  readonly file?: string;
  /** As written: `--tis-clip`. */
  readonly key?: string;
  readonly meaning: string;
  /** Why the value is not known, or what it depends on. */
  readonly unsure?: string;
}

/** How certain the choice of the trainer is. */
export type LintConfidence = "told" | "certain" | "likely" | "guess";

/** The release of the trainer that a config was judged by. */
export interface LintJudged {
  /** A version, or a day of a trainer that makes no releases. */
  readonly release: string;
  /** Its day, where the newest that was read was assumed: `2026-09-14`. */
  readonly date?: string;
  /** Where the version was found; absent if it is not known and the newest that was read was assumed. */
  readonly from?: string;
}

export interface LintedConfig {
  /** Which config of its file: `document 2`, `GRPOConfig(…)`, a command's script; empty if there is only one. */
  readonly name: string;
  readonly line: number;
  /** As `--trainer` takes it. */
  readonly trainer: string;
  readonly title: string;
  readonly confidence: LintConfidence;
  /** What identified the trainer. */
  readonly because: readonly string[];
  /** The release whose behavior is described. */
  readonly judged: LintJudged;
  /** The preset whose formulas the settings use. */
  readonly preset: string;
  readonly settings: readonly LintSetting[];
  /** What the settings do, one clause per effect; empty if the trainer refuses them. */
  readonly does: readonly string[];
  /** The same in the neutral form that `sweep` uses; null if the trainer refuses the settings. */
  readonly correction: object | null;
  readonly findings: readonly LintFinding[];
}

/** What `logratio correct --lint --json` prints. */
export interface LintReport {
  /** Version of this shape; a change that breaks readers raises it. */
  readonly schemaVersion: typeof LINT_SCHEMA_VERSION;
  /** Identifies results that are read from files. */
  readonly kind: "lint";
  /** The config, as it was given. */
  readonly file: string;
  /** What it is written in. */
  readonly format: "yaml" | "json" | "toml" | "python" | "command line";
  /** Every trainer's config in it. */
  readonly configs: readonly LintedConfig[];
  /** About the file as a whole, for instance that no trainer was recognized. */
  readonly findings: readonly LintFinding[];
  /** Count of findings that the trainer would refuse, or that make its correction wrong. */
  readonly errors: number;
  /** Count of findings that are probably not meant. */
  readonly warnings: number;
  /** Count of findings that are good to know. */
  readonly notes: number;
}
