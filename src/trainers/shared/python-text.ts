/**
 * Numbers as Python reads and writes them, for trainers whose settings are Python text and whose error messages quote it.
 *
 * @module
 */

const FLOAT = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i;

/** `float(text)`; undefined if Python raises ValueError. */
export function parsePythonFloat(text: string): number | undefined {
  const trimmed = text.trim();
  if (FLOAT.test(trimmed)) return Number(trimmed.replaceAll("_", ""));
  const special = SPECIAL.exec(trimmed);
  if (!special) return undefined;
  if (special[2]!.toLowerCase() === "nan") return Number.NaN;
  return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** `repr(float(value))`: 2.0, 1e-05, inf. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  if (Object.is(value, -0)) return "-0.0";
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
