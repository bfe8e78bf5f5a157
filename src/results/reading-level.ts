/** How one figure stands to its published baseline. */
export type ReadingLevel = "none" | "normal" | "elevated" | "high" | "broken";

/** `too_few`: figures, but too few tokens or sequences for a word on the run. */
export type VerdictLevel = ReadingLevel | "too_few";
