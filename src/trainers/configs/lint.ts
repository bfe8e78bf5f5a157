/**
 * Lints a trainer's config: what it really does, and where it goes wrong.
 *
 * @module
 */
import { isLogratioError, SchemaError, UsageError } from "../../core/base/index.ts";
import { plural } from "../../core/text/index.ts";
import {
  LINT_SCHEMA_VERSION,
  type LintedConfig,
  type LintFinding,
  type LintReport,
  type LintSeverity,
} from "../../results/lint.ts";
import type { Correction } from "../neutral/correction.ts";
import { correctionClauses } from "../neutral/describe.ts";
import { type Entry, placeOf } from "../shared/config-entry.ts";
import type { ConfigView, LintContext, NamedDialect } from "../shared/dialect.ts";
import type { Preset } from "../shared/preset.ts";
import { DIALECTS } from "./dialects.ts";
import { fileFindings } from "./file-findings.ts";
import { foreignKeys } from "./foreign-keys.ts";
import { readConfig } from "./formats/index.ts";
import { type ReadIncluded, type Resolved, resolveIncludes } from "./includes.ts";
import { demoteInherited } from "./inherits.ts";
import { type FoundVersion, type Judgement, judge } from "./judge.ts";
import { misspeltKeys } from "./misspelt.ts";
import { neutralFindings } from "./neutral-rules.ts";
import { namesOfOthers } from "./other-names.ts";
import { listSettings, type Recognition, recognise, scoreDialect, scoreKeys } from "./recognise.ts";
import { samplingFindings } from "./sampling-rules.ts";
import { type ReadSettings, readSettings } from "./settings.ts";
import { trapFindings } from "./trap-findings.ts";
import { makeView } from "./view.ts";

/** The trainer of the config, and the known presets. */
export interface LintOptions {
  /** The file's name decides the format and appears in messages. */
  readonly file: string;
  /** Presets that settings may belong to. */
  readonly presets: readonly Preset[];
  /** The trainer's name or title, which overrides recognition: `openrlhf`. */
  readonly trainer?: string;
  /** Its release (`0.11.2`) or the day of a checkout (`2026-09-14`), which overrides `versions`. */
  readonly version?: string;
  /** The version of a distribution on PyPI that the config is for, if it can be found. */
  readonly versions?: (distribution: string) => FoundVersion | undefined;
  /** Reads what the config includes; without it, that is said to be missing. */
  readonly read?: ReadIncluded;
}

/** Values of `trainer`. */
export const LINT_TRAINERS: readonly string[] = DIALECTS.map(({ name }) => name);

/**
 * Reads every config in a text and checks it against its trainer's rules: what it does, line by line, and its traps.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { PRESETS } from "logratio/corrections";
 * import { lintConfig } from "logratio/node";
 *
 * const yaml = "algorithm:\n  rollout_correction:\n    rollout_is: token\n    rollout_is_threshold: 2.0\n";
 * const { configs } = lintConfig(yaml, { file: "ppo_trainer.yaml", presets: PRESETS });
 * assert.equal(configs[0]?.trainer, "verl");
 * ```
 *
 * @param text YAML, TOML, JSON, Python, or a shell script with flags
 * @returns each config's effect, and findings with their lines
 * @throws FormatError, EmptyInputError, LimitError if the text is not a config that can be read
 * @throws SchemaError when no trainer is recognized, with the keys that would tell
 * @throws UsageError for an unknown `trainer`, a `version` that is none, or one for configs of several trainers
 */
export function lintConfig(text: string, options: LintOptions): LintReport {
  const { file, presets, trainer } = options;
  const told = trainer === undefined ? undefined : dialectNamed(trainer);
  const { format, documents } = readConfig(text, file);
  const resolved = documents.map((document) => resolveIncludes(document, file, options.read));
  const recognized = resolved.flatMap(({ document, missing }) => {
    const view = makeView(document, text);
    const recognition = told ? recognizeNamed(view, told, presets) : recognise(view, DIALECTS, presets);
    return recognition ? [{ view, recognition, missing }] : [];
  });
  if (recognized.length === 0) throw notRecognised(resolved, file, told);
  checkVersion(
    recognized.map(({ recognition }) => recognition.dialect),
    options,
  );
  const configs = recognized.map(({ view, recognition, missing }) =>
    lintDocument(view, recognition, options, missing),
  );
  const findings = fileFindings(
    resolved.flatMap(({ missing }) => missing ?? []),
    configs,
  );
  const all = [...findings, ...configs.flatMap((config) => config.findings)];
  const count = (severity: LintSeverity): number =>
    all.filter((finding) => finding.severity === severity).length;
  return {
    schemaVersion: LINT_SCHEMA_VERSION,
    kind: "lint",
    file,
    format,
    configs,
    findings,
    errors: count("error"),
    warnings: count("warning"),
    notes: count("note"),
  };
}

