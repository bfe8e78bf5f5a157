import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { type CorrectionChoice, correctRun } from "../../../analyses/runs/correct-run.ts";
import type { CorrectedFileOptions } from "../../../analyses/runs/corrected-files.ts";
import { containError, type Place, UsageError } from "../../../core/base/index.ts";
import { checkOpened, openFile } from "../../../input/io/index.ts";
import { renderCorrectTerminal, renderLintTerminal } from "../../../render/index.ts";
import { findVersions, LINT_TRAINERS, lintConfig } from "../../../trainers/configs/index.ts";
import { PRESETS, presetNamed } from "../../../trainers/index.ts";
import { EXIT, type ExitStatus } from "../exit-status.ts";
import type { ForceOption } from "../force-option.ts";
import type { InputOptions } from "../input-options.ts";
import { toJson } from "../json.ts";
import { tellFindings, writtenFiles } from "../messages.ts";
import { toRunInput } from "../read-options.ts";
import { conclude, readUntilInterrupted } from "../read-run.ts";
import type { Terminal } from "../terminal.ts";

export interface CorrectOptions extends InputOptions, ForceOption, CorrectionChoice, CorrectedFileOptions {
  readonly json?: boolean;
  readonly list?: boolean;
  readonly lint?: string;
  readonly trainerVersion?: string;
}

/** Applies a correction to a run: figures to the terminal, weights and masks to files. */
export async function correct(
  paths: readonly string[],
  options: CorrectOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  if (options.list) {
    terminal.out(listPresets(options.preset));
    return EXIT.fine;
  }
  if (options.lint !== undefined) return lint(options.lint, options, terminal);
  if (paths.length === 0)
    throw new UsageError("no path given", { hint: "logratio correct dumps/ --preset verl" });
  const { result, interrupted } = await readUntilInterrupted(terminal, (reading) =>
    correctRun(paths, { ...toRunInput(options), ...reading }),
  );
  const { width, color, unicode } = terminal;
  terminal.out(options.json ? toJson(result) : renderCorrectTerminal(result, { width, color, unicode }));
  tellFindings(result.findings, terminal);
  if (result.written.length > 0) terminal.err(writtenFiles(...result.written));
  return conclude(result.findings, interrupted, result.metrics?.sequences ?? 0, terminal);
}

/** No config comes near this; lintConfig refuses text with more than a quarter as many characters. */
const MOST_CONFIG_BYTES = 1 << 24;

/** Reads a trainer's config and says what it does; nothing in it is executed. */
async function lint(file: string, options: CorrectOptions, terminal: Terminal): Promise<ExitStatus> {
  const trainer = options.preset === undefined ? undefined : trainerNamed(options.preset);
  const source = await openFile(file);
  const bytes = await source
    .slice(0, Math.min(source.byteLength, MOST_CONFIG_BYTES + 1))
    .finally(() => source.close());
  const text = new TextDecoder().decode(bytes);
  const version = options.trainerVersion;
  const versions = await findVersions(file, process.env);
  const result = contained({ file }, () =>
    lintConfig(text, {
      file,
      presets: PRESETS,
      versions,
      read: readIncluded,
      ...(trainer !== undefined && { trainer }),
      ...(version !== undefined && { version }),
    }),
  );
  const { width, color, unicode } = terminal;
  terminal.out(options.json ? toJson(result) : renderLintTerminal(result, { width, color, unicode }));
  return result.errors > 0 ? EXIT.checkFailed : EXIT.fine;
}

/** A preset stands for its trainer; some trainers have a dialect and no preset. */
function trainerNamed(name: string): string {
  return LINT_TRAINERS.includes(name) ? name : presetNamed(name).trainer;
}

/** What a config includes, read as it is asked for; undefined where no config is, or none that may be read. */
function readIncluded(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    // A pipe would keep the program waiting.
    if (!statSync(file).isFile()) return undefined;
    descriptor = openSync(file, "r");
    checkOpened(file, descriptor);
    return fstatSync(descriptor).size <= MOST_CONFIG_BYTES ? readFileSync(descriptor, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function contained<T>(at: Place, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw containError(error, at, "config");
  }
}

function listPresets(name: string | undefined): string {
  const chosen = name === undefined ? PRESETS : [presetNamed(name)];
  return chosen
    .map(({ name: preset, summary, source, parameters }) => {
      const rows = parameters.map(
        (parameter) =>
          `    ${parameter.name}=${JSON.stringify(parameter.fallback)}\n        ${parameter.meaning}\n`,
      );
      return name === undefined
        ? `${preset.padEnd(16)}${summary}\n`
        : `${preset}: ${summary}\n  ${source}\n${rows.join("")}`;
    })
    .join("");
}
