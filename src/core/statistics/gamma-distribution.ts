/**
 * The gamma distribution with scale 1, which is also that of half a chi-squared variable.
 *
 * @module
 */

/** P(X ≤ x) for shape a > 0: the series of γ(a, x) below a + 1, Lentz's continued fraction of Γ(a, x) above (DLMF 8.11.4, 8.9.2). */
export function gammaCdf(x: number, a: number): number {
  if (!(a > 0) || Number.isNaN(x)) return Number.NaN;
  if (x <= 0) return 0;
  if (x === Number.POSITIVE_INFINITY) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; term > sum * 2 ** -53 && n < 1e6; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return front * sum;
  }
  let b = x + 1 - a;
  let c = 1 / 1e-300;
  let d = 1 / b;
  let value = d;
  for (let i = 1; i < 1e6; i++) {
    const an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b || 1e-300);
    c = b + an / c || 1e-300;
    value *= d * c;
    if (Math.abs(d * c - 1) < 2 ** -52) break;
  }
  return 1 - front * value;
}

/** The x with P(X ≤ x) = p, by bisection of log x: a hundred steps reach the last bit from anywhere. */
export function gammaQuantile(p: number, a: number): number {
  if (!(a > 0) || !(p >= 0 && p <= 1)) return Number.NaN;
  if (p === 0) return 0;
  if (p === 1) return Number.POSITIVE_INFINITY;
  let low = -700 / Math.min(a, 1);
  let high = Math.log(a + 50 * Math.sqrt(a) + 800);
  for (let step = 0; step < 100 && high - low > 1e-15 * Math.abs(high); step++) {
    const middle = (low + high) / 2;
    if (gammaCdf(Math.exp(middle), a) < p) low = middle;
    else high = middle;
  }
  return Math.exp((low + high) / 2);
}

/** log Γ(a) for a > 0: Stirling's series from 15 upwards (DLMF 5.11.1), below by Γ(a + 1) = a · Γ(a). */
function logGamma(a: number): number {
  let product = 1;
  let shifted = a;
  for (; shifted < 15; shifted++) product *= shifted;
  const r = 1 / shifted;
  const r2 = r * r;
  const series =
    r * (1 / 12 - r2 * (1 / 360 - r2 * (1 / 1260 - r2 * (1 / 1680 - r2 * (1 / 1188 - (r2 * 691) / 360360)))));
  return (
    (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product)
  );
}
