/**
 * Shares as per cent: never "0 %" of what is not nothing, never "100 %" of what is not all.
 *
 * @module
 */

/** A fraction of 1 with a fixed number of decimals: `12.3 %`, `<0.1 %`, `>99.9 %`, and `0.0 %` or `100.0 %` where that is exact. */
export function percentFixed(fraction: number, decimals: number): string {
  const step = 10 ** -decimals;
  const text = (fraction * 100).toFixed(decimals);
  if (fraction !== 0 && Number(text) === 0) return `<${step.toFixed(decimals)} %`;
  if (fraction < 1 && Number(text) >= 100) return `>${(100 - step).toFixed(decimals)} %`;
  return `${text} %`;
}

/** A fraction of 1 with so many significant digits, zeros at the end left out: `12 %`, `0.012 %`, `>99 %`. */
export function percent(fraction: number, digits = 2): string {
  const rounded = Number((fraction * 100).toPrecision(digits));
  return fraction < 1 && rounded >= 100 ? percentFixed(fraction, digits - 2) : `${rounded} %`;
}
