/**
 * Converts the notations of arithmetic (plain, Unicode, LaTeX, with calculator tags) to one character per operator, and
 * keeps each character's place in the original text.
 *
 * @module
 */
import { FRACTION, ROOT } from "./expressions.ts";

/** Ends a statement: nothing is read across it. */
export const STOP = "\n";
/** A relation other than equality; ends a statement too. */
export const RELATION = "~";
/** Stands for text that is neither arithmetic nor a word. */
export const OPAQUE = "\ue002";

export interface Notation {
  readonly characters: string;
  /** The place of each character in the text; -1 for what the policy did not write. */
  readonly places: readonly number[];
  /** Calls of a calculator: where the result begins in `characters`, and the call. */
  readonly calls: readonly ToolCall[];
  /** The line's own words for a part of `characters`. */
  original(from: number, to: number): string;
}

export interface ToolCall {
  readonly at: number;
  /** The question to the calculator. */
  readonly query: string;
  /** Its place in the text. */
  readonly place: number;
}

/** Patterns, tried in this order at each place, and their replacements. */
const RULES: readonly (readonly [RegExp, string])[] = [
  [/\\\\/y, STOP],
  [/\\[[\]()]|\$\$/y, STOP],
  [/\\(?:times|cdot|ast)(?![a-zA-Z])|[×·⋅∙]/y, "*"],
  [/\\div(?![a-zA-Z])|÷/y, "/"],
  [/[−–]/y, "-"],
  [/\\[dt]?frac(?![a-zA-Z])/y, FRACTION],
  [/\\sqrt(?=\{)/y, ROOT],
  [/\\!/y, ""],
  [/\{,\}/y, ","],
  [/\\boxed(?=\{)/y, ""],
  [/\\(?:left|right|displaystyle|text|mathrm|textbf)(?![a-zA-Z])|\\[,;: $]|[$&`\u00a0\u202f]/y, " "],
  [/\\(?:quad|qquad)(?![a-zA-Z])/y, STOP],
  [/\\(?:approx|equiv|sim|leq?|geq?|neq?|lt|gt|implies|iff|to|Rightarrow|rightarrow)(?![a-zA-Z])/y, RELATION],
  [/=>|->|<=|>=|!=|~=|[≈≠≤≥<>→⇒⟹≡~]/y, RELATION],
  [/\\[a-zA-Z]+/y, OPAQUE],
  [/²/y, "^2"],
  [/³/y, "^3"],
  [/(?<=[\d)])\*\*(?=[\d(])/y, "^"],
  [/\*\*/y, " "],
  [/(?<=\d)x(?=\d)/y, "*"],
  [/(?<=[\d)] )[x✕](?= [\d(])/y, "*"],
  [/==|=/y, "="],
  [/;/y, STOP],
  [/,(?=\s|$)/y, STOP],
  [/\.(?=\s|$)|\.\.+/y, STOP],
  [/:(?!\d)/y, STOP],
];

const CALL = /<calc>([^<]*)<\/calc>\s*<out>\s*([^<]*?)\s*<\/out>(\s+so(?: the answer is)?(?= -?\d))?/y;
const BULLET = /^\s*(?:[*+•]|\d+[.)]|#+)\s+/;

/**
 * One line of text.
 *
 * A call of a calculator, `7 * 35 <calc>7*35</calc><out>245</out> so 245`, becomes `7 * 35 = 245 = 245`. `own` says
 * whether the policy wrote a place; what it did not write is -1 in `places` in a calculator's result, and not
 * arithmetic elsewhere.
 */
export function readNotation(line: string, start: number, own: (place: number) => boolean): Notation {
  const places: number[] = [];
  const calls: ToolCall[] = [];
  let characters = "";
  const put = (text: string, place: number, step = 0): void => {
    for (let i = 0; i < text.length; i++) places.push(place < 0 ? -1 : place + i * step);
    characters += text;
  };
  for (let at = BULLET.exec(line)?.[0].length ?? 0; at < line.length; ) {
    CALL.lastIndex = at;
    const call = CALL.exec(line);
    if (call !== null) {
      const [all, query = "", result = "", restated] = call;
      const place = at + all.indexOf("<out>") + "<out>".length;
      put(" = ", start + at);
      calls.push({ at: characters.length, query, place: start + at + "<calc>".length });
      put(result, own(start + place) ? start + place : -1, 1);
      // What follows directly is not a digit of the result. It stands where the result ends, so that the result's
      // original words end there too.
      put(" ", start + place + result.length);
      if (restated !== undefined) put(" = ", start + at);
      at += all.length;
      continue;
    }
    if (!own(start + at)) {
      put(OPAQUE, start + at);
      at += 1;
      continue;
    }
    const rule = RULES.find(([pattern]) => {
      pattern.lastIndex = at;
      return pattern.test(line);
    });
    if (rule === undefined) put(line[at]!, start + at);
    else put(rule[1], start + at);
    at = rule === undefined ? at + 1 : rule[0].lastIndex;
  }
  const original = (from: number, to: number): string => {
    const [first, next] = [places[from] ?? -1, places[to] ?? start + line.length];
    return first < 0 || next < first
      ? characters.slice(from, to)
      : line
          .slice(first - start, next - start)
          .replaceAll(/<\/?(?:calc|out)>/g, "")
          .trim();
  };
  return { characters, places, calls, original };
}
