/** An object on a line of JSONL. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** A record, a line without one, or a blank line. */
export type ParsedLine =
  | { readonly record: LogRecord }
  /** `torn`: not a whole JSON value; `foreign`: JSON, but not a record of the wanted kind. */
  | { readonly fault: "torn" | "foreign"; readonly why: string }
  | { readonly blank: true };

/**
 * Parses one line of JSONL. Accepts what Python's `json.dumps` writes for values that JSON cannot express: NaN becomes
 * missing (null), Infinity and -Infinity become infinite.
 */
export function parseLine(line: string): ParsedLine {
  if (line.trim() === "") return { blank: true };
  const value = parseJson(line);
  if (value === undefined) return { fault: "torn", why: tornWhy(line) };
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { fault: "foreign", why: `JSON, but ${describeKind(value)} and not an object` };
  return { record: value as LogRecord };
}

/** Undefined where the text is not JSON; JSON has no undefined. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (!/NaN|Infinity/.test(text)) return undefined;
    try {
      return JSON.parse(text.replace(STRINGS_AND_WORDS, (part) => WORDS[part] ?? part));
    } catch {
      return undefined;
    }
  }
}

/** Matches strings as well, so that the words inside them are left alone. */
const STRINGS_AND_WORDS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
/** A number too large for a double is read as infinite. */
const WORDS: Readonly<Record<string, string>> = { NaN: "null", Infinity: "1e999", "-Infinity": "-1e999" };

function tornWhy(line: string): string {
  const text = line.trim();
  if (!text.startsWith("{")) return text.endsWith("}") ? "the start of a record is missing" : "not JSON";
  return /\}\s*\{/.test(text) || /.\{"(?:iteration|rank)"/.test(text)
    ? "several records run into each other"
    : text.endsWith("}")
      ? "not JSON"
      : "a record is cut off";
}

function describeKind(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
