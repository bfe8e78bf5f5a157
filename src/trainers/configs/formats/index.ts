/**
 * One function per format: text in, configs with lines out.
 *
 * @module
 */
import { EmptyInputError, FormatError, LimitError } from "../../../core/base/index.ts";
import type { ConfigDocument, ConfigFormat } from "../../shared/config-entry.ts";
import { readCommandLine } from "./command-line.ts";
import { readPython } from "./python.ts";
import { readToml } from "./toml.ts";
import { readYaml } from "./yaml.ts";

/** The longest real configs and launch scripts are a few thousand lines. */
export const LONGEST_CONFIG = 4 * 1024 * 1024;

export interface ReadConfig {
  readonly format: ConfigFormat;
  readonly documents: readonly ConfigDocument[];
}

/**
 * Every config in a file.
 *
 * @throws EmptyInputError, LimitError, and FormatError for binary data and for text that does not parse.
 */
export function readConfig(text: string, file: string): ReadConfig {
  if (text.length > LONGEST_CONFIG) {
    throw new LimitError(`the config has ${text.length} characters; at most ${LONGEST_CONFIG} are read`, {
      at: { file },
      likely: "a log or a data file instead of a config",
    });
  }
  checkIsText(text, file);
  const plain = text.replace(/^\ufeff/, "");
  if (withoutComments(plain).trim() === "") {
    throw new EmptyInputError("the config is empty", {
      at: { file },
      likely: plain.trim() === "" ? "the file was never written" : "every line is a comment",
      hint: "name the file that sets the trainer's correction, or paste its launch command into a file",
    });
  }
  const format = detectFormat(plain, file);
  return { format, documents: readAs(format, plain, file) };
}

function readAs(format: ConfigFormat, text: string, file: string): ConfigDocument[] {
  switch (format) {
    case "toml":
      return readToml(text, file);
    case "python":
      return readPython(text, file);
    case "command line":
      return readCommandLine(text, file);
    default:
      if (format === "json") checkJson(text, file);
      return readYaml(text, file, format);
  }
}

/** Refuses YAML in a .json file: the trainer's own parser would stop there. */
function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, position] = /position (\d+)/.exec(message) ?? [];
    const before = text.slice(0, position === undefined ? text.length : Number(position)).split("\n");
    throw new FormatError(`cannot parse the config: not JSON at column ${(before.at(-1) ?? "").length + 1}`, {
      at: { file, line: before.length },
      likely: /^\s*[\]}]/.test(text.slice(Number(position ?? text.length)))
        ? "a comma before a closing bracket"
        : "a missing comma or quote, a comment, or the file is cut off",
      hint: `look at: ${(text.split("\n")[before.length - 1] ?? "").trim().slice(0, 80)}`,
      cause: error,
    });
  }
}

function checkIsText(text: string, file: string): void {
  let odd = 0;
  const sample = text.slice(0, 65_536);
  for (let i = 0; i < sample.length; i++) {
    const code = sample.charCodeAt(i);
    if (
      code === 0xfffd ||
      (code < 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13 && code !== 27)
    )
      odd++;
    if (code === 0 || odd > 8 + sample.length / 100) {
      throw new FormatError("the config is not text: it has bytes that do not occur in text", {
        at: { file, offset: i },
        likely: "a dump, a checkpoint or a compressed file instead of a config",
        hint: "omit --lint to read a dump",
      });
    }
  }
}

const EXTENSIONS: ReadonlyMap<string, ConfigFormat> = new Map<string, ConfigFormat>([
  ["yaml", "yaml"],
  ["yml", "yaml"],
  ["json", "json"],
  ["toml", "toml"],
  ["py", "python"],
  ["sh", "command line"],
  ["bash", "command line"],
  ["slurm", "command line"],
  ["sbatch", "command line"],
]);

/** Chosen by extension, else by the look of the lines. */
function detectFormat(text: string, file: string): ConfigFormat {
  const [, extension] = /\.(\w+)$/.exec(file) ?? [];
  const known = EXTENSIONS.get(extension?.toLowerCase() ?? "");
  if (known) return known;
  const body = withoutComments(text);
  if (/^#!.*\b(ba|z|da)?sh\b/.test(text)) return "command line";
  if (/^\s*[{[]\s*["}\]]/.test(body)) return "json";
  if (/^\s*(from \S+ import|import \S+|class \w+|def \w+)|^[\w.]+\s*=\s*[\w.]+\(|^\s*\w+\($/m.test(body))
    return "python";
  if (/(^|\s)--[a-z][\w.-]*/.test(body) || /(^|\s)[+~]{0,2}[\w/@]+(\.[\w/@]+)+=\S/.test(body))
    return "command line";
  if (/^\s*\[{1,2}[\w."-]+(\.[\w"-]+)*\]{1,2}\s*$/m.test(body) || /^\s*[\w.]+ = \S/m.test(body))
    return "toml";
  if (/^\s*[A-Z]\w*\(/m.test(body)) return "python";
  if (/^\s*[\w.]+=\S/m.test(body) && !/^\s*[\w"-]+:(\s|$)/m.test(body)) return "command line";
  return "yaml";
}

function withoutComments(text: string): string {
  return text.replace(/^\s*(#|\/\/).*$/gm, "");
}
