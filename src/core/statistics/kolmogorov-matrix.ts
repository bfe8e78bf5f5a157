/**
 * P(D_n < d) as an element of a matrix power: Durbin's matrix, after Marsaglia, Tsang and Wang, "Evaluating
 * Kolmogorov's distribution", Journal of Statistical Software 8 (2003).
 *
 * @module
 */

/** A number too small or large for a double: the elements times 2^exponent. */
interface Scaled {
  readonly elements: Float64Array;
  readonly exponent: number;
}

/**
 * n!/n^n times the middle element of H^n, where H has 2⌈nd⌉ − 1 rows; exact. Work grows as (nd)³ · log n.
 */
export function matrixCdf(d: number, n: number): number {
  const k = Math.ceil(n * d);
  const size = 2 * k - 1;
  const power = matrixPower({ elements: durbinMatrix(k, k - n * d), exponent: 0 }, size, n);
  let value = power.elements[(k - 1) * size + k - 1]!;
  let exponent = power.exponent;
  for (let i = 1; i <= n; i++) {
    value *= i / n;
    if (value < 2 ** -500) {
      value *= 2 ** 500;
      exponent -= 500;
    }
  }
  return value * 2 ** exponent;
}

/** H[i][j] = 1/(i − j + 1)! on and below the first superdiagonal; the first column and last row lose powers of h. */
function durbinMatrix(k: number, h: number): Float64Array {
  const size = 2 * k - 1;
  const inverseFactorial = new Float64Array(size + 1).fill(1);
  for (let i = 1; i <= size; i++) inverseFactorial[i] = inverseFactorial[i - 1]! / i;
  const matrix = new Float64Array(size * size);
  const last = (size - 1) * size;
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= Math.min(i + 1, size - 1); j++) matrix[i * size + j] = inverseFactorial[i - j + 1]!;
  }
  for (let i = 0; i < size; i++) {
    const loss = h ** (i + 1) * inverseFactorial[i + 1]!;
    matrix[i * size]! -= loss;
    matrix[last + size - 1 - i]! -= loss;
  }
  if (h > 0.5) matrix[last]! += (2 * h - 1) ** size * inverseFactorial[size]!;
  return matrix;
}

function matrixPower(base: Scaled, size: number, n: number): Scaled {
  if (n === 1) return base;
  const root = matrixPower(base, size, Math.floor(n / 2));
  const square = product(root, root, size);
  return n % 2 === 0 ? square : product(square, base, size);
}

function product(a: Scaled, b: Scaled, size: number): Scaled {
  const elements = new Float64Array(size * size);
  let largest = 0;
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < size; k++) {
      const factor = a.elements[i * size + k]!;
      if (factor === 0) continue;
      for (let j = 0; j < size; j++) elements[i * size + j]! += factor * b.elements[k * size + j]!;
    }
    for (let j = 0; j < size; j++) largest = Math.max(largest, elements[i * size + j]!);
  }
  const shift = Math.floor(Math.log2(largest));
  for (let i = 0; i < elements.length; i++) elements[i]! *= 2 ** -shift;
  return { elements, exponent: a.exponent + b.exponent + shift };
}
