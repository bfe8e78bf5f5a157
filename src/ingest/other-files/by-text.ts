/**
 * Files of text that hold no data: pages, configs, logs, sources.
 *
 * @module
 */
import { FormatError, type LogratioError } from "../../core/base/index.ts";
import { formatCount, plural } from "../../core/text/index.ts";
import { CONSOLE_LINES } from "../series/console/read-console.ts";
import { isText } from "./by-bytes.ts";
import { type OtherFile, OtherFileError } from "./other-file.ts";

const DATA_NAME = /\.(?:npz|npy|pt|pth|safetensors|parquet|jsonl|ndjson|json|pkl)(?:\.(?:gz|zst|zstd))?$/i;
const SHOWN = 60;
/** A text is a log if one in this many of its first lines begins with a time. */
const TIMES_IN = 4;
/** The beginning of a log line after a worker's name: a time or a level. */
const TIME =
  /^(?:\([^)]{1,60}\) *)?\[?(?:(?:\d{4}-\d\d-\d\d[ T])?\d\d?:\d\d:\d\d|\d{4}-\d\d-\d\d\b|(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL)\b)|^\([A-Za-z][\w. ]{0,40} pid=\d+/;
const COLOR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, "g");
const CONFIG_HINT = "to check a trainer's config, run logratio correct --lint FILE";

/** Describes a text that begins with `head`; undefined for bytes that are not text. */
export function nameText(head: Uint8Array, name: string): OtherFile | undefined {
  if (!isText(head)) return undefined;
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\ufeff/, "");
  return (
    nameArray(text) ??
    nameMarkup(text, name) ??
    nameLog(text) ??
    nameByEnding(name) ??
    nameSource(text) ??
    nameTable(text) ??
    nameConfig(text) ??
    nameProse(text)
  );
}

/** JSON, but not of objects. */
export const NAMELESS: OtherFile = {
  what: "a JSON array whose values have no names",
  why: "log-probs are recognized by their names",
  hint: 'write one object per sequence: {"rollout_logprobs": [...], "trainer_logprobs": [...]}',
};

