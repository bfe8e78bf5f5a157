/**
 * Arithmetic with plain numbers, read from a notation in which an operator is one character: `+ - * / ^`, brackets `(
 * )` and `{ }`, {@link FRACTION} and {@link ROOT} before their groups. Anything else is not arithmetic.
 *
 * @module
 */

/** Stands before two groups: `\frac{1}{2}`. */
export const FRACTION = "\ue000";
/** Stands before one group: `\sqrt{2}`. */
export const ROOT = "\ue001";

export interface Value {
  readonly value: number;
  /** How far off it may be because decimals in it were rounded: half a unit of their last place, propagated. */
  readonly uncertainty: number;
}

export interface Expression extends Value {
  /** Whether it is a single number, perhaps with a sign. */
  readonly plain: boolean;
  /** Digits after the point of a plain number. */
  readonly decimals: number;
  /** Values of other readings of the same characters. */
  readonly others: readonly Value[];
  /** Values of what stands before each operator outside brackets: `12 + 5 = 17 + 1 = 18` goes on from its result. */
  readonly heads: readonly Value[];
}

interface Part {
  readonly kind: "number" | "operator";
  readonly text: string;
}

/** Limit on numbers and operators; anything longer is not a statement, and would only cost time and depth. */
const LONGEST = 200;
const NUMBER = /^(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|^\.\d+/;
const OPERATORS = `+-*/^(){}${FRACTION}${ROOT}`;

/**
 * The value of an expression. Multiplication may be left out before and after brackets (`2(3 + 4)`), but not after a
 * division, where it means different things to different readers.
 *
 * `others` holds −2² squared before and after its sign, and the values of what follows each minus outside brackets, as
 * in `Step 1 - 40 + 65`, where the first number and the dash are not arithmetic.
 *
 * @returns undefined for text that is not arithmetic throughout, for values beyond 10¹⁵, where doubles no longer tell
 * integers apart, and for more than 200 numbers and operators.
 */
export function readExpression(text: string): Expression | undefined {
  const parts = split(text);
  if (parts === undefined || parts.length === 0 || parts.length > LONGEST) return undefined;
  const whole = evaluate(parts, false);
  if (whole === undefined || Math.abs(whole.value) > 1e15) return undefined;
  const others: Value[] = [];
  const signed = evaluate(parts, true);
  if (signed !== undefined) others.push(signed);
  const heads: Value[] = [];
  for (const { place, sign } of outerOperators(parts)) {
    const [head, tail] = [evaluate(parts.slice(0, place), false), evaluate(parts.slice(place + 1), false)];
    if (head !== undefined) heads.push(head);
    if (tail !== undefined && sign === "-") others.push(tail);
  }
  const last = parts[parts.length - 1]!;
  const plain =
    last.kind === "number" && (parts.length === 1 || (parts.length === 2 && parts[0]?.text === "-"));
  const decimals = plain ? (last.text.split(".")[1] ?? "").length : 0;
  return { ...whole, plain, decimals, others, heads };
}

function split(text: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const number = NUMBER.exec(rest)?.[0];
    if (number !== undefined) {
      parts.push({ kind: "number", text: number.replaceAll(",", "") });
      at += number.length;
    } else if (OPERATORS.includes(rest[0]!)) {
      parts.push({ kind: "operator", text: rest[0]! });
      at += 1;
    } else if (rest[0] === " ") at += 1;
    else return undefined;
  }
  return parts;
}

/** Operators `+ - * /` outside all brackets. */
function outerOperators(parts: readonly Part[]): { place: number; sign: string }[] {
  const result: { place: number; sign: string }[] = [];
  let depth = 0;
  parts.forEach(({ kind, text }, place) => {
    if (kind !== "operator") return;
    if ("({".includes(text)) depth++;
    else if (")}".includes(text)) depth--;
    else if (depth === 0 && "+-*/".includes(text)) result.push({ place, sign: text });
  });
  return result;
}

/** @param signFirst whether a leading minus belongs to the base of a power. */
function evaluate(parts: readonly Part[], signFirst: boolean): Value | undefined {
  const cursor: Cursor = { parts, at: 0, signFirst };
  const value = sum(cursor);
  return cursor.at === parts.length && value !== undefined && Number.isFinite(value.value)
    ? value
    : undefined;
}

