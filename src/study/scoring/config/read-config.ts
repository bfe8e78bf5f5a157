import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Document, isCollection, LineCounter, parseDocument, visit } from "yaml";
import { containError, FormatError, isObject, LimitError, NotFoundError } from "../../../core/base/index.ts";
import { isPresent } from "../../../input/io/index.ts";
import { isRlProbeConfig, readRlProbeConfig } from "./rl-probe-config.ts";

/** A config as written, with its paths resolved against the config file. */
export type StudyConfig = Readonly<Record<string, unknown>>;

const LONGEST_CONFIG = 2 ** 20;
const MOST_ALIASES = 100;

/** Keys that name files or directories, alone, in lists or as values of an object. */
const PATHS = ["problems", "responses", "texts", "tokenizer", "outcomes", "out"];
const POLICY_PATHS = /^(onnx|logits):(?!\/)/;

/**
 * Reads a study's YAML (or JSON), or RL-Probe's.
 *
 * @throws NotFoundError, FormatError
 */
export async function readStudyConfig(file: string): Promise<StudyConfig> {
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new NotFoundError(`the config ${file} cannot be read: ${cause.message}`, { at: { file }, cause });
  });
  if (text.length > LONGEST_CONFIG) {
    throw new LimitError(`the config has ${text.length} characters; the limit is ${LONGEST_CONFIG}`, {
      at: { file },
      likely: "a data file instead of a config",
    });
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { prettyErrors: true, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line;
    throw new FormatError(`the config is not YAML: ${error.message.split("\n")[0]}`, {
      at: { file, ...(line !== undefined && { line }) },
      hint: "docs/kl.md has an example",
    });
  }
  refuseOddKeys(document, lines, file);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (cause) {
    // The parser's guard against nested aliases.
    if (cause instanceof ReferenceError && /alias/i.test(cause.message)) {
      throw new LimitError(`the config expands too far: ${cause.message}`, {
        at: { file },
        likely: "aliases that refer to other aliases",
        cause,
      });
    }
    throw containError(cause, { file }, "config");
  }
  if (!isObject(value))
    throw new FormatError("the config has no keys", { at: { file }, hint: "docs/kl.md has an example" });
  const config = value;
  return absolute(isRlProbeConfig(config) ? readRlProbeConfig(config, file) : config, dirname(resolve(file)));
}

function absolute(config: Record<string, unknown>, dir: string): StudyConfig {
  const path = (value: unknown): unknown => deep(value, (text) => resolve(dir, text));
  const location = (text: string): string => {
    if (text.startsWith("hf:")) return hfLocation(dir, text.slice("hf:".length));
    return POLICY_PATHS.test(text)
      ? text.replace(/:(.*)$/s, (_, where: string) => `:${resolve(dir, where)}`)
      : text;
  };
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (PATHS.includes(name)) return [name, path(value)];
      return [name, name === "policies" ? deep(value, location) : value];
    }),
  );
}

/** A list or a map as a key would become text, with a warning from Node. */
function refuseOddKeys(document: Document.Parsed, lines: LineCounter, file: string): void {
  visit(document, {
    Pair(_, { key }) {
      if (!isCollection(key)) return;
      const at = { file, ...(key.range && { line: lines.linePos(key.range[0]).line }) };
      throw new FormatError("a key of the config is a list or a map; keys are names", {
        at,
        likely: "a question mark, bracket or brace at the beginning of a line",
        hint: "put the key in quotation marks if it is meant as it is",
      });
    },
  });
}

/**
 * `hf:org/model` may be a directory, or a model in the Hub's cache: a name not found next to the config stays
 * unchanged.
 */
function hfLocation(dir: string, where: string): string {
  const folder = where.replace(/(@[^@/]*|\/\*)$/, "");
  return isPresent(resolve(dir, folder)) ? `hf:${resolve(dir, where)}` : `hf:${where}`;
}

/** Applies `change` to every string in a value of lists and objects. */
function deep(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => deep(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, deep(item, change)]));
}
