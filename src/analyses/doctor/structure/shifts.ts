import { formatNumber, formatShare, plural } from "../../../core/text/index.ts";
import { RUN_METRICS } from "../../../results/metrics/run-metrics.ts";
import { type Clue, hold } from "../clue.ts";
import { measureShifts, type ShiftScan } from "../features/shifts.ts";
import type { View } from "../sample/view.ts";

const FEWEST_TOKENS = 20;
/** Nats: columns that fit this well in place are not shifted. */
const IN_PLACE = 0.01;

/** One column later or earlier than the other. Shifted tokens are realigned, so that the rest can be judged. */
export function examineShifts(view: View): Clue[] {
  const { all, later, before } = measureShifts(view);
  if (isShifted(all)) {
    view.shiftTrainer(all.best, () => true);
    return [describe(all, "")];
  }
  if (isShifted(later) && before.costInPlace < 0.3 * later.costInPlace) {
    view.shiftTrainer(later.best, (i) => view.isLater(i));
    return [describe(later, " after the first turn")];
  }
  return [...examineRetokenized(view, later, before), ...examineUnshifted(view)];
}

function isShifted({ best, costInPlace, costAtBest, tokens, rowsFor, rowsAsked }: ShiftScan): boolean {
  return (
    best !== 0 &&
    tokens >= FEWEST_TOKENS &&
    costInPlace > IN_PLACE &&
    costAtBest < 0.35 * costInPlace &&
    rowsFor >= 0.75 * rowsAsked
  );
}

function describe(scan: ShiftScan, where: string): Clue {
  const { best, costInPlace, costAtBest, rowsFor, rowsAsked } = scan;
  return {
    cause: "token_shift",
    weight: hold(6 + Math.log(Math.max(1, rowsFor)) * 1.5),
    sentence: `Shifted ${plural(Math.abs(best), "entry", "entries")} ${best > 0 ? "later" : "earlier"}${where}, the trainer column matches the rollout column: mean |Δ| (each token capped at 1 nat) falls from ${formatNumber(costInPlace)} to ${formatNumber(costAtBest)}. The shift fits ${rowsFor} of ${plural(rowsAsked, "sequence")}.`,
    figures: { shift: best, in_place: costInPlace, at_best: costAtBest, sequences: rowsFor },
    picture: {
      kind: "bars",
      title: "Fit of the columns by shift",
      x_label: "entries by which the trainer column is shifted later",
      y_label: "mean |Δ|, each token capped at 1 nat",
      x: scan.lags,
      series: [{ name: RUN_METRICS.delta_abs_mean.label, y: scan.cost }],
    },
  };
}

/** Turns whose lengths differ between the sides: every later turn is off, and no single shift fixes it. */
function examineRetokenized(view: View, later: ShiftScan, before: ShiftScan): Clue[] {
  const isOff =
    later.costInPlace > 0.1 && later.tokens >= FEWEST_TOKENS && before.costInPlace < 0.1 * later.costInPlace;
  if (!isOff || later.best === 0) return [];
  for (let i = 0; i < view.tokens; i++) if (view.isLater(i)) view.claim(i);
  return [
    {
      cause: "retokenized_turns",
      weight: 9,
      sentence: `The columns match in the first turn (mean |Δ| capped at 1: ${formatNumber(before.costInPlace)} nats) but not after it (${formatNumber(later.costInPlace)}). A shift by ${later.best} helps only partly (${formatNumber(later.costAtBest)}), so later turns have different tokens.`,
      figures: { first_turn: before.costInPlace, later_turns: later.costInPlace, best_shift: later.best },
    },
  ];
}

/** Logits looked up one position late: the trainer scores every token as if it were repeated. */
function examineUnshifted(view: View): Clue[] {
  let [sure, lost, sum] = [0, 0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i) || view.a[i]! < -0.05) continue;
    sure++;
    sum += view.c[i]!;
    if (view.c[i]! < -3) lost++;
  }
  if (sure < FEWEST_TOKENS || lost < 0.7 * sure) return [];
  for (let i = 0; i < view.tokens; i++) view.claim(i);
  return [
    {
      cause: "token_shift",
      weight: 9,
      sentence: `Of the tokens that the rollout is sure of, ${formatShare(lost / sure)} have a trainer log-prob below −3 nats (mean ${formatNumber(sum / sure)}): the trainer scores nearly every token at the wrong position, as if it read the logits one position late.`,
      figures: { share: lost / sure, mean: sum / sure, tokens: sure },
    },
  ];
}
