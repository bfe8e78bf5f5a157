/**
 * A trainer's config format: where its settings are, how to recognize it, and mistakes that only a config can have.
 * The settings themselves, their meaning and their traps, with the linter's grades, belong in the preset.
 *
 * @module
 */

import type { LintFinding, LintSeverity } from "../../results/lint.ts";
import type { Correction } from "../neutral/correction.ts";
import type { ConfigDocument, Entry } from "./config-entry.ts";
import type { Setting, Settings } from "./preset.ts";
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
  /** The place of a finding about this key. */
  at(entry: Entry | undefined): Pick<LintFinding, "key" | "line">;
}

export type LintRule = (context: LintContext) => readonly LintFinding[];

export interface Dialect {
  /** The preset's name, which may depend on the config. */
  preset(view: ConfigView): string;
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

/** Reports settings under names from earlier versions. */
export function oldNames(
  names: Readonly<Record<string, string>>,
  options: { readonly why: string; readonly source: string; readonly severity?: LintSeverity },
): LintRule {
  return (context) =>
    Object.entries(names).flatMap(([name, instead]) => {
      const entry = context.get(name);
      if (!entry) return [];
      return [
        {
          severity: options.severity ?? "error",
          code: "old-name",
          ...context.at(entry),
          message: `${entry.key} is the name from an earlier version`,
          why: options.why,
          source: options.source,
          instead,
        } satisfies LintFinding,
      ];
    });
}

/** True when the entry's value means true in any config format. */
export function isTrue(entry: Entry | undefined): boolean {
  return entry?.value === true;
}

export function isFalse(entry: Entry | undefined): boolean {
  return entry?.value === false;
}
