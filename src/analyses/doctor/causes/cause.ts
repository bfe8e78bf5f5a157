import type { Fix } from "../../../results/diagnosis.ts";

export type Family =
  | "meaning"
  | "alignment"
  | "mask"
  | "context"
  | "weights"
  | "numerics"
  | "missing"
  | "where"
  | "when"
  | "healthy";

/** What is known of a cause whatever the data. */
export interface Cause {
  readonly id: string;
  readonly family: Family;
  readonly title: string;
  readonly description: string;
  /** Flags stand in each trainer's own words; their sources are named where the fix is written. */
  readonly fix: readonly Fix[];
}

/** A line of code or config whatever the trainer. */
export function anyTrainer(line: string, note: string): Fix {
  return { trainer: null, line, is_code: true, note };
}

/** What to do where no line can be pasted; the last resort. */
export function advise(line: string, note: string): Fix {
  return { trainer: null, line, is_code: false, note };
}

export function forTrainer(trainer: string, line: string, note: string): Fix {
  return { trainer, line, is_code: true, note };
}
