import type { MismatchMetrics } from "../../results/index.ts";
import { LOGGED_METRICS } from "./metrics.ts";

/** A key under which a trainer logs mismatch. */
export interface LoggedMetric {
  /** Of the whole key, without what loggers put before it. */
  readonly key: RegExp;
  readonly trainer: string;
  /** A noun phrase. */
  readonly meaning: string;
  readonly unit: string;
  /** The figure that it is where nothing disturbs it. */
  readonly figure?: keyof MismatchMetrics;
  /** Where it is that figure with the other sign. */
  readonly negated?: true;
  /** Which end is bad; `away` from 0 or, for ratios, from 1. */
  readonly worse: "larger" | "smaller" | "away";
  readonly neutral?: 0 | 1;
  /** How it differs from what it is called. */
  readonly quirk?: string;
  /** The quirk bounds or bends it, so that it need not equal the figure. */
  readonly isBent?: true;
}

export interface RecognisedMetric extends Omit<LoggedMetric, "key"> {
  /** The trainer's own key: without what a logger put before it. */
  readonly key: string;
}

/**
 * What a logged key is; undefined for everything that is no mismatch metric.
 *
 * @param name as the logger wrote it; a prefix (`train/`, a run's name) is passed over
 */
export function recogniseMetric(name: string): RecognisedMetric | undefined {
  for (const { key, ...known } of LOGGED_METRICS) {
    const match = key.exec(name);
    if (
      match !== null &&
      (match.index === 0 || name[match.index - 1] === "/" || name[match.index - 1] === ".")
    )
      return { ...known, key: name.slice(match.index) };
  }
  return undefined;
}
