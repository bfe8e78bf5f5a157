/**
 * Equations between plain numbers in a text, and those that do not hold.
 *
 * Stays silent when in doubt: a statement is judged only if both of its sides are arithmetic throughout and begin and
 * end where a statement can, and if nothing near it says that it is not meant as one.
 *
 * @module
 */
import { type Expression, readExpression, type Value } from "./expressions.ts";
import { type Notation, OPAQUE, RELATION, readNotation, STOP } from "./notation.ts";

export interface WrongEquation {
  /** The place in the text where it goes wrong: the first wrong character of the result. */
  readonly place: number;
  /** Where the result is announced: the `=` before it, or the call of the calculator. */
  readonly announced: number;
  /** A description of what is wrong, for people. */
  readonly how: string;
}

/** Matches statements that are asked, denied, supposed, rounded, or about some other arithmetic. */
const UNSURE =
  /\?|≠|≈|≡|%|°|!=|\\(?:neq?|approx|equiv|sim|bmod|pmod|mod)\b|\b(?:not|cannot|never|no|incorrect|wrong|false|fails?|contradict\w*|impossible|invalid|mod(?:ulo)?|remainder|base|approx\w*|about|roughly|round\w*|estimat\w*|nearest|if|suppose|assum\w*|try|trying|guess|instead|rather|mistake\w*|error|check(?:ing)?)\b|n['’]t\b/i;
/** The same, at the beginning of what follows a statement. */
const TAKEN_BACK =
  /^.{0,80}?(?:\b(?:not|cannot|incorrect|wrong|false|fails?|contradict\w*|impossible|invalid|mistake\w*|approx\w*)\b|n['’]t\b|≠)/i;
/** Words after which a number is a label or an argument, so that arithmetic does not begin there. */
const TAKES_NUMBER =
  /(?:^|[^a-z])(?:sin|cos|tan|cot|sec|csc|log|ln|lg|exp|sqrt|gcd|lcm|max|min|det|abs|floor|ceil|times|plus|minus|over|of|than|by|per|step|steps|case|part|problem|question|equation|example|day|year|chapter|number|line|row|column|between|from|half|twice|double|divided|multiplied|squared?|cubed?|factorial|negative|power|choose)$/i;
/** Words after a result that turn it into another quantity. */
const SCALES =
  /^(?:hundred|thousand|million|billion|trillion|dozen|hours?|hrs?|minutes?|mins?|seconds?|secs?|days?|weeks?|months?|years?|cents?|feet|foot|inch(?:es)?|yards?|miles?|k?m|cm|mm|kg|grams?|squared|cubed|factorial|times|plus|minus|divided|multiplied|over|mod|in|or|to|choose|am|pm|percent)\b/i;

/**
 * The first equation of a text that does not hold.
 *
 * Chains `a op b = c = d` are judged one link after another. A result that is the right value rounded or cut off at its
 * own last place holds (2/3 = 0.67 = 0.66 …), and so does one that the rounding of earlier decimals explains.
 *
 * @param own whether the policy itself wrote the character at a place; a tool's output is never at fault
 */
export function firstWrongEquation(text: string, own: (place: number) => boolean): WrongEquation | undefined {
  let start = 0;
  const lines = text.split("\n");
  for (const [number, line] of lines.entries()) {
    if (line.includes("=") || line.includes("<calc>")) {
      const found = line.includes("\ufffd") ? undefined : wrongIn(readNotation(line, start, own));
      if (found !== undefined && !UNSURE.test(line) && !TAKEN_BACK.test(after(lines, number))) return found;
    }
    start += line.length + 1;
  }
  return undefined;
}

/** The following lines that contain words. */
function after(lines: readonly string[], number: number): string {
  return lines
    .slice(number + 1, number + 5)
    .filter((line) => /[a-z]{2}/i.test(line))
    .slice(0, 1)
    .join(" ");
}

/** One side of an equation, or the part of it that is arithmetic. */
interface Side {
  /** Index into the line's characters. */
  readonly from: number;
  readonly to: number;
  readonly expression: Expression;
}

function wrongIn(notation: Notation): WrongEquation | undefined {
  const { characters } = notation;
  const statement = new RegExp(`[^${STOP}${RELATION}]+`, "g");
  for (const found of characters.matchAll(statement)) {
    let at = found.index;
    let left: Side | undefined;
    const pieces = found[0].split("=");
    for (const [number, piece] of pieces.entries()) {
      const last = number === pieces.length - 1;
      const right = number === 0 ? undefined : sideAtStart(characters, at, at + piece.length, last);
      const wrong = left && right && judge(notation, left, right);
      if (wrong !== undefined) {
        const sign = notation.places[at - 1]!;
        return { announced: sign < 0 ? wrong.place : Math.min(sign, wrong.place), ...wrong };
      }
      left = last ? undefined : sideAtEnd(characters, at, at + piece.length, number === 0);
      at += piece.length + 1;
    }
  }
  return undefined;
}

const ARITHMETIC = /[\d.,+\-*/^(){} \ue000\ue001]/;

/** The arithmetic at the end of a piece: all of it, or what follows a word. */
function sideAtEnd(characters: string, from: number, to: number, first: boolean): Side | undefined {
  let begin = to;
  while (begin > from && ARITHMETIC.test(characters[begin - 1]!)) begin--;
  const before = characters.slice(from, begin);
  if (begin > from) {
    if (
      !/(?:[a-z]{3}|\b(?:so|is|as|we|it|do))$/i.test(before.trimEnd()) ||
      before.includes(OPAQUE) ||
      TAKES_NUMBER.test(before.trimEnd())
    )
      return undefined;
    if (!/^(?: +| *\()-?[\d({\ue000\ue001]/.test(characters.slice(begin, to))) return undefined;
  } else if (!first && characters.slice(from, to).trim() === "") return undefined;
  return side(characters, begin, to, "end");
}

/** The arithmetic at the start of a piece: all of it, or up to a word after a space. */
function sideAtStart(characters: string, from: number, to: number, last: boolean): Side | undefined {
  let end = from;
  while (end < to && ARITHMETIC.test(characters[end]!)) end++;
  const rest = characters.slice(end, to);
  if (end < to) {
    const separated = characters[end - 1] === " ";
    if (!separated || !/^[a-z]{2}/i.test(rest) || SCALES.test(rest)) return undefined;
  } else if (last && /[*/^+-]\s*$/.test(characters.slice(from, end))) return undefined;
  return side(characters, from, end, "start");
}

/** The same without brackets that are not closed, or not opened, within it. */
function side(characters: string, from: number, to: number, anchor: "start" | "end"): Side | undefined {
  let [begin, end] = [from, to];
  if (anchor === "end") begin = Math.max(begin, unmatched(characters, begin, end, "(", ")", 1));
  else end = Math.min(end, unmatched(characters, begin, end, "(", ")", -1));
  while (begin < end && /[ ,]/.test(characters[begin]!)) begin++;
  while (end > begin && /[ ,.]/.test(characters[end - 1]!)) end--;
  const expression = readExpression(characters.slice(begin, end));
  return expression && { from: begin, to: end, expression };
}

/**
 * Forwards: the place after the last bracket that stays open. Backwards: the place of the first one that was never
 * opened.
 */
function unmatched(
  characters: string,
  from: number,
  to: number,
  open: string,
  close: string,
  way: 1 | -1,
): number {
  let depth = 0;
  if (way === 1) {
    for (let at = to - 1; at >= from; at--) {
      if (characters[at] === close) depth++;
      else if (characters[at] === open && --depth < 0) return at + 1;
    }
    return from;
  }
  for (let at = from; at < to; at++) {
    if (characters[at] === open) depth++;
    else if (characters[at] === close && --depth < 0) return at;
  }
  return to;
}

function judge(
  notation: Notation,
  left: Side,
  right: Side,
): (Omit<WrongEquation, "announced"> & { announced?: number }) | undefined {
  const { characters, places, calls } = notation;
  const fromTool = calls.some((call) => call.at >= left.from - 1 && call.at <= left.to);
  const call = calls.find((one) => one.at >= right.from - 1 && one.at <= right.to);
  if (left.expression.plain && !fromTool) return undefined;
  const values: Value[] = [left.expression, ...left.expression.others];
  if (values.some((value) => holds(value, right.expression))) return undefined;
  if (right.expression.heads.some((head) => holds(left.expression, { ...right.expression, ...head })))
    return undefined;
  const [said, stated] = [characters.slice(left.from, left.to), characters.slice(right.from, right.to)];
  if (call !== undefined && places[right.from] === -1) {
    const query = call.query;
    const [asked, meant] = [query.replaceAll(" ", ""), said.replaceAll(" ", "")];
    // The same question with a wrong result: the error is the tool's, not the text's.
    if (asked === meant) return undefined;
    const at = firstDifference(asked, meant);
    const place = call.place + findPlace(query, at);
    return {
      place,
      announced: call.place,
      how: `the calculator is asked ${query.trim()} where the text says ${said}`,
    };
  }
  const digits = stated.replaceAll(/[ ,]/g, "");
  const must = (right.expression.plain ? values : [left.expression])
    .map(({ value }) => written(value, right.expression.decimals))
    .reduce((best, one) => (firstDifference(digits, one) > firstDifference(digits, best) ? one : best));
  const how = `${notation.original(left.from, left.to)} = ${must}, not ${notation.original(right.from, right.to)}`;
  if (!right.expression.plain) return { place: places[right.from]!, how };
  const at = findPlace(stated.replaceAll(",", " "), firstDifference(digits, must));
  const inside = places[right.from + at];
  return {
    place: right.from + at < right.to ? (inside as number) : places[right.to - 1]! + 1,
    how,
  };
}

/** Whether `stated` is `value` rounded or cut off at its last place, allowing for what earlier rounding explains. */
function holds(value: Value, stated: Expression): boolean {
  const distance = Math.abs(value.value - stated.value);
  const rounding = 1e-9 * Math.max(1, Math.abs(value.value));
  const unit = stated.plain ? 10 ** -stated.decimals : 0;
  const whole = Math.abs(value.value / unit - Math.round(value.value / unit)) < 1e-9;
  if (distance <= rounding || (unit > 0 && !whole && distance < unit)) return true;
  const inexact = value.uncertainty > 0 || stated.uncertainty > 0;
  return inexact && distance <= value.uncertainty + Math.max(stated.uncertainty, unit / 2);
}

/** A number with as many decimals as stated, or with all of them if those are too few. */
function written(value: number, decimals: number): string {
  const rounded = value.toFixed(decimals);
  return Math.abs(Number(rounded) - value) <= 1e-9 * Math.max(1, Math.abs(value))
    ? rounded
    : String(Number(value.toPrecision(10)));
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** The index of the n-th character that is not a space; the length if there are fewer. */
function findPlace(text: string, n: number): number {
  let seen = -1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== " ") seen++;
    if (seen === n) return at;
  }
  return text.length;
}
