import { formatChance, plural } from "../../core/text/index.ts";
import type { Comparable } from "../../results/assessment.ts";
import type { Diagnosis } from "../../results/diagnosis.ts";

/** Causes that leave no meaningful figure: the columns belong to different tokens, or have different units. */
const INCOMPARABLE: ReadonlySet<string> = new Set([
  "token_shift",
  "rows_shuffled_batch",
  "rows_shuffled_group",
  "log_base",
  "probabilities_not_logs",
]);
/** With a lower probability it is one cause among others. */
const SURE = 0.8;

/**
 * Whether figures that compare the two columns mean anything.
 *
 * @param fault why they do not, as noticed while reading
 * @param diagnosis undefined if the doctor did not run
 */
export function assessComparable(fault: string | undefined, diagnosis: Diagnosis | undefined): Comparable {
  const first = diagnosis?.verdict === "fault" ? diagnosis.causes[0] : undefined;
  const found = first !== undefined && INCOMPARABLE.has(first.id) && first.probability >= SURE;
  const shifts =
    first?.id === "token_shift" ? first.evidence.find(({ figures }) => "shift" in figures) : undefined;
  const moved = shifts?.figures.shift;
  const shift = typeof moved === "number" ? moved : null;
  const isShift = shift !== null && (found || fault !== undefined);
  const named = found ? `${first.title} (${formatChance(first.probability)}): ${first.description}` : null;
  return {
    is_comparable: fault === undefined && !found,
    reason: isShift ? sayShift(shift) : (fault ?? named),
    by_shift: listShifts(shifts?.picture),
    shift,
  };
}

/** Says that the trainer's value for token t is at t + `shift`. */
function sayShift(shift: number): string {
  const place = `${plural(Math.abs(shift), "token")} ${shift > 0 ? "late" : "early"}`;
  return `The trainer's log-probs are ${place}. No figure means anything until they are moved back`;
}

function listShifts(
  picture: Diagnosis["causes"][number]["evidence"][number]["picture"],
): Comparable["by_shift"] {
  if (picture === undefined) return [];
  const values = picture.series[0]?.y ?? [];
  return picture.x.flatMap((shift, at) => {
    const value = values[at];
    return typeof shift !== "number" || value === null || value === undefined
      ? []
      : [{ shift, delta_abs_mean: value }];
  });
}
