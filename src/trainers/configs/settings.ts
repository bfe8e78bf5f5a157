import { isLogratioError, type UsageError } from "../../core/base/index.ts";
import type { LintFinding, LintSetting } from "../../results/lint.ts";
import { type ConfigDocument, type Entry, placeOf } from "../shared/config-entry.ts";
import type { ConfigView, Dialect } from "../shared/dialect.ts";
import type { Parameter, Preset, Setting, Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { findSetting } from "./view.ts";

export interface ReadSettings {
  /** All settings, with defaults filled in. */
  readonly settings: Settings;
  /** Settings written in the file, by the preset's names. */
  readonly found: ReadonlyMap<string, Entry>;
  readonly table: readonly LintSetting[];
  readonly findings: readonly LintFinding[];
  /** Why a written value cannot be used. */
  readonly refusal?: UsageError;
}

/** The preset's settings from the config, with the trainer's own defaults for the rest. */
export function readSettings(view: ConfigView, dialect: Dialect, preset: Preset): ReadSettings {
  const { document } = view;
  const found = new Map<string, Entry>();
  const given: Record<string, Setting> = {};
  const findings: LintFinding[] = [];
  const defaults = dialect.defaults?.(view) ?? {};
  for (const parameter of preset.parameters) {
    const own = defaults[parameter.name];
    if (own !== undefined) given[parameter.name] = own;
    const entry = findSetting(document, dialect, parameter.name);
    if (!entry) continue;
    found.set(parameter.name, entry);
    const { value, finding } = readValue(entry, parameter, document);
    if (finding) findings.push(finding);
    if (value !== undefined) given[parameter.name] = value;
    findings.push(...unsureFinding(entry), ...repeated(document, entry));
  }
  for (const [name, { value, entry }] of Object.entries(dialect.collect?.(view) ?? {})) {
    if (!preset.parameters.some((parameter) => parameter.name === name)) continue;
    found.set(name, entry);
    given[name] = value;
  }
  const { settings, refusal } = completed(preset, given);
  const { names = {}, formulasOnly } = dialect;
  const table = preset.parameters
    .filter(({ name }) => !formulasOnly || names[name] !== undefined)
    .map((parameter) => row(parameter, names[parameter.name], settings, found.get(parameter.name)));
  return { settings, found, table, findings, ...(refusal && { refusal }) };
}

function completed(preset: Preset, given: Settings): { settings: Settings; refusal?: UsageError } {
  try {
    return { settings: completeSettings(preset, given) };
  } catch (error) {
    if (!isLogratioError(error, "UsageError")) throw error;
    const settings = Object.fromEntries(
      preset.parameters.map(({ name, fallback }) => [
        name,
        given[name] === undefined ? fallback : given[name],
      ]),
    );
    return { settings, refusal: error };
  }
}

interface Read {
  readonly value: Setting | undefined;
  readonly finding?: LintFinding;
}

/** The value as the trainer's parser sees it, including its treatment of `None` and flags. */
function readValue(entry: Entry, { kind, name }: Parameter, { format }: ConfigDocument): Read {
  const { value, text, key } = entry;
  if (text === "None" && value === "None" && format !== "python") {
    const flag = key.startsWith("--");
    return {
      value: null,
      finding: {
        severity: "error",
        code: "none-is-text",
        ...placeOf(entry),
        message: `${key}: None is the text "None" here, not Python's None`,
        why: flag ? "argparse does not read it as one" : "YAML, hydra and JSON write it null",
        instead: flag ? `omit ${key}` : `${name}: null`,
      },
    };
  }
  // After a flag without a value, the next word on the line is not its value.
  if (kind === "boolean" && format === "command line" && typeof value !== "boolean" && value !== undefined) {
    const said = /^(1|yes|on)$/i.test(text) ? true : /^(0|no|off)$/i.test(text) ? false : undefined;
    return { value: said ?? (value === null ? null : true) };
  }
  // Quoted numbers are numbers in a shell, but text in YAML.
  if (kind === "text" && typeof value === "number") return { value: text };
  return { value };
}

function unsureFinding(entry: Entry): LintFinding[] {
  const { unsure, key, value } = entry;
  if (unsure === undefined) return [];
  return [
    {
      severity: "note",
      code: "value-unknown",
      ...placeOf(entry),
      message: `${key} is not known: ${unsure}`,
      ...(value === undefined && { why: "what follows assumes the trainer's default" }),
    },
  ];
}

function repeated({ entries }: ConfigDocument, last: Entry): LintFinding[] {
  const earlier = entries.filter(
    (entry) => entry !== last && entry.file === last.file && entry.path.join(".") === last.path.join("."),
  );
  if (earlier.length === 0) return [];
  return [
    {
      severity: "warning",
      code: "set-twice",
      ...placeOf(last),
      message: `${last.key} is set ${earlier.length + 1} times (lines ${[...earlier, last].map(({ line }) => line).join(", ")}); the last one counts: ${last.text}`,
      instead: "keep one of them",
    },
  ];
}

/** A setting with the name that the release has for it. */
function row(
  { name, meaning }: Parameter,
  written: string | undefined,
  settings: Settings,
  entry: Entry | undefined,
): LintSetting {
  const shown = { name: written ?? name, meaning };
  if (!entry) return { ...shown, value: settings[name] ?? null, origin: "default" };
  const known = entry.unsure === undefined || entry.value !== undefined;
  return {
    ...shown,
    ...(known && { value: settings[name] ?? null }),
    origin: "file",
    ...placeOf(entry),
    ...(entry.unsure !== undefined && { unsure: entry.unsure }),
  };
}
