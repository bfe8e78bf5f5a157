import { UsageError } from "../../core/base/index.ts";
import type { Correction } from "../../trainers/neutral/index.ts";
import { formatCorrection, validateCorrection } from "../../trainers/neutral/index.ts";
import { unsweepable } from "./evaluate.ts";

/** A correction with its name in a sweep: one row of the table. */
export interface NamedCorrection {
  /** Unique within a sweep. */
  readonly name: string;
  /** The methods that it consists of, for `--methods`. */
  readonly methods: readonly string[];
  readonly correction: Correction;
  /** The trainer's own settings it was made from. */
  readonly preset?: { readonly name: string; readonly settings: Readonly<Record<string, unknown>> };
}

/** Does nothing: the first row of every table. */
export const BASELINE: NamedCorrection = { name: "none", methods: ["none"], correction: { steps: [] } };

/** Names a correction by its text. */
export function nameByText(correction: Correction): NamedCorrection {
  return { name: formatCorrection(correction), methods: [], correction };
}

/**
 * The corrections of a sweep: the baseline first, each one checked.
 *
 * @throws UsageError if one contradicts itself, cannot be evaluated on sums, or has the name of another.
 */
export function checkCorrections(given: readonly NamedCorrection[]): readonly NamedCorrection[] {
  const corrections = [BASELINE, ...given.filter(({ name }) => name !== BASELINE.name)];
  const names = new Set<string>();
  for (const { name, correction } of corrections) {
    if (names.has(name)) throw new UsageError(`two corrections are called "${name}"`);
    names.add(name);
    try {
      validateCorrection(correction);
    } catch (error) {
      if (error instanceof UsageError)
        throw new UsageError(`${name}: ${error.message}`, {
          cause: error,
          ...(error.likely !== undefined && { likely: error.likely }),
          ...(error.hint !== undefined && { hint: error.hint }),
        });
      throw error;
    }
    const why = unsweepable(correction);
    if (why !== undefined)
      throw new UsageError(`${name} cannot be swept: ${why}`, { hint: "use logratio correct for it" });
  }
  return corrections;
}
