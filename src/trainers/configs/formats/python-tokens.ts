import { FormatError } from "../../../core/base/index.ts";

export interface PythonToken {
  readonly kind: "name" | "number" | "string" | "operator" | "newline";
  /** For a string, its content with escapes unchanged. */
  readonly text: string;
  readonly line: number;
  /** An f-string, whose `{…}` Python fills in. */
  readonly formatted?: boolean;
}

const STRING = /([rbuf]{0,2})("""|'''|"|')/iy;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?/iy;
const BLANK = /[ \t\f\r]+|#[^\n]*|\\\r?\n/y;

/**
 * Python source as tokens, without comments and line joins. Nothing is evaluated.
 *
 * @throws FormatError for a string that never ends.
 */
export function pythonTokens(text: string, file: string): PythonToken[] {
  const tokens: PythonToken[] = [];
  let [at, line] = [0, 1];
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const blank = match(BLANK);
    if (blank) {
      line += linesIn(blank[0]);
      at = BLANK.lastIndex;
      continue;
    }
    if (text[at] === "\n") {
      tokens.push({ kind: "newline", text: "\n", line });
      line++;
      at++;
      continue;
    }
    const quote = match(STRING);
    if (quote) {
      const [whole, prefix = "", mark = '"'] = quote;
      const from = at + whole.length;
      const to = stringEnd(text, from, mark);
      if (to === undefined) {
        throw new FormatError(
          `cannot parse the config: the string that starts here with ${mark} never ends`,
          {
            at: { file, line },
            likely: "a missing quote, or the file is cut off",
          },
        );
      }
      const content = text.slice(from, to);
      const formatted = /f/i.test(prefix) && content.includes("{");
      tokens.push({ kind: "string", text: content, line, ...(formatted && { formatted }) });
      line += linesIn(content);
      at = to + mark.length;
      continue;
    }
    const [kind, pattern] = /[\d.]/.test(text[at]!)
      ? (["number", NUMBER] as const)
      : (["name", NAME] as const);
    const word = match(pattern);
    if (word) {
      tokens.push({ kind, text: word[0], line });
      at = pattern.lastIndex;
    } else {
      tokens.push({ kind: "operator", text: text[at]!, line });
      at++;
    }
  }
  tokens.push({ kind: "newline", text: "\n", line });
  return tokens;
}

function stringEnd(text: string, from: number, mark: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(mark, at)) return at;
    else if (mark.length === 1 && text[at] === "\n") return undefined;
  }
  return undefined;
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}
