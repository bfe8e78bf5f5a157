// node scripts/sentinel/product.mjs [TRAINER@VERSION…] > product.json: what logratio prints for each trainer and knows of
// it, for the sentinel to compare with the trainer's release. With a version, the configs and keys are those of that
// release, as with --trainer-version. With --lint it reads [{trainer, version?, text}] from standard input instead, and
// prints for each the errors of `correct --lint` that say the trainer does not take the config.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultGrid } from "../../dist/analyses/sweep/grid.js";
import { writeConfigs } from "../../dist/analyses/sweep/index.js";
import { isLogratioError } from "../../dist/core/base/index.js";
import { DIALECTS } from "../../dist/trainers/configs/dialects.js";
import { lintConfig } from "../../dist/trainers/configs/index.js";
import { judge } from "../../dist/trainers/configs/judge.js";
import { makeView } from "../../dist/trainers/configs/view.js";
import { PRESETS } from "../../dist/trainers/presets.js";
import { TRAINERS } from "../../dist/trainers/registry/index.js";
import { isBefore, parseGiven } from "../../dist/trainers/shared/release.js";
import { completeSettings } from "../../dist/trainers/shared/settings.js";
import { ROOT } from "../support/build-state.mjs";

/** Findings that say that the trainer stops, or has no such key. */
const REJECTED = new Set([
  "refused",
  "misspelt",
  "unknown-key",
  "old-name",
  "later-name",
  "other-trainers-key",
]);

const GRID = defaultGrid().map(({ correction }) => correction);
const NO_CONFIG = makeView({ format: "yaml", name: "", line: 1, entries: [] }, "");

/** The trainer's own message if it refuses them. */
function isRefused(preset, settings) {
  try {
    preset.correction(settings);
    return false;
  } catch (error) {
    if (!isLogratioError(error, "UsageError")) throw error;
    return preset.beyondForm?.(settings) === undefined;
  }
}

/** A preset's fallbacks, and these with each other choice of one setting or two. */
function listSettings(preset) {
  const choices = preset.parameters.map(({ name, kind, choices: listed, fallback }) => {
    const values = listed ?? (kind === "boolean" ? [true, false] : [fallback]);
    return values.map((value) => ({ [name]: value }));
  });
  const ones = choices.flat();
  const pairs = choices.flatMap((own, i) =>
    choices.slice(i + 1).flatMap((others) => own.flatMap((a) => others.map((b) => ({ ...a, ...b })))),
  );
  return [{}, ...ones, ...pairs].map((given) => completeSettings(preset, given));
}

/** What `sweep --for` and `correct` print of these presets, each text once. */
function listConfigs(presets, ours) {
  const texts = new Map();
  const put = (from, preset, { language, place, text }) => {
    if (text.trim() !== "" && !texts.has(text))
      texts.set(text, { text, language, place, from, preset, ours: ours(preset) });
  };
  for (const preset of presets)
    for (const settings of listSettings(preset))
      if (!isRefused(preset, settings)) put("correct", preset.name, preset.config(settings));
  for (const correction of GRID)
    for (const config of writeConfigs(correction, presets).configs) put("sweep", config.preset, config);
  return [...texts.values()];
}

/** Which of these presets are of the dialect's releases. */
function presetsOf({ title }, version) {
  const given = version === undefined ? undefined : parseGiven(version);
  const own = PRESETS.filter(({ trainer }) => trainer === title);
  const old = own.filter(
    ({ until }) => until !== undefined && given !== undefined && isBefore(given, { version: until }) === true,
  );
  return old.length > 0 ? old : own.filter(({ until }) => until === undefined);
}

/** Where a preset is declared. */
function fileOfPreset(folder, name) {
  const files = readdirSync(join(ROOT, folder), { recursive: true })
    .map(String)
    .filter((file) => /(?<!index|\.test)\.ts$/.test(file))
    // Metrics carry their trainer's name, too.
    .sort((a, b) => Number(b.includes("preset")) - Number(a.includes("preset")));
  const found = files.find((file) =>
    readFileSync(join(ROOT, folder, file), "utf8").includes(`name: "${name}"`),
  );
  return found === undefined ? folder : `${folder}/${found.replaceAll("\\", "/")}`;
}

