import type { HealthReport } from "../../results/health.ts";
import type { StalenessMetrics } from "../../results/report.ts";
import type { AnswerTable } from "./answers.ts";
import { checkFlatGroups } from "./flat-groups.ts";
import { checkRewardLength } from "./reward-length.ts";
import { checkStaleness } from "./staleness.ts";
import { checkTruncation } from "./truncation.ts";

/**
 * Runs all checks over what was recorded: shares refer to these sequences only.
 *
 * @param staleness `per_staleness` of the report over the same sequences; empty if no weight versions are known
 */
export function checkHealth(table: AnswerTable, staleness: readonly StalenessMetrics[]): HealthReport {
  return {
    flat_groups: checkFlatGroups(table),
    truncation: checkTruncation(table),
    staleness: checkStaleness(staleness),
    reward_length: checkRewardLength(table),
  };
}
