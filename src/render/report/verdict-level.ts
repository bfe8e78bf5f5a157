import type { BaselineReading, ReadingLevel, Verdict } from "../../results/index.ts";

/** From bit for bit equal to unusable. */
export const LEVELS: readonly ReadingLevel[] = ["none", "normal", "elevated", "high", "broken"];

export function rankSeverity(level: ReadingLevel): number {
  return LEVELS.indexOf(level);
}

const WORDS: Readonly<Record<Verdict["level"], string>> = {
  none: "NO MISMATCH",
  normal: "NORMAL",
  elevated: "ELEVATED",
  high: "HIGH",
  broken: "BROKEN",
  fault: "FAULT",
  not_comparable: "NOT COMPARABLE",
  too_few: "TOO FEW TO SAY",
};

/** The level in capitals, for readers who see no color; what else it may be is in the sentence. */
export function verdictWord({ level }: Pick<Verdict, "level">): string {
  return WORDS[level];
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
