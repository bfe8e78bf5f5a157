import type { BaselineReading, ReadingLevel, VerdictLevel } from "../../protocol/report.ts";

/** From bit for bit equal to unusable. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

export function severityOf(level: ReadingLevel): number {
  return LEVELS.indexOf(level);
}

/** The level as a word in capitals, for readers who see no colour. */
export function verdictWord(level: VerdictLevel): string {
  if (level === "none") return "NO MISMATCH";
  return level === "too_few" ? "TOO FEW TO SAY" : level.toUpperCase();
}

/** The worst reading of each metric, in the order in which metrics are first read. */
export function worstReadings(readings: readonly BaselineReading[]): Map<string, BaselineReading> {
  const worst = new Map<string, BaselineReading>();
  for (const reading of readings) {
    const before = worst.get(reading.metric);
    if (before === undefined || severityOf(reading.level) > severityOf(before.level))
      worst.set(reading.metric, reading);
  }
  return worst;
}
