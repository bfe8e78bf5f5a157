import type { MismatchReport } from "../../../results/report.ts";

/** What facts are drawn from: the report without the parts that are made from it. */
export type FactSource = Omit<
  MismatchReport,
  "facts" | "next" | "correct" | "assessment" | "verdict" | "findings" | "left_out" | "sources" | "parity"
>;