/** The module of the Python package that a hook's lines import. */
function fileOfHook({ lines }) {
  for (const [, dotted] of lines.join("\n").matchAll(/\blogratio((?:\.\w+)+)/g)) {
    const parts = dotted.slice(1).split(".");
    for (let length = parts.length; length > 0; length--) {
      const file = `python/logratio/${parts.slice(0, length).join("/")}.py`;
      if (existsSync(join(ROOT, file))) return file;
    }
  }
  return "python/logratio/hooks/plugins";
}

function describeTrainer({ name, title, read, fixes = [], hook, distribution }, version) {
  const folder = `src/trainers/${name}`;
  const newest = DIALECTS.find((each) => each.name === name);
  const base = {
    title,
    read,
    distribution: distribution ?? hook?.distribution,
    ...(hook && { hook: { writtenFor: hook.writtenFor, ours: fileOfHook(hook) } }),
  };
  if (newest === undefined)
    return { ...base, configs: [], settings: [], known: [], ours: `${folder}/index.ts` };
  const found = version === undefined ? undefined : { version, from: "the sentinel" };
  const { dialect } = judge(newest, found, () => 0);
  const isNewest = dialect.since === newest.since;
  const presets = presetsOf(newest, version);
  const files = new Map(presets.map((preset) => [preset.name, fileOfPreset(folder, preset.name)]));
  const { keys = {}, modeKey, engineKey, replayKey } = dialect.sampling ?? {};
  const sampling = [...Object.values(keys).flat(), modeKey, engineKey, replayKey].filter(
    (key) => key !== undefined,
  );
  const defaults = dialect.defaults?.(NO_CONFIG) ?? {};
  const dialectFile = `${folder}/${isNewest ? "" : "earlier/"}config-keys.ts`;
  return {
    ...base,
    ours: dialectFile,
    configs: [
      ...listConfigs(presets, (preset) => files.get(preset)),
      ...(isNewest ? fixes : []).map(({ line }) => ({
        text: line,
        language: "fix",
        from: "doctor",
        ours: `${folder}/index.ts`,
      })),
    ],
    settings: [
      ...presets.flatMap((preset) =>
        preset.parameters.map((parameter) => ({
          name: dialect.names?.[parameter.name] ?? parameter.name,
          choices: parameter.choices,
          ...(parameter.name in defaults && { default: defaults[parameter.name] }),
          ours: files.get(preset.name),
        })),
      ),
      // A dialect of another trainer's preset names the settings that it has.
      ...(presets.length > 0 ? [] : Object.values(dialect.names ?? {})).map((name) => ({
        name,
        ours: dialectFile,
      })),
      ...sampling.map((key) => ({ name: key, ours: `${folder}/sampling.ts` })),
    ],
    known: [
      ...dialect.knownKeys,
      ...dialect.advised,
      // Of another trainer's preset.
      ...Object.values(dialect.names ?? {}),
      ...(dialect.otherNames ?? []).flatMap(({ names }) => Object.keys(names)),
    ],
  };
}

function lintAll(samples) {
  return samples.map(({ trainer, version, text }) => {
    try {
      const options = { file: "sample", presets: PRESETS, trainer, ...(version && { version }) };
      const { configs, findings } = lintConfig(text, options);
      return [...findings, ...configs.flatMap((config) => config.findings)]
        .filter(({ severity, code }) => severity === "error" && REJECTED.has(code))
        .map(({ message }) => message);
    } catch (error) {
      if (!isLogratioError(error)) throw error;
      return [error.message];
    }
  });
}

if (process.argv.includes("--lint")) {
  console.log(JSON.stringify(lintAll(JSON.parse(readFileSync(0, "utf8")))));
} else {
  const told = new Map(process.argv.slice(2).map((argument) => argument.split("@")));
  const described = TRAINERS.map((trainer) => [
    trainer.name,
    describeTrainer(trainer, told.get(trainer.name)),
  ]);
  console.log(JSON.stringify(Object.fromEntries(described)));
}
