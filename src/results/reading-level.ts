/** How one figure stands to its published baseline. */
export type ReadingLevel = "none" | "normal" | "elevated" | "high" | "broken";
