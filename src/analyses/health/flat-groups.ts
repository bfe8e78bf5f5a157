import type { FlatGroupsCheck } from "../../results/health.ts";
import type { AnswerTable } from "./answers.ts";
import { rewardedGroups } from "./groups.ts";
import { StepCounts } from "./steps.ts";

/** If more than half of its groups are flat, a step costs twice what it teaches. Chosen; DAPO resamples such groups. */
const LIMIT = 0.5;
const LEAST_GROUPS = 10;

/**
 * Groups whose rewards are all equal have an advantage of 0 in GRPO and similar methods, and no gradient. Equal means
 * exactly equal, as in NeMo-RL's dynamic sampling: the deviation of equal numbers can be rounded to more than 0.
 * Source: DAPO (arXiv 2503.14476), section 3.2.
 */
export function checkFlatGroups(table: AnswerTable): FlatGroupsCheck {
  const { reward, step } = table.columns;
  const known = reward.filter((value) => Number.isFinite(value));
  const best = known.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const worst = known.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const steps = new StepCounts();
  const counts = { groups: 0, flat: 0, flat_best: 0, flat_worst: 0 };
  for (const rows of rewardedGroups(table)) {
    const first = reward[rows[0]!]!;
    const isFlat = rows.every((row) => reward[row] === first);
    counts.groups++;
    steps.add(step[rows[0]!]!, isFlat);
    if (!isFlat) continue;
    counts.flat++;
    // If all sequences of the run have one reward, it is neither the best nor the worst.
    if (best === worst) continue;
    if (first === best) counts.flat_best++;
    if (first === worst) counts.flat_worst++;
  }
  const { groups, flat } = counts;
  const value = groups === 0 ? null : flat / groups;
  return {
    id: "flat_groups",
    outcome:
      value === null ? "unknown" : groups < LEAST_GROUPS ? "too_few" : value > LIMIT ? "beyond" : "within",
    value,
    limit: LIMIT,
    ...counts,
    per_step: steps.finish(),
  };
}
