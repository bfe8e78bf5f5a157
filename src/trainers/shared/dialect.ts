/**
 * What a trainer's config looks like: where its settings stand, what gives it away, and what only a config can get
 * wrong. The settings themselves, their meaning and their traps are the preset's.
 *
 * @module
 */

import type { LintFinding, LintSeverity } from "../../results/index.ts";
import type { Correction } from "../neutral/index.ts";
import type { ConfigDocument, Entry } from "./config-entry.ts";
import type { Setting, Settings } from "./preset.ts";

/** A document with look-ups; the last of equal keys counts, as it does for every trainer. */
export interface ConfigView {
  readonly document: ConfigDocument;
  /** The whole file, for what gives a trainer away in paths and comments. */
  readonly text: string;
  /** The entry whose path ends with these dotted parts. */
  get(dotted: string): Entry | undefined;
  /** Every entry below a path that ends with these dotted parts, with the rest of its path. */
  below(dotted: string): readonly { readonly rest: readonly string[]; readonly entry: Entry }[];
}

export interface LintContext extends ConfigView {
  /** Complete; what the run alone knows has its default here. */
  readonly settings: Settings;
  /** Written in the file, by the preset's name. */
  readonly found: ReadonlyMap<string, Entry>;
  /** For a finding about this key. */
  at(entry: Entry | undefined): Pick<LintFinding, "key" | "line">;
}

export type LintRule = (context: LintContext) => readonly LintFinding[];

/** How severe one of the preset's traps is, and what to write instead. A trap that is not graded is a note. */
export interface TrapGrade {
  readonly match: RegExp;
  /** `drop`: a rule says the same with a line. */
  readonly severity: LintSeverity | "drop" | ((match: RegExpExecArray) => LintSeverity);
  readonly code: string;
  /** The setting it is about, where the trap's text names none. */
  readonly setting?: string;
  readonly instead?: string;
}

export interface Dialect {
  /** As `--trainer` takes it. */
  readonly name: string;
  readonly title: string;
  /** The preset's name; it may depend on what the config says. */
  preset(view: ConfigView): string;
  /** Dotted parents of settings; "" is the top level or a flag without a dot. */
  readonly sections: readonly string[];
  /** Classes whose keyword arguments are settings. */
  readonly callees: readonly string[];
  /** Those of them that hold nothing but the correction and stop at an argument that they do not know. */
  readonly closedCallees?: readonly string[];
  /** Dotted keys of the trainer that are not about corrections: they give it away. */
  readonly marks: readonly RegExp[];
  /** The same in the file's text: script names, imports. */
  readonly textMarks?: readonly RegExp[];
  /** Further keys of the sections, old ones included: neither misspelled nor unknown. */
  readonly knownKeys: readonly string[];
  /** Keys and flags that fixes of the doctor name, as they are written, each with the file of the trainer that has it. */
  readonly remedies?: Readonly<Record<string, string>>;
  /** The trainer's own defaults, where the preset's are those of a user who switches the correction on. */
  defaults?(view: ConfigView): Settings;
  /** Settings that are not one key each. */
  collect?(view: ConfigView): Readonly<Record<string, { readonly value: Setting; readonly entry: Entry }>>;
  /** What is left of the correction where another part of the config switches it off. */
  effective?(context: LintContext, correction: Correction): Correction;
  /** What the trainer does with a key that it does not know: file, and what happens. */
  readonly unknownKeys: { readonly effect: "refused" | "ignored"; readonly source: string };
  readonly rules: readonly LintRule[];
  readonly traps: readonly TrapGrade[];
}

/** Settings that do nothing because a switch is off. */
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

/** Names of earlier versions. */
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
          message: `${entry.key} is a name of an earlier version`,
          why: options.why,
          source: options.source,
          instead,
        } satisfies LintFinding,
      ];
    });
}

/** True when the entry says so in words that config formats use. */
export function isTrue(entry: Entry | undefined): boolean {
  return entry?.value === true;
}

export function isFalse(entry: Entry | undefined): boolean {
  return entry?.value === false;
}
