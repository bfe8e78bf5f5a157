import { parse, TomlError } from "smol-toml";
import { FormatError, LimitError } from "../../../core/base/index.ts";
import { type ConfigDocument, type Entry, normalizedPath, numberList } from "../../shared/config-entry.ts";
import type { Setting } from "../../shared/preset.ts";

/**
 * TOML, with the lines that the parser itself does not report: each key is looked up in the text under its table.
 *
 * @throws FormatError if it does not parse, with line and column.
 */
export function readToml(text: string, file: string): ConfigDocument[] {
  refuseDeepKeys(text, file);
  const lines = keyLines(text);
  const entries: Entry[] = [];
  flatten(parsed(text, file), [], (keys, value) => {
    const line = lines.get(keys.join(".")) ?? 1;
    const path = keys.flatMap(normalizedPath);
    entries.push({
      path,
      key: keys.join("."),
      value,
      text: formatValue(value),
      quoted: typeof value === "string",
      line,
    });
  });
  return [{ format: "toml", name: "", line: 1, entries }];
}

function parsed(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    throw new FormatError(`cannot parse the config: ${what} (column ${error.column})`, {
      at: { file, line: error.line },
      likely: "text without quotes, a key set twice, or a table opened twice",
      hint: `look at: ${(text.split("\n")[error.line - 1] ?? "").trim().slice(0, 80)}`,
    });
  }
}

const DEEPEST = 64;

/** Each part of a dotted key nests another table, which the parser makes before they can be counted. */
function refuseDeepKeys(text: string, file: string): void {
  for (const [index, line] of text.split("\n").entries()) {
    const equals = line.indexOf("=");
    const key = equals < 0 ? line : line.slice(0, equals);
    if (/^\s*#/.test(line) || key.split(".", DEEPEST + 2).length <= DEEPEST + 1) continue;
    // Multi-line texts and lists of numbers also have dots; only keys and table headers count.
    if (!/^\s*\[{0,2}[\w"'-]/.test(line) || (equals < 0 && !/^\s*\[{1,2}\s*[A-Za-z_"']/.test(line))) continue;
    throw new LimitError(`the config has a key of more than ${DEEPEST} dotted parts`, {
      at: { file, line: index + 1 },
      likely: "the file is damaged, or crafted to exhaust its reader",
    });
  }
}

function flatten(
  value: unknown,
  keys: readonly string[],
  found: (keys: readonly string[], value: Setting | undefined) => void,
): void {
  if (Array.isArray(value)) {
    const numbers = numberList(value.map(toSetting));
    if (numbers) found(keys, numbers);
    else for (const [i, item] of value.entries()) flatten(item, [...keys, String(i)], found);
  } else if (value !== null && typeof value === "object" && !(value instanceof Date)) {
    for (const [key, item] of Object.entries(value)) flatten(item, [...keys, key], found);
  } else found(keys, toSetting(value));
}

function toSetting(value: unknown): Setting | undefined {
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" || typeof value === "string" || typeof value === "boolean"
    ? value
    : undefined;
}

function formatValue(value: Setting | undefined): string {
  return Array.isArray(value) ? value.join(", ") : String(value ?? "");
}

/** Dotted key to line, by table headers and `key =` at the start of a line; keys of arrays of tables are numbered. */
function keyLines(text: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const counts = new Map<string, number>();
  let table: string[] = [];
  text.split("\n").forEach((line, index) => {
    const [, double, header] = /^\s*\[(\[)?\s*([^\]]+?)\s*\]/.exec(line) ?? [];
    if (header !== undefined) {
      table = keyParts(header);
      if (double !== undefined) {
        const name = table.join(".");
        const count = counts.get(name) ?? 0;
        counts.set(name, count + 1);
        table = [...table, String(count)];
      }
      return;
    }
    const [, key, rest] = /^\s*([\w"'.\s-]+?)\s*=(.*)$/.exec(line) ?? [];
    if (key === undefined) return;
    const path = [...table, ...keyParts(key)];
    found.set(path.join("."), index + 1);
    // Keys of an inline table get the line of the table.
    for (const [, inner] of (rest ?? "").matchAll(/[{,]\s*([\w.-]+)\s*=/g)) {
      found.set([...path, ...keyParts(inner as string)].join("."), index + 1);
    }
  });
  return found;
}

function keyParts(key: string): string[] {
  return key.split(".").map((part) => part.trim().replace(/^["']|["']$/g, ""));
}