interface Cursor {
  readonly parts: readonly Part[];
  at: number;
  readonly signFirst: boolean;
}

function peek(cursor: Cursor): string | undefined {
  const part = cursor.parts[cursor.at];
  return part?.kind === "operator" ? part.text : part && "number";
}

function take(cursor: Cursor, text: string): boolean {
  if (peek(cursor) !== text) return false;
  cursor.at += 1;
  return true;
}

function sum(cursor: Cursor): Value | undefined {
  let left = product(cursor);
  for (let sign = peek(cursor); left && (sign === "+" || sign === "-"); sign = peek(cursor)) {
    cursor.at += 1;
    const right = product(cursor);
    if (right === undefined) return undefined;
    const value = sign === "+" ? left.value + right.value : left.value - right.value;
    left = { value, uncertainty: left.uncertainty + right.uncertainty };
  }
  return left;
}

function product(cursor: Cursor): Value | undefined {
  let left = signedPower(cursor);
  let divided = false;
  let bracket = cursor.parts[cursor.at - 1]?.text === ")";
  while (left !== undefined) {
    const next = peek(cursor);
    const leftOut = next === "(" || (bracket && next === FRACTION);
    if (next === "*" || next === "/") cursor.at += 1;
    else if (!leftOut) return left;
    else if (divided) return undefined;
    const right = signedPower(cursor);
    if (right === undefined) return undefined;
    left = next === "/" ? quotient(left, right) : times(left, right);
    divided ||= next === "/";
    bracket = cursor.parts[cursor.at - 1]?.text === ")";
  }
  return left;
}

function signedPower(cursor: Cursor): Value | undefined {
  if (take(cursor, "+")) return signedPower(cursor);
  if (!take(cursor, "-")) return power(cursor, 1);
  if (cursor.signFirst) return power(cursor, -1);
  const value = signedPower(cursor);
  return value && { value: -value.value, uncertainty: value.uncertainty };
}

function power(cursor: Cursor, sign: 1 | -1): Value | undefined {
  const atom = operand(cursor);
  if (atom === undefined) return undefined;
  const base = { value: sign * atom.value, uncertainty: atom.uncertainty };
  if (!take(cursor, "^")) return base;
  const exponent = signedPower(cursor);
  if (exponent === undefined || exponent.uncertainty > 0) return undefined;
  const slope = exponent.value * base.value ** (exponent.value - 1);
  return {
    value: base.value ** exponent.value,
    uncertainty: base.uncertainty === 0 ? 0 : Math.abs(slope) * base.uncertainty,
  };
}

function operand(cursor: Cursor): Value | undefined {
  const part = cursor.parts[cursor.at];
  if (part?.kind === "number") {
    cursor.at += 1;
    const decimals = part.text.split(".")[1]?.length;
    return { value: Number(part.text), uncertainty: decimals === undefined ? 0 : 0.5 * 10 ** -decimals };
  }
  if (take(cursor, FRACTION)) {
    const above = group(cursor, "{", "}");
    const below = above && group(cursor, "{", "}");
    return below && above && quotient(above, below);
  }
  if (take(cursor, ROOT)) {
    const of = group(cursor, "{", "}");
    if (of === undefined) return undefined;
    const value = Math.sqrt(of.value);
    return { value, uncertainty: of.uncertainty === 0 ? 0 : of.uncertainty / (2 * value) };
  }
  return group(cursor, "(", ")") ?? group(cursor, "{", "}");
}

function group(cursor: Cursor, open: string, close: string): Value | undefined {
  if (!take(cursor, open)) return undefined;
  const value = sum(cursor);
  return value !== undefined && take(cursor, close) ? value : undefined;
}

function times(a: Value, b: Value): Value {
  const uncertainty =
    Math.abs(a.value) * b.uncertainty + Math.abs(b.value) * a.uncertainty + a.uncertainty * b.uncertainty;
  return { value: a.value * b.value, uncertainty };
}

function quotient(a: Value, b: Value): Value {
  const uncertainty = (Math.abs(a.value) * b.uncertainty + Math.abs(b.value) * a.uncertainty) / b.value ** 2;
  return { value: a.value / b.value, uncertainty };
}