/** One version cannot be that of two trainers. */
function checkVersion(dialects: readonly NamedDialect[], { file, version }: LintOptions): void {
  const titles = [...new Set(dialects.map(({ title }) => title))];
  if (version === undefined || titles.length < 2) return;
  throw new UsageError(
    `version ${version} is of one trainer, but ${file} has configs of ${titles.join(" and ")}`,
    { hint: `also name the trainer: --preset ${dialects[0]?.name}` },
  );
}

/** The version that was told, else the one that was found. */
function findVersion({ distribution }: NamedDialect, options: LintOptions): FoundVersion | undefined {
  if (options.version !== undefined) return { version: options.version, from: "as told" };
  return distribution === undefined ? undefined : options.versions?.(distribution);
}

/** @param from An include that could not be read, and may have what the config has not. */
function lintDocument(
  view: ConfigView,
  recognition: Recognition,
  options: LintOptions,
  from?: Entry,
): LintedConfig {
  const { confidence, because } = recognition;
  const { presets } = options;
  const judgement = judge(
    recognition.dialect,
    findVersion(recognition.dialect, options),
    (one) => scoreKeys(view, one, presets, DIALECTS).settings,
  );
  const { dialect, judged } = judgement;
  const { document } = view;
  const presetName = dialect.preset(view);
  const preset = presets.find(({ name }) => name === presetName);
  if (!preset) {
    throw new UsageError(`there is no preset ${presetName} to lint a config of ${dialect.title} with`, {
      at: { file: document.name },
    });
  }
  const read = readSettings(view, dialect, preset);
  const context: LintContext = {
    ...view,
    settings: read.settings,
    found: read.found,
    ...(judgement.given !== undefined && { given: judgement.given }),
    at: (entry) => (entry ? placeOf(entry) : { line: document.line }),
  };
  const others = namesOfOthers(view, judgement);
  const beyond = preset.beyondForm?.(read.settings);
  const computed = beyond === undefined ? computeCorrection(preset, read) : {};
  const ruled = [
    ...judgement.findings,
    ...read.findings,
    ...dialect.rules.flatMap((rule) => rule(context)),
    ...others.findings,
    ...(beyond === undefined ? [] : beyondFinding(beyond, preset)),
    ...keyFindings(view, judgement, recognition, new Set(read.found.values()), presets),
  ];
  const effective =
    computed.correction && (dialect.effective?.(context, computed.correction) ?? computed.correction);
  const neutral = effective
    ? [...neutralFindings(context, effective), ...samplingFindings(context, dialect.sampling, effective)]
    : [];
  const isIdle = effective?.weight === undefined && effective?.steps.length === 0;
  // In a correction that another part of the config switches off, only what is wrong is worth a word.
  const isOff = isIdle && effective !== computed.correction;
  const traps =
    effective && !dialect.formulasOnly
      ? trapFindings(preset, context, from).filter(({ severity }) => !isOff || severity === "error")
      : [];
  const budgeted = neutral.some(({ code }) => code === "token-budget");
  const stated = [
    ...ruled,
    ...(computed.refusal ? refusalFindings(computed.refusal, preset, read, ruled) : []),
    ...neutral,
  ];
  const names = preset.parameters.map(({ name }) => name);
  const findings = [
    ...(from ? demoteInherited(stated, names, read.found, from) : stated),
    // The budget finding says the same with this config's numbers.
    ...traps.filter(({ code }) => code !== "product-ratio" || !budgeted),
  ];
  return {
    name: document.name,
    line: document.line,
    trainer: dialect.name,
    title: dialect.title,
    confidence,
    because,
    judged,
    preset: preset.name,
    settings: read.table,
    // A trainer that stops at a key does nothing of what the others say.
    does: others.refused ? [] : effective ? correctionClauses(effective) : beyond ? [beyond] : [],
    correction: others.refused ? null : (effective ?? null),
    findings: sorted(findings),
  };
}

/** What is to be said of the keys that this trainer does not have. */
function keyFindings(
  view: ConfigView,
  judgement: Judgement,
  recognition: Recognition,
  found: ReadonlySet<Entry>,
  presets: readonly Preset[],
): LintFinding[] {
  const { dialect } = judgement;
  const foreign = foreignKeys(view, dialect, DIALECTS, presets, found);
  const named = `of ${recognition.rival?.title},`;
  return [
    ...misspeltKeys(view.document, judgement, listSettings(dialect, view, presets), found),
    // The rival's own keys say more than that there is one.
    ...(foreign.some(({ message }) => message.includes(named)) ? [] : rivalFinding(recognition)),
    ...foreign,
  ];
}

