import type { Finding } from "../../../../core/schema/index.ts";
import type { SourceSummary } from "../../../../results/report.ts";

/** Of which files answers are, and what reading them noticed. */
export interface RunRead {
  readonly name: string;
  /** Their sequences are counted by whoever tells of them. */
  readonly sources: readonly Omit<SourceSummary, "sequences">[];
  readonly findings: readonly Finding[];
}
