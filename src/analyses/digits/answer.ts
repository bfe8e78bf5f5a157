/**
 * The answer of a response, the ground truth as a number, and a comparison of the two.
 *
 * @module
 */
import type { NumberSpan, TokenSpan } from "./numbers.ts";
import type { DigitVocabulary } from "./vocabulary.ts";

/** A number as its decimal digits, so that rounding loses none. */
export interface Decimal {
  readonly digits: string;
  readonly fraction: number;
  readonly negative: boolean;
}

const NUMBER = /^([+-]?)(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;
const MARKERS = ["####", "\\boxed"];

/**
 * Ground truth as a number: what follows the last `####`, what is inside `\boxed{}`, or the whole text, without spaces,
 * currency and percent signs and a final full stop. Undefined if that is not a single decimal number (`3/4`, `x = 2`).
 */
export function parseTruth(text: string): Decimal | undefined {
  const behind = text.slice(text.lastIndexOf("####") < 0 ? 0 : text.lastIndexOf("####") + 4);
  const boxed = /\\boxed\s*\{([^{}]*)\}/.exec(behind)?.[1] ?? behind;
  const match = NUMBER.exec(boxed.replace(/[\s$€£%]|\\[$%]|\.\s*$/g, ""));
  if (!match) return undefined;
  const [, sign, integer = "", fraction = ""] = match;
  return {
    digits: integer.replaceAll(",", "") + fraction,
    fraction: fraction.length,
    negative: sign === "-",
  };
}

/**
 * The number that a response gives as its answer: the first after its last `####` or `\boxed` if the vocabulary has
 * texts and a number follows, else its last number.
 */
export function findAnswer(
  vocabulary: DigitVocabulary,
  span: TokenSpan,
  numbers: readonly NumberSpan[],
): NumberSpan | undefined {
  const marked = lastMarkerEnd(vocabulary, span);
  const behind = marked === undefined ? undefined : numbers.find(({ parts }) => parts[0]!.at >= marked);
  return behind ?? numbers.at(-1);
}

/** Index of the first token after the last marker. */
function lastMarkerEnd({ textOf }: DigitVocabulary, span: TokenSpan): number | undefined {
  if (!textOf) return undefined;
  const longest = Math.max(...MARKERS.map(({ length }) => length));
  let text = "";
  for (let t = span.end - 1; t >= span.start; t--) {
    const piece = span.mask[t] === 0 ? "\n" : textOf(span.ids[t]!);
    text = piece + text.slice(0, longest - 1);
    const at = Math.max(...MARKERS.map((marker) => text.lastIndexOf(marker)));
    if (at < 0) continue;
    const length = MARKERS.find((marker) => text.startsWith(marker, at))!.length;
    // The marker begins in this token; count the tokens it extends into.
    let [end, covered] = [t + 1, piece.length];
    while (covered < at + length && end < span.end) covered += textOf(span.ids[end++]!).length;
    return end;
  }
  return undefined;
}

export interface PlaceComparison {
  readonly place: number;
  /** Undefined if the number has no digit at this place. */
  readonly answer: number | undefined;
  readonly truth: number;
  readonly right: boolean;
}

export interface NumberComparison {
  readonly right: boolean;
  /** |answer − truth|. */
  readonly distance: number;
  /** From the highest place of either number down to the lowest. */
  readonly places: readonly PlaceComparison[];
}

/**
 * Compares digit by digit, outwards from the decimal point, over the places of either number: a digit of the truth that
 * the answer lacks is wrong unless it is an insignificant zero, and so is an extra digit.
 */
export function compareNumbers(answer: Decimal, truth: Decimal): NumberComparison {
  const high = Math.max(answer.digits.length - answer.fraction, truth.digits.length - truth.fraction);
  const low = -Math.max(answer.fraction, truth.fraction);
  const places: PlaceComparison[] = [];
  for (let place = high - 1; place >= low; place--) {
    const [own, wanted] = [digitAt(answer, place), digitAt(truth, place) ?? 0];
    places.push({ place, answer: own, truth: wanted, right: (own ?? 0) === wanted });
  }
  const sameSign = answer.negative === truth.negative || /^0*$/.test(answer.digits);
  return {
    right: sameSign && places.every(({ right }) => right),
    distance: Math.abs(numericValue(answer) - numericValue(truth)),
    places,
  };
}

/** The digit at a power of ten; undefined beyond the number's digits. */
function digitAt({ digits, fraction }: Decimal, place: number): number | undefined {
  const digit = digits[digits.length - fraction - 1 - place];
  return digit === undefined ? undefined : Number(digit);
}

function numericValue(number: Decimal): number {
  return Number(formatDecimal(number));
}

export function formatDecimal({ digits, fraction, negative }: Decimal): string {
  const point = digits.length - fraction;
  return `${negative ? "-" : ""}${digits.slice(0, point)}${fraction > 0 ? `.${digits.slice(point)}` : ""}`;
}
