/**
 * Python's spelling of rows, as `print(row)` and `str(row)` write them, turned into JSON: texts in single quotes, `None`,
 * `True`, `nan`, tuples, `np.float64(0.5)`, `array([…], dtype=float32)`, `tensor([…])`.
 *
 * @module
 */
import type { PlainStream } from "../../io/decompress.ts";
import { byteOrderMark, OPEN_BRACE, OPEN_BRACKET, skipSpace } from "./syntax.ts";

const APOSTROPHE = 0x27;

/** Whether the first name in a file is in single quotes, which JSON does not have. */
export function beginsAsPython(head: Uint8Array): boolean {
  let at = skipSpace(head, byteOrderMark(head), head.length);
  if (head[at] === OPEN_BRACKET) at = skipSpace(head, at + 1, head.length);
  return head[at] === OPEN_BRACE && head[skipSpace(head, at + 1, head.length)] === APOSTROPHE;
}

/** The same content as JSON; lines stay lines, but offsets in a line move. */
export function asJson(plain: PlainStream): PlainStream {
  return { ...plain, head: convert(plain.head), bytes: convertAll(plain) };
}

function convert(head: Uint8Array): Uint8Array {
  return Buffer.from(new PythonText().take(Buffer.from(head).toString("latin1")), "latin1");
}

async function* convertAll(plain: PlainStream): AsyncGenerator<Uint8Array> {
  const text = new PythonText();
  for await (const chunk of plain.bytes)
    yield Buffer.from(text.take(Buffer.from(chunk).toString("latin1")), "latin1");
  yield Buffer.from(text.finish(), "latin1");
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["None", "null"],
  ["True", "true"],
  ["False", "false"],
  ["nan", "NaN"],
  ["inf", "Infinity"],
  ["-inf", "-Infinity"],
]);
/** Types around numbers. What other calls make is not known without Python. */
const NUMBERS = /^(?:(?:np|numpy)\.\w+|(?:torch\.)?tensor|array|float|int)$/;
const OF_TOKEN = /[\w.+-]/;
const SPACE = /\s/;

/** What an open parenthesis began; `rest` stands behind the first argument of a call, or inside an unknown one. */
type Open = "tuple" | "call" | "rest" | "list";

/** Converts a text piece by piece, one byte a character: what has a meaning is in ASCII. */
class PythonText {
  #out = "";
  #token = "";
  #quote = "";
  #isEscaped = false;
  #hasComma = false;
  #isLineStart = true;
  readonly #open: Open[] = [];

  /** What is certain so far. */
  take(text: string): string {
    for (const character of text) this.#step(character);
    const out = this.#out;
    this.#out = "";
    return out;
  }

  finish(): string {
    this.#endToken();
    return this.take("");
  }

  #step(character: string): void {
    // A row that is cut off does not reach into the next one; Python breaks no text between lines.
    if (character === "\n") this.#quote = "";
    else if (this.#isLineStart && character === "{") this.#open.length = 0;
    this.#isLineStart = character === "\n";
    if (this.#quote !== "") this.#inText(character);
    else if (OF_TOKEN.test(character)) this.#token += character;
    else this.#outside(character);
  }

  #inText(character: string): void {
    if (this.#isEscaped) {
      this.#isEscaped = false;
      // JSON has no \' and no \x41.
      this.#write(character === "'" ? "'" : character === "x" ? "\\u00" : `\\${character}`);
    } else if (character === "\\") this.#isEscaped = true;
    else if (character === this.#quote) {
      this.#quote = "";
      this.#write('"');
    } else this.#write(character === '"' ? '\\"' : character);
  }

  #outside(character: string): void {
    if (character === "(") {
      this.#openParenthesis();
      return;
    }
    this.#endToken();
    if (SPACE.test(character)) this.#write(character);
    else if (character === ",") this.#comma();
    else if (character === ")") this.#closeParenthesis();
    else if (character === "]" || character === "}") {
      // Python may end a list with a comma.
      this.#hasComma = false;
      this.#write(character);
      this.#open.pop();
    } else {
      this.#beginValue();
      if (character === "[" || character === "{") {
        this.#write(character);
        this.#open.push(this.#isIgnored ? "rest" : "list");
      } else if (character === "'" || character === '"') {
        this.#write('"');
        this.#quote = character;
      } else this.#write(character);
    }
  }

  get #isIgnored(): boolean {
    return this.#open.at(-1) === "rest";
  }

  #openParenthesis(): void {
    const name = this.#token;
    this.#token = "";
    this.#beginValue();
    if (this.#isIgnored) this.#open.push("rest");
    else if (name === "") {
      this.#write("[");
      this.#open.push("tuple");
    } else if (NUMBERS.test(name)) this.#open.push("call");
    else {
      this.#write("null");
      this.#open.push("rest");
    }
  }

  #closeParenthesis(): void {
    this.#hasComma = false;
    if (this.#open.pop() === "tuple") this.#write("]");
  }

  #comma(): void {
    if (this.#open.at(-1) === "call") this.#open[this.#open.length - 1] = "rest";
    else if (!this.#isIgnored) this.#hasComma = true;
  }

  #beginValue(): void {
    if (this.#hasComma) this.#write(",");
    this.#hasComma = false;
  }

  #endToken(): void {
    if (this.#token === "") return;
    const token = this.#token;
    this.#token = "";
    this.#beginValue();
    this.#write(WORDS.get(token) ?? token.replace(/^([+-]?)\./, "$10.").replace(/\.$/, ".0"));
  }

  #write(text: string): void {
    if (!this.#isIgnored || text === "\n") this.#out += text;
  }
}
