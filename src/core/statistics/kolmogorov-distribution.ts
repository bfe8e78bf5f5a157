/**
 * The distribution of Kolmogorov's one-sample statistic D_n, by the method that suits n and d best: the regions are
 * those of Simard and L'Ecuyer, "Computing the two-sided Kolmogorov-Smirnov distribution", Journal of Statistical
 * Software 39 (2011), as in scipy.
 *
 * @module
 */
import { matrixCdf } from "./kolmogorov-matrix.ts";
import { smirnovTail } from "./smirnov.ts";

/** P(D_n ≥ d); NaN unless n is a positive integer. */
export function kolmogorovTail(d: number, n: number): number {
  if (!(Number.isInteger(n) && n >= 1) || Number.isNaN(d)) return Number.NaN;
  const reach = n * d;
  const scaled = reach * d;
  if (reach <= 0.5) return 1;
  if (d >= 1) return 0;
  if (reach <= 1) return 1 - smallestCdf(reach, n);
  // This far out D_n⁺ and D_n⁻ do not both reach d: exactly so from d = ½, else up to about e^(−6nd²).
  if (d >= 0.5 || scaled >= (n <= 140 ? 4 : 2.2)) return Math.min(1, 2 * smirnovTail(d, n));
  const cdf = n <= 140 || (n <= 100_000 && n * d ** 1.5 <= 1.4) ? matrixCdf(d, n) : pelzGoodCdf(d, n);
  return Math.max(0, Math.min(1, 1 - cdf));
}

/** For ½ < nd ≤ 1 (Ruben and Gambino 1982): n! · (2d − 1/n)^n. */
function smallestCdf(reach: number, n: number): number {
  let product = 1;
  for (let k = 1; k <= n && product > 0; k++) product *= (k / n) * (2 * reach - 1);
  return product;
}

/**
 * Pelz and Good's expansion (J. R. Statist. Soc. B 38, 1976) of P(D_n < d) at z = √n·d: K0(z) + K1(z)/√n + K2(z)/n +
 * K3(z)/n^1.5, where K0 is Kolmogorov's limit.
 */
function pelzGoodCdf(d: number, n: number): number {
  const z = Math.sqrt(n) * d;
  const z2 = z * z;
  const z4 = z2 * z2;
  const z6 = z4 * z2;
  const k = [0, 0, 0, 0] as [number, number, number, number];
  for (let i = 0; i < 40; i++) {
    // Terms of k and −k together: h² = π²(i + ½)² and w² = π²i².
    const h2 = (Math.PI * (i + 0.5)) ** 2;
    const half = 2 * Math.exp(-h2 / (2 * z2));
    const w2 = (Math.PI * i) ** 2;
    const whole = 2 * Math.exp(-w2 / (2 * z2));
    k[0] += half;
    k[1] += half * (h2 - z2);
    k[2] += half * (6 * z6 + 2 * z4 + h2 * (2 * z4 - 5 * z2) + h2 * h2 * (1 - 2 * z2)) - 2 * z4 * w2 * whole;
    k[3] +=
      half *
        (h2 ** 3 * (5 - 30 * z2) +
          h2 * h2 * (-60 * z2 + 212 * z4) +
          h2 * (135 * z4 - 96 * z6) -
          30 * z6 -
          90 * z4 * z4) +
      30 * z4 * whole * (3 * w2 * z2 - w2 * w2);
  }
  return (
    Math.sqrt(Math.PI / 2) *
    (k[0] / z +
      k[1] / (6 * z4 * Math.sqrt(n)) +
      k[2] / (72 * z6 * z * n) +
      k[3] / (6480 * z6 * z4 * n * Math.sqrt(n)))
  );
}
