import type { BaselineReading, ReadingLevel } from "../../results/report.ts";

/** From bit-for-bit equal to unusable. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

export function rankSeverity(level: ReadingLevel): number {
  return LEVELS.indexOf(level);
}

/** The worst reading of each metric, ordered by the first reading of the metric. */
export function worstReadings(readings: readonly BaselineReading[]): Map<string, BaselineReading> {
  const worst = new Map<string, BaselineReading>();
  for (const reading of readings) {
    const before = worst.get(reading.metric);
    if (before === undefined || rankSeverity(reading.level) > rankSeverity(before.level))
      worst.set(reading.metric, reading);
  }
  return worst;
}
