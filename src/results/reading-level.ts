/** How one figure compares with its published baseline. */
export type ReadingLevel = "none" | "normal" | "elevated" | "high" | "broken";

/**
 * - `too_few`: figures, but too few tokens or sequences for a verdict on the run.
 * - `fault`: a cause was found, whatever the size of the mismatch.
 * - `not_comparable`: the two columns are not of the same tokens, or not log-probs: no figure means anything.
 */
export type VerdictLevel = ReadingLevel | "fault" | "not_comparable" | "too_few";
