import type { MismatchMetrics } from "../../results/index.ts";

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
