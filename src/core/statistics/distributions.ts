/**
 * Two-sided tail probabilities of the normal and the Student t distribution: small ones are summed directly, not as 1 −
 * CDF, so that they are accurate to about 1e-11 relative down to 1e-300.
 *
 * @module
 */

/** P(|Z| > 1.959964) = 0.05 for the standard normal distribution. */
export const NORMAL_95 = 1.959963984540054;

/** From here on Student's t is a transformed normal distribution. */
const MANY_DEGREES = 1e5;

const TINY = 1e-300;
const PRECISION = 2 ** -53;

/**
 * P(|Z| > |z|) for the standard normal distribution.
 *
 * Below 2 from the series P(|Z| < z) = √(2/π) · e^(−z²/2) · Σ z^(2k+1) / (1·3·5···(2k+1)), above from the continued
 * fraction √(2/π) · e^(−z²/2) / (z + 1/(z + 2/(z + 3/(z + …)))): Abramowitz and Stegun 26.2.11 and 26.2.14.
 */
export function normalTail(z: number): number {
  const distance = Math.abs(z);
  if (Number.isNaN(z)) return Number.NaN;
  const density = Math.sqrt(2 / Math.PI) * Math.exp(-(distance * distance) / 2);
  if (density === 0) return 0;
  if (distance < 2) {
    let term = distance;
    let sum = distance;
    for (let k = 3; term > sum * PRECISION; k += 2) {
      term *= (distance * distance) / k;
      sum += term;
    }
    return 1 - density * sum;
  }
  return density / continuedFraction(distance, (k) => k, distance);
}

/**
 * P(|T| > |t|) for Student's t distribution, which is the regularised incomplete beta function I_x(ν/2, ½) at
 * x = ν / (ν + t²). Abramowitz and Stegun 26.7.1 and 26.5.8 (the continued fraction).
 *
 * @param degreesOfFreedom ν > 0, not necessarily whole.
 */
export function studentTail(t: number, degreesOfFreedom: number): number {
  if (Number.isNaN(t) || !(degreesOfFreedom > 0)) return Number.NaN;
  if (t === 0) return 1;
  if (degreesOfFreedom >= MANY_DEGREES) return normalTail(hillQuantile(Math.abs(t), degreesOfFreedom));
  const a = degreesOfFreedom / 2;
  const odds = (t / degreesOfFreedom) * t;
  if (odds === Number.POSITIVE_INFINITY) return 0;
  const x = 1 / (1 + odds);
  const y = odds / (1 + odds);
  // x^a · y^½ / B(a, ½)
  const front = Math.exp(-a * Math.log1p(odds)) * Math.sqrt(y / Math.PI) * gammaRatio(a);
  if (front === 0) return 0;
  return x < (a + 1) / (a + 2.5)
    ? (front / a) * betaFraction(x, a, 0.5)
    : 1 - front * 2 * betaFraction(y, 0.5, a);
}

/**
 * The t with P(|T| > t) = 0.05.
 *
 * The tail is convex in t > 0, so Newton's steps from the normal quantile, which lies below, approach from one side.
 */
export function studentQuantile95(degreesOfFreedom: number): number {
  if (!(degreesOfFreedom > 0)) return Number.NaN;
  const peak = gammaRatio(degreesOfFreedom / 2) / Math.sqrt(degreesOfFreedom * Math.PI);
  let t = NORMAL_95;
  for (let step = 0; step < 100; step++) {
    const density = peak * Math.exp((-(degreesOfFreedom + 1) / 2) * Math.log1p((t * t) / degreesOfFreedom));
    const move = (studentTail(t, degreesOfFreedom) - 0.05) / (2 * density);
    t += move;
    if (Math.abs(move) < 1e-12 * t) break;
  }
  return t;
}

/**
 * Γ(a + ½) / Γ(a) for a > 0: its expansion √a · (1 − 1/8a + 1/128a² + …) from 30 upwards (Tricomi and Erdélyi 1951),
 * below through Γ(a + 1) = a · Γ(a), as differences of log-gammas would lose digits.
 */
export function gammaRatio(a: number): number {
  let factor = 1;
  let shifted = a;
  for (; shifted < 30; shifted++) factor *= shifted / (shifted + 0.5);
  const r = 1 / shifted;
  const series =
    1 +
    r *
      (-1 / 8 +
        r * (1 / 128 + r * (5 / 1024 + r * (-21 / 32768 + r * (-399 / 262144 + r * (869 / 4194304))))));
  return factor * Math.sqrt(shifted) * series;
}

/**
 * The normal z whose tail is that of Student's t, to 2 % of its logarithm: Wallace, Annals of Mathematical Statistics 30
 * (1959), p. 1121.
 *
 * @param degreesOfFreedom ν ≥ 1
 */
export function studentAsNormal(t: number, degreesOfFreedom: number): number {
  const factor = (8 * degreesOfFreedom + 1) / (8 * degreesOfFreedom + 3);
  return Math.sign(t) * factor * Math.sqrt(degreesOfFreedom * Math.log1p((t / degreesOfFreedom) * t));
}

/**
 * The normal quantile with the same tail as t, after Hill, "Algorithm 395: Student's t-distribution" (1970), whose next
 * term is below 1e-11 of the tail down to 1e-300 from {@link MANY_DEGREES} on. There the beta function is
 * ill-conditioned: x is so close to 1 that its rounding matters.
 */
function hillQuantile(t: number, degreesOfFreedom: number): number {
  const a = degreesOfFreedom - 0.5;
  const y = Math.sqrt(a * Math.log1p((t / degreesOfFreedom) * t));
  return y + (y ** 3 + 3 * y) / (48 * a * a);
}

/** The continued fraction of a · B(a, b) · I_x(a, b) / (x^a (1−x)^b); it converges fast for x < (a + 1) / (a + b + 2). */
function betaFraction(x: number, a: number, b: number): number {
  const coefficient = (k: number): number => {
    const m = k >> 1;
    return k % 2 === 0
      ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
      : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
  };
  return 1 / continuedFraction(1, coefficient, 1);
}

/** start + c(1)/(step + c(2)/(step + …)), by Lentz's method as modified by Thompson and Barnett (1986). */
function continuedFraction(start: number, coefficient: (k: number) => number, step: number): number {
  let value = start;
  let upper = start;
  let lower = 0;
  for (let k = 1; k < 1e6; k++) {
    const c = coefficient(k);
    lower = 1 / (step + c * lower || TINY);
    upper = step + c / upper || TINY;
    const factor = upper * lower;
    value *= factor;
    if (Math.abs(factor - 1) <= 2 * PRECISION) break;
  }
  return value;
}
