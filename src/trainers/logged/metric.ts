import type { MismatchMetrics } from "../../results/report.ts";

/** A key under which a trainer logs a mismatch metric. */
export interface LoggedMetric {
  /** Matches the whole key, without a logger's prefix. */
  readonly key: RegExp;
  readonly trainer: string;
  /** A noun phrase. */
  readonly meaning: string;
  readonly unit: string;
  /** Our figure that it equals, apart from its quirk. */
  readonly figure?: keyof MismatchMetrics;
  /** Whether it has the opposite sign of that figure. */
  readonly negated?: true;
  /** Which direction is worse; `away`: away from 0 or, for ratios, from 1. */
  readonly worse: "larger" | "smaller" | "away";
  readonly neutral?: 0 | 1;
  /** How it differs from what its name says. */
  readonly quirk?: string;
  /** Whether the quirk changes its value, so that it need not equal the figure. */
  readonly isBent?: true;
}