/** The trainer does it; only the program has no way to compute it. */
function beyondFinding(does: string, preset: Preset): LintFinding[] {
  return [
    {
      severity: "note",
      code: "not-simulated",
      message: `logratio cannot compute this yet, so sweep and correct do not have it: ${does}`,
      source: preset.source,
    },
  ];
}

interface Computed {
  readonly correction?: Correction;
  readonly refusal?: UsageError;
}

function computeCorrection(preset: Preset, { settings, refusal }: ReadSettings): Computed {
  if (refusal) return { refusal };
  try {
    return { correction: preset.correction(settings) };
  } catch (error) {
    if (isLogratioError(error, "UsageError")) return { refusal: error };
    throw error;
  }
}

/** Rules that repeat in other words why the trainer refuses. */
const CAUSES = /^(order|conflict|refused|read-as-|none-is-text)/;

/**
 * Places the refusal at the setting that the message names, else at the first written one; a rule's own finding about
 * it takes precedence.
 */
function refusalFindings(
  error: UsageError,
  preset: Preset,
  { found }: ReadSettings,
  ruled: readonly LintFinding[],
): LintFinding[] {
  const namedIn = (text: string): [string, Entry][] =>
    [...found].filter(([name]) => text.includes(name)).sort(([a], [b]) => b.length - a.length);
  const inMessage = namedIn(error.message);
  const named = inMessage.length > 0 ? inMessage : namedIn(error.hint ?? "");
  const [, entry] = named[0] ?? [...found][0] ?? [];
  const keys = named.map(([, { key }]) => key);
  const said = ruled.some(
    ({ severity, key = "", code }) =>
      severity === "error" && (keys.length === 0 ? CAUSES.test(code) : keys.includes(key)),
  );
  if (said) return [];
  return [
    {
      severity: "error",
      code: "refused",
      ...(entry && placeOf(entry)),
      message: error.message.replace(/\.$/, ""),
      ...(error.likely !== undefined && { why: error.likely }),
      source: preset.source,
      ...(error.hint !== undefined && { instead: error.hint }),
    },
  ];
}

function rivalFinding({ rival, dialect }: Recognition): LintFinding[] {
  if (!rival) return [];
  return [
    {
      severity: "note",
      code: "trainer-unsure",
      message: `these keys could also be ${rival.title}'s`,
      instead: `--preset ${rival.name}, or --preset ${dialect.name} to be sure`,
    },
  ];
}

const ORDER: readonly LintSeverity[] = ["error", "warning", "note"];

function sorted(findings: readonly LintFinding[]): LintFinding[] {
  return findings.toSorted(
    (a, b) =>
      ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || (a.line ?? Infinity) - (b.line ?? Infinity),
  );
}

function dialectNamed(name: string): NamedDialect {
  const dialect = DIALECTS.find((candidate) => candidate.name === name || candidate.title === name);
  if (dialect) return dialect;
  throw new UsageError(`${name} is not a trainer that the linter knows`, {
    hint: `one of ${LINT_TRAINERS.join(", ")}`,
  });
}

/** Any document may be meant, except one without this trainer's settings when others have some. */
function recognizeNamed(
  view: ConfigView,
  dialect: NamedDialect,
  presets: readonly Preset[],
): Recognition | undefined {
  const { score, because } = scoreDialect(view, dialect, presets, DIALECTS);
  return score > 0 ? { dialect, confidence: "told", because, score } : undefined;
}

function notRecognised(resolved: readonly Resolved[], file: string, told?: NamedDialect): SchemaError {
  const keys = resolved.flatMap(({ document }) => document.entries.map(({ key }) => key));
  const missing = resolved.flatMap((one) => one.missing ?? [])[0];
  const some = keys.slice(0, 5).join(", ");
  return new SchemaError(
    told
      ? `no setting of ${told.title}'s correction is among the ${plural(keys.length, "key")} of this file`
      : `no trainer is recognized by the ${plural(keys.length, "key")} of this file`,
    {
      at: { file },
      likely:
        keys.length === 0
          ? "the file has no settings at all"
          : missing
            ? `it includes ${missing.text} (line ${missing.line}), which is not beside it`
            : `it starts with ${some}; the correction may be in another file`,
      hint: `give a file with keys such as: ${listExamples()}`,
    },
  );
}

/** An example key of each correction, with the trainers that have it. */
function listExamples(): string {
  const trainers = new Map<string, string[]>();
  for (const { example, title } of DIALECTS) trainers.set(example, [...(trainers.get(example) ?? []), title]);
  return [...trainers].map(([example, titles]) => `${example} (${titles.join(", ")})`).join(", ");
}
