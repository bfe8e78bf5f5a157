import type { MismatchReport } from "../../../results/report.ts";

/** The input of facts: the report without the parts that are derived from it. */
export type FactSource = Omit<
  MismatchReport,
  "facts" | "next" | "correct" | "assessment" | "verdict" | "findings" | "left_out" | "sources" | "parity"
>;
