/**
 * Runs of digit tokens read as numbers, by place value.
 *
 * @module
 */
import type { DigitVocabulary } from "./vocabulary.ts";

/** A token of a number, single-digit or longer. */
export interface NumberPart {
  /** Index into the token array. */
  readonly at: number;
  readonly digits: string;
  /** Power of ten of its last digit: 0 for units, -1 for tenths. */
  readonly place: number;
}

export interface NumberSpan {
  readonly parts: readonly NumberPart[];
  /** All digits in order, without separators; the last `fraction` of them are decimals. */
  readonly digits: string;
  readonly fraction: number;
  readonly negative: boolean;
}

export interface TokenSpan {
  readonly ids: ArrayLike<number>;
  /** 1 for the policy's own tokens; tokens with 0 are not part of a number and end one. */
  readonly mask: ArrayLike<number>;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the numbers of one sequence. A number is a run of digit tokens; a token with a leading space begins a new run.
 * If the vocabulary has texts, `.` between two runs makes the second a fraction, `,` before exactly three digits groups
 * thousands, and `-` that does not follow a digit, a letter or a bracket is a sign; without texts, every run is a
 * number.
 */
export function findNumbers(vocabulary: DigitVocabulary, span: TokenSpan): NumberSpan[] {
  const { ids, mask, start, end } = span;
  const runs: Run[] = [];
  let previous = -2;
  for (let t = start; t < end; t++) {
    const token = mask[t] === 0 ? undefined : vocabulary.tokens.get(ids[t]!);
    if (!token) continue;
    if (previous === t - 1 && !token.spaced) runs[runs.length - 1]!.tokens.push([t, token.digits]);
    else runs.push({ tokens: [[t, token.digits]], spaced: token.spaced });
    previous = t;
  }
  const textAt = (t: number): string | undefined =>
    t < start || t >= end || mask[t] === 0 ? undefined : vocabulary.textOf?.(ids[t]!);
  return joined(runs, textAt);
}

interface Run {
  readonly tokens: [number, string][];
  readonly spaced: boolean;
}

type TextAt = (t: number) => string | undefined;

function joined(runs: readonly Run[], textAt: TextAt): NumberSpan[] {
  const numbers: NumberSpan[] = [];
  for (let r = 0; r < runs.length; ) {
    const first = runs[r]!;
    let last = r;
    const separated = (text: string): boolean => {
      const [from, to] = [runs[last]!, runs[last + 1]];
      if (!to || to.spaced) return false;
      const gap = from.tokens.at(-1)![0] + 1;
      return to.tokens[0]![0] === gap + 1 && textAt(gap) === text;
    };
    if (measureLength(first) <= 3) while (separated(",") && measureLength(runs[last + 1]!) === 3) last++;
    const integers = runs.slice(r, last + 1);
    const fractions = separated(".") ? [runs[++last]!] : [];
    numbers.push(buildNumber(integers, fractions, isNegative(first, textAt)));
    r = last + 1;
  }
  return numbers;
}

function buildNumber(integers: readonly Run[], fractions: readonly Run[], negative: boolean): NumberSpan {
  const fraction = fractions.reduce((sum, run) => sum + measureLength(run), 0);
  const tokens = [...integers, ...fractions].flatMap((run) => run.tokens);
  const digits = tokens.map(([, text]) => text).join("");
  let place = digits.length - fraction;
  const parts = tokens.map(([at, text]) => {
    place -= text.length;
    return { at, digits: text, place };
  });
  return { parts, digits, fraction, negative };
}

function isNegative(run: Run, textAt: TextAt): boolean {
  const at = run.tokens[0]![0];
  if (run.spaced) return false;
  const sign = textAt(at - 1);
  if (sign === undefined || !/(^|[\s(=:$[{])-$/.test(sign)) return false;
  return sign !== "-" || !/[\p{L}\p{N})\]}]$/u.test(textAt(at - 2) ?? "");
}

function measureLength(run: Run): number {
  return run.tokens.reduce((sum, [, text]) => sum + text.length, 0);
}
