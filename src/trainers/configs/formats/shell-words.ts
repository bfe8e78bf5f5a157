import { FormatError } from "../../../core/base/index.ts";

/** A word of a command after quotes are taken away. */
export interface Word {
  readonly text: string;
  readonly line: number;
  readonly quoted: boolean;
  /** `$NAME`, `${NAME:-2}`, `$(…)` outside single quotes. */
  readonly variables: readonly string[];
  /** `(` or `)` as an operator of its own. */
  readonly bracket?: boolean;
}

/** One command: its words up to an unquoted newline, `;`, `&&`, `||` or `|`. */
export type Command = readonly Word[];

const OPERATOR = /(?:&&|\|\||[;&|]|\r?\n)+/y;
const VARIABLE = /\$(?:\{([^{}]*)\}|\((?:[^()]|\([^()]*\))*\)|(\w+|[@*#?]))/y;

/**
 * A shell script as commands of words: quotes, comments, line continuations; here-documents and control words are
 * words like any other. Nothing is run and nothing is expanded.
 *
 * @throws FormatError for a quote that never closes.
 */
export function shellCommands(text: string, file: string): Command[] {
  const commands: Word[][] = [];
  let command: Word[] = [];
  let [at, line, depth] = [0, 1, 0];
  let word: { text: string; line: number; quoted: boolean; variables: string[] } | undefined;
  const open = (): NonNullable<typeof word> => {
    word ??= { text: "", line, quoted: false, variables: [] };
    return word;
  };
  const endWord = (): void => {
    if (word) command.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    if (command.length > 0) commands.push(command);
    command = [];
  };
  const take = (piece: string): void => {
    line += piece.split("\n").length - 1;
    at += piece.length;
  };
  while (at < text.length) {
    const character = text[at] as string;
    const continuation = /\\\r?\n/y;
    continuation.lastIndex = at;
    const joined = continuation.exec(text);
    if (joined) {
      endWord();
      take(joined[0]);
      continue;
    }
    if (character === "\\") {
      open().text += text[at + 1] ?? "";
      take(text.slice(at, at + 2));
      continue;
    }
    if (character === "'" || character === '"') {
      const { content, length } = quotedPart(text, at, line, file);
      const target = open();
      target.quoted = true;
      if (character === '"') target.variables.push(...variablesIn(content));
      target.text += content;
      take(text.slice(at, at + length));
      continue;
    }
    VARIABLE.lastIndex = at;
    const variable = VARIABLE.exec(text);
    if (variable) {
      const target = open();
      target.text += variable[0];
      target.variables.push(variable[0]);
      take(variable[0]);
      continue;
    }
    if (character === "#" && word === undefined) {
      const end = text.indexOf("\n", at);
      take(text.slice(at, end < 0 ? text.length : end));
      continue;
    }
    OPERATOR.lastIndex = at;
    const operator = OPERATOR.exec(text);
    if (operator) {
      // The lines of an array belong together.
      if (depth > 0) endWord();
      else endCommand();
      take(operator[0]);
      continue;
    }
    if (/\s/.test(character)) {
      endWord();
      take(character);
      continue;
    }
    const opensArray = character === "(" && word?.text.endsWith("=");
    if (opensArray || (character === "(" && word === undefined) || character === ")") {
      endWord();
      if (opensArray) depth++;
      else if (character === ")" && depth > 0) depth--;
      command.push({ text: character, line, quoted: false, variables: [], bracket: true });
      take(character);
      continue;
    }
    open().text += character;
    take(character);
  }
  endCommand();
  return commands;
}

function quotedPart(
  text: string,
  at: number,
  line: number,
  file: string,
): { content: string; length: number } {
  const mark = text[at] as string;
  let content = "";
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i] as string;
    if (character === mark) return { content, length: i + 1 - at };
    if (mark === '"' && character === "\\" && /["\\$`\n]/.test(text[i + 1] ?? "")) {
      i++;
      if (text[i] !== "\n") content += text[i];
    } else content += character;
  }
  throw new FormatError(`cannot parse the config: the ${mark} of this line is never closed`, {
    at: { file, line },
    likely: "a missing quote, or the script is cut off",
  });
}

function variablesIn(content: string): string[] {
  return [...content.matchAll(new RegExp(VARIABLE.source, "g"))].map(([whole]) => whole);
}
