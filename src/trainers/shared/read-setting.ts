import { UsageError } from "../../core/base/index.ts";
import type { Bounds } from "../neutral/correction.ts";
import type { Settings } from "./preset.ts";

/** A completed setting as a number, undefined for the trainer's None. */
export function readNumber(settings: Settings, name: string): number | undefined {
  const value = settings[name];
  return typeof value === "number" ? value : undefined;
}

/**
 * A completed setting that cannot be None.
 *
 * @throws UsageError when it is None.
 */
export function requiredNumber(preset: string, settings: Settings, name: string): number {
  const value = readNumber(settings, name);
  if (value === undefined) throw new UsageError(`${preset}: ${name} is a number, not None`);
  return value;
}

/** Bounds with only the given sides. */
export function makeBounds(lower: number | undefined, upper: number | undefined): Bounds {
  return { ...(lower !== undefined && { lower }), ...(upper !== undefined && { upper }) };
}

/**
 * Bounds on exp(clamp(x, ±limit)) as bounds on exp x: a side that cannot bind because of the clamp is dropped;
 * undefined when none remains.
 */
export function boundsOfClamped(
  lower: number | undefined,
  upper: number | undefined,
  limit: number,
): Bounds | undefined {
  const least = lower !== undefined && lower > Math.exp(-limit) ? lower : undefined;
  const most = upper !== undefined && upper < Math.exp(limit) ? upper : undefined;
  return least === undefined && most === undefined ? undefined : makeBounds(least, most);
}
