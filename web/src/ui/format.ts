/**
 * Numbers as the page shows them: short, with a true minus sign, "–" for what is missing.
 *
 * @module
 */

export const MISSING = "–";

/** Three significant digits: `0.0213`, `1.2e−5`, `∞`. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size < 1e-3 || size >= 1e6 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  return trueMinus(text.includes("e") ? Number(text).toExponential() : String(Number(text)));
}

/** With its sign: `+0.42`, `−1.3`; zero has none. */
export function formatSigned(value: number | null | undefined, digits = 3): string {
  const text = formatNumber(value, digits);
  return value !== null && value !== undefined && value > 0 ? `+${text}` : text;
}

/** `25,257`. */
export function formatCount(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value)
    ? MISSING
    : trueMinus(value.toLocaleString("en-US"));
}

/** `1 token`, `25,257 tokens`. */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? "" : "s"}`;
}

function trueMinus(text: string): string {
  return text.replaceAll("-", "−");
}
