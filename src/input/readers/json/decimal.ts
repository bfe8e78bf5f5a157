/**
 * Decimal to binary: the double nearest to `digits * 10^exponent`, without making a string.
 *
 * Up to 18 significant digits come in as two integers of at most nine digits each. If the quotient of two exact
 * doubles is already the answer (Clinger 1990, "How to read floating point numbers accurately") it is used; else the
 * quotient is corrected by its exact remainder (Dekker's product, 1971) and accepted only if both ends of the error
 * interval round to the same double. The rest, a few in 10^13, goes to `Number(text)`.
 *
 * @module
 */

/** `10^k` as the nearest double; exact up to k = 22. */
const POWERS = Float64Array.from({ length: 310 }, (_, k) => (k < 309 ? Number(`1e${k}`) : Infinity));

/** 2^27 + 1, Veltkamp's constant: splits a double into two halves whose products are exact. */
const SPLITTER = 134217729;
const EXACT_POWER = 22;
/** Beyond this the remainder of the smallest quotient would leave the normal range. */
const LAST_POWER = 250;
const POWER_REST = Float64Array.from({ length: LAST_POWER + 1 }, (_, k) =>
  k <= EXACT_POWER ? 0 : Number(10n ** BigInt(k) - BigInt(POWERS[k]!)),
);
const POWER_HIGH = POWERS.slice(0, LAST_POWER + 1).map((p) => {
  const t = SPLITTER * p;
  return t - (t - p);
});
const POWER_LOW = POWER_HIGH.map((high, k) => POWERS[k]! - high);
const ERROR_BOUND = 2 ** -100;

/**
 * The double nearest to `(high * 10^lowDigits + low) * 10^exponent`; NaN when this method cannot decide.
 *
 * @param high the first digits, an integer below 10^9
 * @param low the digits after them, an integer below `10^lowDigits`
 * @param lowDigits 0 to 9
 */
export function decimalToDouble(high: number, low: number, lowDigits: number, exponent: number): number {
  // Both products are exact: 10^9 has a 21-bit odd part, and high has at most 30 bits.
  const a = high * POWERS[lowDigits]!;
  const w = a + low;
  // One correctly rounded addition of two exact numbers.
  if (exponent === 0 || w === 0) return w;
  if (exponent > 0)
    return exponent <= EXACT_POWER && w <= Number.MAX_SAFE_INTEGER ? w * POWERS[exponent]! : NaN;
  const k = -exponent;
  if (w <= Number.MAX_SAFE_INTEGER && k <= EXACT_POWER) return w / POWERS[k]!;
  if (k > LAST_POWER) return NaN;
  const rest = low - (w - a);
  const power = POWERS[k]!;
  const q = w / power;
  const t = SPLITTER * q;
  const qHigh = t - (t - q);
  const qLow = q - qHigh;
  const pHigh = POWER_HIGH[k]!;
  const pLow = POWER_LOW[k]!;
  const product = q * power;
  const productError = qHigh * pHigh - product + qHigh * pLow + qLow * pHigh + qLow * pLow;
  const remainder = w - product - productError + rest - q * POWER_REST[k]!;
  const correction = remainder / power;
  const bound = q * ERROR_BOUND;
  const lower = q + (correction - bound);
  return lower === q + (correction + bound) ? lower : NaN;
}
