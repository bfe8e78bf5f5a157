import { UsageError } from "./errors.ts";

/** `1_000` is 1000. @throws UsageError if the value of a flag is anything else than a positive integer */
export function positiveInteger(flag: string, given: number | string): number {
  const value = Number(String(given).replaceAll("_", ""));
  if (!Number.isInteger(value) || value <= 0)
    throw new UsageError(`${flag} must be a positive integer, not "${given}"`);
  return value;
}
