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

/** What is known about a cause regardless of the data. */
export interface Cause {
  readonly id: string;
  readonly family: Family;
  readonly title: string;
  readonly description: string;
  /** Flags use each trainer's own names; their sources are cited where the fix is written. */
  readonly fix: readonly Fix[];
}

/** Where a cause's fixes have those of trainers. */
export interface FromTrainers {
  readonly first: readonly string[];
}

/** A cause as it is written: the fixes of trainers are in their folders. */
export interface CauseText extends Omit<Cause, "fix"> {
  readonly fix: readonly (Fix | FromTrainers)[];
}

/** The fixes that trainers have for the cause: those of `first` in its order, then the others in that of the list. */
export function fromTrainers(...first: readonly string[]): FromTrainers {
  return { first };
}

/** A line of code or config whatever the trainer. */
export function anyTrainer(line: string, note: string): Fix {
  return { trainer: null, line, is_code: true, note };
}

/** Advice when there is no line to paste; the last resort. */
export function advise(line: string, note: string): Fix {
  return { trainer: null, line, is_code: false, note };
}

export function forEngine(engine: string, line: string, note: string): Fix {
  return { trainer: engine, line, is_code: true, note };
}
