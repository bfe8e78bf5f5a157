import type { HealthReport } from "../../results/health.ts";
import type { StalenessMetrics } from "../../results/report.ts";
import type { AnswerTable } from "./answers.ts";
import { checkFlatGroups } from "./flat-groups.ts";
import { checkRewardLength } from "./reward-length.ts";
import { checkStaleness } from "./staleness.ts";
import { checkTruncation } from "./truncation.ts";

/**
 * All checks, over what was recorded: shares are of these sequences, and claim nothing of others.
 *
 * @param staleness `per_staleness` of the report over the same sequences; empty where no weight versions are known
 */
export function checkHealth(table: AnswerTable, staleness: readonly StalenessMetrics[]): HealthReport {
  return {
    flat_groups: checkFlatGroups(table),
    truncation: checkTruncation(table),
    staleness: checkStaleness(staleness),
    reward_length: checkRewardLength(table),
  };
}
