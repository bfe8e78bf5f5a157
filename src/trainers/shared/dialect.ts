/**
 * A trainer's config format: where its settings are, how to recognize it, and mistakes that only a config can have.
 * The settings themselves, their meaning and their traps, with the linter's grades, belong in the preset.
 *
 * @module
 */

import type { LintFinding } from "../../results/lint.ts";
import type { Correction } from "../neutral/correction.ts";
import type { ConfigDocument, Entry } from "./config-entry.ts";
import type { Setting, Settings } from "./preset.ts";
import type { Given, Release, Since } from "./release.ts";
import type { RolloutSampling } from "./sampling.ts";

/** A document with lookups; the last of equal keys counts, as in every trainer. */
export interface ConfigView {
  readonly document: ConfigDocument;
  /** The whole file, to recognize a trainer by paths and comments. */
  readonly text: string;
  /** The entry whose path ends with these dotted parts. */
  get(dotted: string): Entry | undefined;
  /** Every entry below a path that ends with these dotted parts, with the rest of its path. */
  below(dotted: string): readonly { readonly rest: readonly string[]; readonly entry: Entry }[];
}

export interface LintContext extends ConfigView {
  /** All settings; values that only the run knows have their defaults. */
  readonly settings: Settings;
  /** Settings written in the file, by the preset's names. */
  readonly found: ReadonlyMap<string, Entry>;
  /** The release that the config is for; absent if it is not known. */
  readonly given?: Given;
  /** The place of a finding about this key. */
  at(entry: Entry | undefined): Pick<LintFinding, "key" | "line" | "file">;
}

export type LintRule = (context: LintContext) => readonly LintFinding[];

/**
 * Names of settings that other releases of the trainer take, with what is written instead in those that this dialect is
 * of. The names after the last dot are enough where no other section has them.
 */
export interface OtherNames {
  readonly names: Readonly<Record<string, string>>;
  /** The first release without these names. */
  readonly until?: Since;
  /** The first release with these names. */
  readonly from?: Since;
  /** What the trainer does with them; `honored` if it still does what they say. */
  readonly effect: "refused" | "ignored" | "honored";
  /** What becomes of them, in one clause. */
  readonly why: string;
  readonly source: string;
}

/** A trainer's config keys in a row of its releases; `TrainerMethods` lists the newest and the earlier ones. */
export interface Dialect {
  /** The preset's name, which may depend on the config. */
  preset(view: ConfigView): string;
  /** The first release with these keys; absent for the earliest that is known. */
  readonly since?: Since;
  /** Settings of the preset that have another name in these releases, or in this trainer if the preset is another's. */
  readonly names?: Readonly<Record<string, string>>;
  /**
   * True where the preset is another trainer's, of which only `names` are settings here: its formulas hold, but what it
   * says of that trainer does not.
   */
  readonly formulasOnly?: true;
  /** The trainer that it runs inside of and whose keys it has; only the file's text tells the two apart. */
  readonly inside?: string;
  readonly otherNames?: readonly OtherNames[];
  /** Dotted sections of settings; "" is the top level or a flag without a dot. */
  readonly sections: readonly string[];
  /** Classes whose keyword arguments are settings. */
  readonly callees: readonly string[];
  /** The classes among them that hold only the correction and refuse unknown arguments. */
  readonly closedCallees?: readonly string[];
  /** A key of the correction, as an example in messages about what is read. */
  readonly example: string;
  /** The trainer's dotted keys that are not about corrections, used to recognize it. */
  readonly marks: readonly RegExp[];
  /** Likewise in the file's text: script names, imports. */
  readonly textMarks?: readonly RegExp[];
  /** Further known keys of the sections, including old ones: neither misspelled nor unknown. */
  readonly knownKeys: readonly string[];
  /** The trainer's own defaults, if the preset's are those of a user who switches the correction on. */
  defaults?(view: ConfigView): Settings;
  /** Settings that are not a single key. */
  collect?(view: ConfigView): Readonly<Record<string, { readonly value: Setting; readonly entry: Entry }>>;
  /** What remains of the correction when another part of the config switches it off. */
  effective?(context: LintContext, correction: Correction): Correction;
  /** What the trainer does with an unknown key, with the file. */
  readonly unknownKeys: { readonly effect: "refused" | "ignored"; readonly source: string };
  readonly rules: readonly LintRule[];
}

/** A dialect, and what else is known about its trainer. */
export interface NamedDialect extends Dialect {
  readonly name: string;
  readonly title: string;
  /** Keys and flags that the doctor's fixes name, as written. */
  readonly advised: readonly string[];
  readonly sampling?: RolloutSampling;
  /** What the newest dialect was read from. */
  readonly read: Release;
  /** On PyPI, if the trainer is there. */
  readonly distribution?: string;
  /** Dialects of earlier releases, the newest first. */
  readonly earlier: readonly NamedDialect[];
}

/** Reports settings that have no effect because a switch is off. */
export function needsSwitch(options: {
  readonly settings: readonly string[];
  readonly isOff: (context: LintContext) => boolean;
  readonly off: string;
  readonly source: string;
  readonly instead: string;
}): LintRule {
  return (context) => {
    if (!options.isOff(context)) return [];
    const written = options.settings.flatMap((name) => {
      const entry = context.found.get(name);
      return entry && entry.value !== null ? [entry] : [];
    });
    const [first] = written;
    if (!first) return [];
    const keys = written.map(({ key }) => key).join(", ");
    return [
      {
        severity: "error",
        code: "not-switched-on",
        ...context.at(first),
        message: `${keys} ${written.length === 1 ? "has" : "have"} no effect: ${options.off}`,
        source: options.source,
        instead: options.instead,
      },
    ];
  };
}

/** True when the entry's value means true in any config format. */
export function isTrue(entry: Entry | undefined): boolean {
  return entry?.value === true;
}

export function isFalse(entry: Entry | undefined): boolean {
  return entry?.value === false;
}
