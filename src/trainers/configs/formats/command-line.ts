import {
  type ConfigDocument,
  type Entry,
  normalizedPath,
  numberList,
  plainNumber,
  plainValue,
} from "../../shared/config-entry.ts";
import type { Setting } from "../../shared/preset.ts";
import { type Command, shellCommands, type Word } from "./shell-words.ts";

const ASSIGNMENT = /^([A-Za-z_]\w*)(\+?)=(.*)$/s;
const OVERRIDE = /^([+~]{0,2})([A-Za-z_][\w/@.-]*)=(.*)$/s;
const FLAG = /^--([A-Za-z][\w.-]*)(?:=(.*))?$/s;

/**
 * Flags and `key=value` overrides of each command of a script (or of one pasted command). Variables and arrays that
 * the script sets once to plain text are filled in; all others are unknown.
 *
 * @throws FormatError for a quote that never closes.
 */
export function readCommandLine(text: string, file: string): ConfigDocument[] {
  const scope: Scope = { variables: new Map(), arrays: new Map(), used: new Set(), assignments: [] };
  const commands: Command[] = [];
  for (const command of shellCommands(text, file)) {
    const rest = assign(command, scope);
    if (rest.length > 0) commands.push(rest.flatMap((word) => expand(word, scope)));
  }
  for (const [name, words] of scope.arrays) if (!scope.used.has(name)) commands.push(words);
  // Overrides without a command look like variables.
  if (commands.length === 0) commands.push(scope.assignments);
  return commands
    .map((command) => buildDocument(command, scope))
    .filter(({ entries }) => entries.length > 0)
    .sort((a, b) => a.line - b.line);
}

interface Scope {
  readonly variables: Map<string, Resolved>;
  readonly arrays: Map<string, readonly Word[]>;
  readonly used: Set<string>;
  readonly assignments: Word[];
}

/** Removes leading `NAME=value` and `NAME=( … )` from a command. */
function assign(command: Command, scope: Scope): Command {
  let at = 0;
  while (/^(export|declare|local|readonly|then|else|do)$/.test(command[at]?.text ?? "")) at++;
  for (; at < command.length; at++) {
    const word = command[at]!;
    const [, name, appends, value = ""] = ASSIGNMENT.exec(word.text) ?? [];
    if (name === undefined) break;
    if (value === "" && command[at + 1]?.bracket) {
      // Stryker disable next-line EqualityOperator: what stands there is the opening bracket
      const end = command.findIndex((later, i) => i > at + 1 && later.bracket && later.text === ")");
      const last = end < 0 ? command.length : end;
      const items = command.slice(at + 2, last).flatMap((item) => expand(item, scope));
      scope.arrays.set(name, appends ? [...(scope.arrays.get(name) ?? []), ...items] : items);
      at = last;
      continue;
    }
    scope.assignments.push(word);
    const again = scope.variables.has(name) || appends !== "";
    scope.variables.set(
      name,
      again
        ? { text: undefined, unsure: `${name} is set more than once` }
        : resolveText(value, word.variables, scope),
    );
  }
  return command.slice(at);
}

/** `"${ARGS[@]}"` becomes the words of the array. */
function expand(word: Word, scope: Scope): readonly Word[] {
  const [, name] = /^\$\{(\w+)\[[@*]\]\}$/.exec(word.text) ?? [];
  const words = name === undefined ? undefined : scope.arrays.get(name);
  if (name !== undefined && words) {
    scope.used.add(name);
    return words;
  }
  return [word];
}

function buildDocument(command: Command, scope: Scope): ConfigDocument {
  const entries: Entry[] = [];
  for (let i = 0; i < command.length; i++) {
    const word = command[i]!;
    const [, flag, attached] = FLAG.exec(word.text) ?? [];
    if (flag !== undefined) {
      const values = attached === undefined ? valuesAfter(command, i) : [{ ...word, text: attached }];
      entries.push(buildEntry(`--${flag}`, word.line, values, scope));
      if (attached === undefined) i += values.length;
      continue;
    }
    const [, prefix, key, value = ""] = OVERRIDE.exec(word.text) ?? [];
    if (key !== undefined && prefix !== "~") {
      entries.push(buildEntry(`${prefix}${key}`, word.line, [{ ...word, text: value }], scope));
    }
  }
  const program =
    command.find(({ text }) => /\.py$/.test(text)) ??
    command.find(({ text }, i) => command[i - 1]?.text === "-m" && text !== "");
  return {
    format: "command line",
    name: program?.text ?? command[0]?.text ?? "",
    line: command[0]?.line ?? 1,
    entries,
  };
}

function valuesAfter(command: Command, at: number): Word[] {
  const values: Word[] = [];
  for (const word of command.slice(at + 1)) {
    if (
      word.bracket ||
      (FLAG.test(word.text) && !word.quoted) ||
      word.text === "--" ||
      OVERRIDE.test(word.text)
    )
      break;
    values.push(word);
  }
  return values;
}

function buildEntry(key: string, line: number, words: readonly Word[], scope: Scope): Entry {
  const path = normalizedPath(key);
  const text = words.map((word) => word.text).join(" ");
  // The shell removes its quotes before the trainer reads the word; hydra's own quotes stay.
  const quoted = /^(".*"|'.*')$/s.test(text);
  if (words.length === 0) return { path, key, value: true, text, quoted, line };
  const known = words.map((word) => resolveText(word.text, word.variables, scope));
  const unsure = known.find((item) => item.unsure !== undefined)?.unsure;
  const values = known.map((item) => (item.text === undefined ? undefined : wordValue(item.text)));
  const numbers = values.length > 1 ? numberList(values) : undefined;
  return {
    path,
    key,
    value: numbers ?? values[0],
    text,
    quoted,
    line,
    ...(unsure !== undefined && { unsure }),
  };
}

/** `[a, b]` as hydra writes lists; other words as plain scalars. Quotes inside the word are hydra's. */
function wordValue(text: string): Setting {
  const [, list] = /^\[(.*)\]$/.exec(text) ?? [];
  const numbers =
    list === undefined ? undefined : numberList(list.split(",").map((item) => plainNumber(item.trim())));
  if (numbers) return numbers;
  const [, inner] = /^(?:"(.*)"|'(.*)')$/.exec(text) ? [text, text.slice(1, -1)] : [];
  return inner ?? plainValue(text);
}

interface Resolved {
  /** Undefined when only the shell knows the value. */
  readonly text: string | undefined;
  readonly unsure?: string;
}

/** Fills in variables that the script sets once, and default values. */
function resolveText(raw: string, variables: readonly string[], scope: Scope): Resolved {
  let text = raw;
  let unsure: string | undefined;
  for (const variable of variables) {
    const [, name = "", , fallback] = /^\$\{?(\w+)(:?-([^}]*))?\}?$/.exec(variable) ?? [];
    const known = scope.variables.get(name);
    const own = known?.text;
    if (own !== undefined) {
      text = text.replace(variable, () => own);
      unsure ??= known?.unsure;
    } else if (fallback !== undefined && !fallback.includes("$")) {
      text = text.replace(variable, () => fallback);
      unsure ??= `${variable} comes from the environment; read as its fallback ${fallback}`;
    } else
      return { text: undefined, unsure: known?.unsure ?? `${variable} is known only when the script runs` };
  }
  return { text, ...(unsure !== undefined && { unsure }) };
}