function nameArray(text: string): OtherFile | undefined {
  return /^\s*\[\s*(?:\[|"|-?\d|null|NaN)/.test(text) ? NAMELESS : undefined;
}

/** A failed download often holds a page instead of data. */
function nameMarkup(text: string, name: string): OtherFile | undefined {
  const downloaded = DATA_NAME.test(name) ? ({ standsForData: true } as const) : {};
  if (/^\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(text)) {
    const title = /<title[^>]*>([^<]{1,80})/i.exec(text)?.[1]?.trim();
    return {
      what: title ? `an HTML page (“${title}”)` : "an HTML page",
      ...(DATA_NAME.test(name) && {
        likely: "the download returned a sign-in or error page instead of the file",
      }),
      hint: DATA_NAME.test(name) ? "download it again, signed in" : "open it in a browser",
      ...downloaded,
    };
  }
  if (/^\s*<svg\b/.test(text)) return { what: "an image (SVG)", hint: "open it in a browser" };
  if (!/^\s*<\?xml\b|^\s*<Error>/.test(text)) return undefined;
  const code = /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1];
  if (/<svg\b/.test(text)) return { what: "an image (SVG)", hint: "open it in a browser" };
  return code === undefined
    ? {
        what: "an XML document",
        hint: "give a dump: npz, torch .pt, safetensors, Parquet, JSON or JSONL",
        ...downloaded,
      }
    : {
        what: `an object store's error (${code}) instead of a file`,
        why: "the download failed",
        hint: "download it again with credentials that allow reading it",
        standsForData: true,
      };
}

function nameLog(text: string): OtherFile | undefined {
  const lines = text.replace(COLOR, "").split("\n").slice(0, 400);
  const trace = lines.findIndex((line) => line.includes("Traceback (most recent call last):"));
  const filled = lines.filter((line) => line.trim() !== "");
  const times = filled.filter((line) => TIME.test(line)).length;
  const isTimed = times >= 2 && times * TIMES_IN >= filled.length;
  if (trace < 0 && !isTimed) return undefined;
  const patterns = [
    ...(isTimed
      ? [`${formatCount(times)} of its first ${plural(filled.length, "line")} begin with a time or a level`]
      : []),
    ...(trace < 0 ? [] : [`a Python traceback in line ${formatCount(trace + 1)}`]),
  ];
  return {
    what: `a program's log (${patterns.join("; ")})`,
    why: `it holds neither log-probs nor metrics as trainers print them (${CONSOLE_LINES.join(", ")})`,
    hint: "give the trainer's dump, or its metrics: a metrics.jsonl, CSV or TensorBoard file",
  };
}

const LINTED = /\.(?:ya?ml|toml)$/i;
const ENDINGS: readonly (readonly [RegExp, OtherFile])[] = [
  [LINTED, { what: "a config", hint: CONFIG_HINT }],
  [/\.(?:sh|bash|slurm|sbatch)$/i, { what: "a shell script", hint: CONFIG_HINT }],
  [/\.(?:cfg|ini|conf|env)$/i, { what: "a config", hint: CONFIG_HINT }],
  [/\.py$/i, { what: "Python source", hint: CONFIG_HINT }],
  [
    /\.(?:m?[jt]sx?|c|cc|cpp|cu|h|hpp|go|rs|java|rb|lua|jl)$/i,
    { what: "source code", hint: "give the files that the program writes" },
  ],
  [
    /\.(?:md|markdown|rst)$/i,
    { what: "a document (Markdown or the like)", hint: "give the dump next to it" },
  ],
  [/\.(?:jinja2?|j2)$/i, { what: "a chat template", hint: "it belongs to a tokenizer: --tokenizer DIR" }],
  [
    /(?:^|\/)merges\.txt$/i,
    {
      what: "a tokenizer's merges",
      hint: "to use it with a dump, add --tokenizer DIR, the directory with tokenizer.json in it",
    },
  ],
];

function nameByEnding(name: string): OtherFile | undefined {
  return ENDINGS.find(([ending]) => ending.test(name))?.[1];
}

function nameSource(text: string): OtherFile | undefined {
  if (
    /^#!.*\bpython/.test(text) ||
    /^(?:from [\w.]+ import |import [\w.]+(?: as \w+)?\s*$|def \w+\(|class \w+[(:])/m.test(text)
  )
    return { what: "Python source", hint: CONFIG_HINT };
  if (/^#!.*\b(?:ba|z|da)?sh\b/.test(text)) return { what: "a shell script", hint: CONFIG_HINT };
  if (/^#version: 0\.\d/.test(text)) return ENDINGS.at(-1)?.[1];
  return undefined;
}

/** The second line has as many separators as the first. */
function nameTable(text: string): OtherFile | undefined {
  const [first = "", second = ""] = text.split("\n", 2);
  const count = (line: string, separator: string): number => line.split(separator).length - 1;
  const separator = [",", "\t", ";"].find(
    (each) => count(first, each) > 0 && count(first, each) === count(second, each),
  );
  return separator === undefined
    ? undefined
    : {
        what: `a table of text (${plural(count(first, separator) + 1, "column")})`,
        hint: "to plot logged metrics, add a step column and run logratio report FILE; log-probs are read from Parquet, JSONL and arrays",
      };
}

/** Most lines have a key and a value, and the file's name does not say what it is. */
function nameConfig(text: string): OtherFile | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !/^\s*#/.test(line));
  const settings = lines.filter((line) =>
    /^\s*(?:- )?[\w.\-/]{1,60}\s*(?::(?:\s|$)|=\s*\S)|^\[[\w.\-"]+\]$|^\s*- /.test(line),
  );
  return lines.length >= 2 && settings.length * 5 >= lines.length * 4
    ? { what: "a config (a setting on each line)", hint: CONFIG_HINT }
    : undefined;
}

function nameProse(text: string): OtherFile {
  if (/^#{1,6} \S/.test(text) || /^```/m.test(text)) return ENDINGS[5]![1];
  const [first = ""] = text.trimStart().split("\n", 1);
  const shown = first.length > SHOWN ? `${first.slice(0, SHOWN)}…` : first.trimEnd();
  return {
    what: `plain text that begins “${shown}”`,
    hint: "npz, npy, torch .pt, safetensors, Parquet, JSON and JSONL are read, each also in gzip or zstd",
  };
}

const BINARY_NAMES: readonly (readonly [RegExp, OtherFile])[] = [
  [
    /(?:^|\/)rank_\d+\.bin$/i,
    {
      what: "prime-rl's batches for the trainer (msgpack)",
      why: "they hold only the rollout side",
      hint: "give the monitors directory of the run, where the trainer's log-probs are too; before 31 August 2026, token_exports, which trainer.enable_token_export=true writes",
    },
  ],
  [/\.onnx$/i, { what: "a model (ONNX)", hint: "to compare two models: logratio score" }],
  [
    /\.bin$/i,
    {
      what: "a binary file of no known format",
      hint: "if these are weights (pytorch_model.bin), there are no log-probs in them; give the trainer's dump",
    },
  ],
];

/**
 * The error for bytes of no known format.
 *
 * @param name as the user wrote it; decides if the bytes do not tell
 */
export function unknownFile(head: Uint8Array, name: string, file: string): LogratioError {
  const other = nameText(head, name) ?? BINARY_NAMES.find(([pattern]) => pattern.test(name))?.[1];
  if (other !== undefined) return new OtherFileError(file, other);
  return new FormatError("binary data of no known format", {
    at: { file, offset: 0 },
    likely: "the file is damaged, encrypted, or in a format that only its own program reads",
    hint: "npz, npy, torch .pt, safetensors, Parquet, JSON and JSONL are read, each also in gzip or zstd",
  });
}
