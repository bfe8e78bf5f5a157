/**
 * CSV (RFC 4180) that spreadsheets may open: text from data cannot run as formulas.
 *
 * @module
 */

/** What a spreadsheet reads as the start of a formula: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A line with its end. Missing values are empty, and empty text is in quotes; objects are JSON; text that a spreadsheet
 * would read as a formula gets an apostrophe before it, but a number written as text stays a number.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "object" ? JSON.stringify(value) : harmless(String(value));
  return /[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text;
}

function harmless(text: string): string {
  // Infinities are numbers too.
  return FORMULA.test(text) && !NUMBER.test(text) && text !== "-Infinity" ? `'${text}` : text;
}
