import { FormatError } from "../../../core/base/index.ts";

/** A word of a command without its quotes. */
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
  return new ShellReader(text, file).read();
}

const CONTINUATION = /\\\r?\n/y;

interface OpenWord {
  text: string;
  readonly line: number;
  quoted: boolean;
  readonly variables: string[];
}

/** Reads a script from its beginning to its end, a piece at a time. */
class ShellReader {
  readonly #text: string;
  readonly #file: string;
  readonly #commands: Word[][] = [];
  #command: Word[] = [];
  #word: OpenWord | undefined;
  #at = 0;
  #line = 1;
  /** How many arrays are open. */
  #depth = 0;

  constructor(text: string, file: string) {
    this.#text = text;
    this.#file = file;
  }

  read(): Command[] {
    while (this.#at < this.#text.length)
      this.#takeContinuation() ||
        this.#takeEscape() ||
        this.#takeQuoted() ||
        this.#takeVariable() ||
        this.#takeComment() ||
        this.#takeOperator() ||
        this.#takeBlank() ||
        this.#takeBracket() ||
        this.#takeCharacter();
    this.#endCommand();
    return this.#commands;
  }

  get #character(): string {
    return this.#text[this.#at]!;
  }

  #open(): OpenWord {
    this.#word ??= { text: "", line: this.#line, quoted: false, variables: [] };
    return this.#word;
  }

  #endWord(): void {
    if (this.#word) this.#command.push(this.#word);
    this.#word = undefined;
  }

  #endCommand(): void {
    this.#endWord();
    if (this.#command.length > 0) this.#commands.push(this.#command);
    this.#command = [];
  }

  /** Continues after a piece of the text. */
  #pass(piece: string): true {
    this.#line += piece.split("\n").length - 1;
    this.#at += piece.length;
    return true;
  }

  /** The match of a sticky expression at the current position. */
  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.#at;
    return expression.exec(this.#text)?.[0];
  }

  #takeContinuation(): boolean {
    const joined = this.#match(CONTINUATION);
    if (joined === undefined) return false;
    this.#endWord();
    return this.#pass(joined);
  }

  #takeEscape(): boolean {
    if (this.#character !== "\\") return false;
    this.#open().text += this.#text[this.#at + 1] ?? "";
    return this.#pass(this.#text.slice(this.#at, this.#at + 2));
  }

  #takeQuoted(): boolean {
    const mark = this.#character;
    if (mark !== "'" && mark !== '"') return false;
    const { content, length } = quotedPart(this.#text, this.#at, this.#line, this.#file);
    const target = this.#open();
    target.quoted = true;
    if (mark === '"') target.variables.push(...variablesIn(content));
    target.text += content;
    return this.#pass(this.#text.slice(this.#at, this.#at + length));
  }

  #takeVariable(): boolean {
    const variable = this.#match(VARIABLE);
    if (variable === undefined) return false;
    const target = this.#open();
    target.text += variable;
    target.variables.push(variable);
    return this.#pass(variable);
  }

  #takeComment(): boolean {
    if (this.#character !== "#" || this.#word !== undefined) return false;
    const end = this.#text.indexOf("\n", this.#at);
    return this.#pass(this.#text.slice(this.#at, end < 0 ? this.#text.length : end));
  }

  #takeOperator(): boolean {
    const operator = this.#match(OPERATOR);
    if (operator === undefined) return false;
    // The lines of an array belong together.
    if (this.#depth > 0) this.#endWord();
    else this.#endCommand();
    return this.#pass(operator);
  }

  #takeBlank(): boolean {
    if (!/\s/.test(this.#character)) return false;
    this.#endWord();
    return this.#pass(this.#character);
  }

  #takeBracket(): boolean {
    const text = this.#character;
    const opensArray = text === "(" && this.#word?.text.endsWith("=") === true;
    if (!opensArray && text !== ")" && !(text === "(" && this.#word === undefined)) return false;
    this.#endWord();
    if (opensArray) this.#depth++;
    else if (text === ")" && this.#depth > 0) this.#depth--;
    this.#command.push({ text, line: this.#line, quoted: false, variables: [], bracket: true });
    return this.#pass(text);
  }

  #takeCharacter(): boolean {
    this.#open().text += this.#character;
    return this.#pass(this.#character);
  }
}

function quotedPart(
  text: string,
  at: number,
  line: number,
  file: string,
): { content: string; length: number } {
  const mark = text[at]!;
  let content = "";
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i]!;
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
