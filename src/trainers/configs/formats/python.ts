import { FormatError } from "../../../core/base/index.ts";
import { type ConfigDocument, type Entry, numberList } from "../../shared/config-entry.ts";
import type { Setting } from "../../shared/preset.ts";
import { type PythonToken, pythonTokens } from "./python-tokens.ts";

/**
 * The keyword arguments of every call of a class in Python source, one config per call. The source is read as text:
 * literals and constants that are assigned once are known, everything else is unknown.
 *
 * @throws FormatError for a string or bracket that never closes.
 */
export function readPython(text: string, file: string): ConfigDocument[] {
  const tokens = pythonTokens(text, file);
  checkBrackets(tokens, file);
  const constants = readConstants(tokens);
  const documents: ConfigDocument[] = [];
  tokens.forEach((token, i) => {
    if (token.kind !== "name" || tokens[i + 1]?.text !== "(" || tokens[i + 1]?.kind !== "operator") return;
    if (!/^_?\p{Lu}/u.test(token.text) || /^(class|def)$/.test(tokens[i - 1]?.text ?? "")) return;
    const entries = splitArguments(tokens, i + 2).flatMap((argument) => readArgument(argument, constants));
    documents.push({
      format: "python",
      name: `${token.text}(…)`,
      callee: token.text,
      line: token.line,
      entries,
    });
  });
  return documents;
}

function readArgument(argument: readonly PythonToken[], constants: ReadonlyMap<string, Value>): Entry[] {
  const [name, equals, ...rest] = argument;
  if (name?.kind !== "name" || equals?.text !== "=" || rest[0]?.text === "=") return [];
  const { value, unsure } = parseLiteral(rest, constants);
  const text = rest
    .map((token) => (token.kind === "string" ? JSON.stringify(token.text) : token.text))
    .join("");
  return [
    {
      path: [name.text],
      key: name.text,
      value,
      text: rest.length === 1 ? rest[0]!.text : text.slice(0, 80),
      quoted: rest.length === 1 && rest[0]?.kind === "string",
      line: name.line,
      ...(unsure !== undefined && { unsure }),
    },
  ];
}

interface Value {
  readonly value: Setting | undefined;
  readonly unsure?: string;
}

const EXPRESSION: Value = { value: undefined, unsure: "an expression, which is not evaluated" };

function parseLiteral(tokens: readonly PythonToken[], constants: ReadonlyMap<string, Value>): Value {
  const [first, ...rest] = tokens;
  if (first === undefined) return EXPRESSION;
  if (rest.length === 0) {
    if (first.kind === "string") return first.formatted ? EXPRESSION : { value: first.text };
    if (first.kind === "number") return { value: Number(first.text.replaceAll("_", "")) };
    const word = { None: null, True: true, False: false }[first.text];
    if (word !== undefined) return { value: word };
    const constant = constants.get(first.text);
    return constant ?? { value: undefined, unsure: `${first.text} is set elsewhere` };
  }
  if (first.text === "-" || first.text === "+") {
    const { value } = parseLiteral(rest, constants);
    if (typeof value === "number") return { value: first.text === "-" ? -value : value };
  }
  const last = rest.at(-1)?.text;
  if ((first.text === "(" && last === ")") || (first.text === "[" && last === "]")) {
    const items = splitArguments(tokens, 1).map((item) => parseLiteral(item, constants).value);
    if (items.length === 1 && first.text === "(" && rest.at(-2)?.text !== ",")
      return parseLiteral(rest.slice(0, -1), constants);
    const numbers = numberList(items);
    return numbers ? { value: numbers } : EXPRESSION;
  }
  if (first.text === "float" && rest.length === 3 && rest[1]?.kind === "string") {
    const infinite = /^[+-]?inf/i.exec(rest[1].text);
    if (infinite) return { value: rest[1].text.startsWith("-") ? -Infinity : Infinity };
  }
  return EXPRESSION;
}

/** The comma-separated parts from `from` to the bracket that closes them; comprehensions and lambdas stay whole. */
function splitArguments(tokens: readonly PythonToken[], from: number): PythonToken[][] {
  const parts: PythonToken[][] = [];
  let part: PythonToken[] = [];
  let depth = 0;
  for (const token of tokens.slice(from)) {
    if (token.kind === "newline") continue;
    const operator = token.kind === "operator" ? token.text : "";
    if (depth === 0 && /^[)\]}]$/.test(operator)) break;
    if (/^[([{]$/.test(operator)) depth++;
    if (/^[)\]}]$/.test(operator)) depth--;
    if (depth === 0 && operator === ",") {
      parts.push(part);
      part = [];
    } else part.push(token);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

/** Names that are assigned a literal once, outside any bracket. */
function readConstants(tokens: readonly PythonToken[]): ReadonlyMap<string, Value> {
  const constants = new Map<string, Value>();
  let depth = 0;
  let start = true;
  tokens.forEach((token, i) => {
    const wasStart = start;
    start = token.kind === "newline" && depth === 0;
    if (token.kind === "operator" && /^[([{]$/.test(token.text)) depth++;
    if (token.kind === "operator" && /^[)\]}]$/.test(token.text)) depth--;
    if (!wasStart || token.kind !== "name" || tokens[i + 1]?.text !== "=" || tokens[i + 2]?.text === "=")
      return;
    const known = constants.has(token.text);
    const end = tokens.findIndex((later, j) => j > i && later.kind === "newline");
    const value = parseLiteral(tokens.slice(i + 2, end), constants);
    constants.set(
      token.text,
      known
        ? { value: undefined, unsure: `${token.text} is set more than once` }
        : value.value === undefined
          ? { value: undefined, unsure: `${token.text} is computed on line ${token.line}` }
          : value,
    );
  });
  return constants;
}

const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

function checkBrackets(tokens: readonly PythonToken[], file: string): void {
  const open: PythonToken[] = [];
  for (const token of tokens) {
    if (token.kind !== "operator") continue;
    if (CLOSING[token.text]) open.push(token);
    else if (/^[)\]}]$/.test(token.text)) {
      const opened = open.pop();
      if (opened && CLOSING[opened.text] === token.text) continue;
      throw new FormatError(
        `cannot parse the config: "${token.text}" closes ${opened ? `the "${opened.text}" of line ${opened.line}` : "nothing"}`,
        { at: { file, line: token.line }, likely: "an extra bracket, or one of the wrong kind" },
      );
    }
  }
  const last = open.at(-1);
  if (last) {
    throw new FormatError(`cannot parse the config: "${last.text}" is never closed`, {
      at: { file, line: last.line },
      likely: "the file is cut off, or a bracket is missing",
    });
  }
}
