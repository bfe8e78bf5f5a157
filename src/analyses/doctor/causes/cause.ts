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

/** The place of the trainers' fixes among those of a cause; they are in the order of the list of trainers. */
export const FROM_TRAINERS = "the trainers' fixes";

/** A cause as it is written: the fixes of trainers are in their folders. */
export interface CauseText extends Omit<Cause, "fix"> {
  readonly fix: readonly (Fix | typeof FROM_TRAINERS)[];
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
