import type { BaselineReading, ReadingLevel, Verdict } from "../../results/index.ts";

/** From bit for bit equal to unusable. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

export function rankSeverity(level: ReadingLevel): number {
  return LEVELS.indexOf(level);
}

/** The level in capitals, for readers who see no color; what else it may be is in the sentence. */
export function verdictWord({ level }: Pick<Verdict, "level">): string {
  if (level === "none") return "NO MISMATCH";
  return level === "too_few" ? "TOO FEW TO SAY" : level.toUpperCase();
}

/** The worst reading of each metric, in the order in which metrics are first read. */
export function worstReadings(readings: readonly BaselineReading[]): Map<string, BaselineReading> {
  const worst = new Map<string, BaselineReading>();
  for (const reading of readings) {
    const before = worst.get(reading.metric);
    if (before === undefined || rankSeverity(reading.level) > rankSeverity(before.level))
      worst.set(reading.metric, reading);
  }
  return worst;
}
