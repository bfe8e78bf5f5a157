import { UsageError } from "../../core/base/index.ts";
import { type Correction, parseCorrection } from "../../trainers/neutral/index.ts";

/**
 * The text of `--correction`, which also follows `correction=` in the page's address.
 *
 * @throws UsageError naming the part that cannot be parsed, or the contradiction.
 */
export function readCorrectionFlag(text: string): Correction {
  try {
    return parseCorrection(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`--correction: ${error.message}`, {
      cause: error,
      ...(error.likely !== undefined && { likely: error.likely }),
      hint: error.hint ?? "the form is 'weight:token truncate:..2'; docs/corrections.md has every part",
    });
  }
}
