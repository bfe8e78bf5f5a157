/**
 * The distribution of the one-sided statistic D_n⁺.
 *
 * @module
 */

/** From here on the sum's terms are so smooth a function of their number that every s-th, times s, gives the same. */
const TERMS = 1 << 14;

/**
 * P(D_n⁺ ≥ d) = Σ over j ≤ n(1 − d) of d/(d + j/n) · Binomial(j; n, d + j/n) (Birnbaum and Tingey 1951), 0 < d < 1.
 *
 * All terms are positive. Each binomial probability is Loader's (2000): Stirling's formula with its error, so that
 * nothing large cancels: √(n / (2πjm)) · e^(δ(n) − δ(j) − δ(m)) · (1 + nd/j)^j · (1 − nd/m)^m, m = n − j.
 */
export function smirnovTail(d: number, n: number): number {
  const reach = n * d;
  const last = Math.floor(n - reach);
  const stride = Math.max(1, Math.floor(n / TERMS));
  const errorOfN = stirlingError(n);
  let sum = stride === 1 ? Math.exp(n * Math.log1p(-d)) : 0;
  for (let j = stride; j <= last; j += stride) {
    const m = n - j;
    if (m <= reach) continue;
    const exponent = j * Math.log1p(reach / j) + m * Math.log1p(-reach / m);
    const errors = errorOfN - stirlingError(j) - stirlingError(m);
    sum += (reach / (reach + j)) * Math.exp(exponent + errors) * Math.sqrt(n / (2 * Math.PI * j * m));
  }
  return sum * stride;
}

const SMALL = 16;
const SMALL_ERRORS = smallErrors();

/** δ(n) = ln n! − ln(√(2πn) · (n/e)^n). */
function stirlingError(n: number): number {
  if (n < SMALL) return SMALL_ERRORS[n]!;
  const r = 1 / (n * n);
  return (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360)))))) / n;
}

function smallErrors(): Float64Array {
  const errors = new Float64Array(SMALL);
  let factorial = 1;
  for (let n = 1; n < SMALL; n++) {
    factorial *= n;
    errors[n] = Math.log(factorial) - 0.5 * Math.log(2 * Math.PI * n) - n * (Math.log(n) - 1);
  }
  return errors;
}
