import { formatNumber, formatPlain, formatShare } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { measureUnits, type Units } from "../features/units.ts";
import { LEFT_OUT, type View } from "../sample/view.ts";

const BASES = [
  { base: "2", factor: Math.LN2 },
  { base: "10", factor: Math.LN10 },
] as const;
/** How near the median must be to the factor, relative to it, and how narrow the spread of the ratio. */
const NEAR = 0.02;
const NARROW = 0.08;
const FEWEST = 20;

/** Columns in another unit; they are converted, so that the rest is judged with both in nats. */
export function examineUnits(view: View): Clue[] {
  const units = measureUnits(view);
  if (units.probabilities !== null) return examineProbabilities(view, units, units.probabilities);
  const found = findBase(units);
  if (found === undefined) return [];
  const { side, base, factor } = found;
  const column = side === "rollout" ? view.a : view.c;
  for (let i = 0; i < view.tokens; i++) column[i] = column[i]! * factor;
  view.refresh();
  return [
    {
      cause: "log_base",
      weight: hold(6 + Math.log10(units.tokens) * 2),
      sentence: `The median ratio of trainer to rollout log-probs is ${formatNumber(units.ratio)} over ${units.tokens} tokens, and half of the tokens are within ${formatNumber(units.ratioSpread)} of it. A ${side} column in base ${base} gives ${formatNumber(side === "rollout" ? factor : 1 / factor)}.`,
      figures: { ratio: units.ratio, spread: units.ratioSpread, tokens: units.tokens, base, side },
    },
  ];
}

function findBase(units: Units): { side: "rollout" | "trainer"; base: string; factor: number } | undefined {
  if (units.tokens < FEWEST || !(units.ratioSpread < NARROW * units.ratio)) return undefined;
  for (const { base, factor } of BASES) {
    // log₂ p = ln p / ln 2: for a rollout column in base 2, trainer / rollout is ln 2.
    for (const side of ["rollout", "trainer"] as const) {
      const expected = side === "rollout" ? factor : 1 / factor;
      if (Math.abs(units.ratio / expected - 1) < NEAR) return { side, base, factor };
    }
  }
  return undefined;
}

function examineProbabilities(view: View, units: Units, side: "rollout" | "trainer"): Clue[] {
  const column = side === "rollout" ? view.a : view.c;
  let [own, positive] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (view.left[i] === LEFT_OUT.own) {
      own++;
      if (column[i]! > 0) positive++;
    }
    const value = column[i]!;
    column[i] = value > 0 ? Math.log(value) : value === 0 ? 0 : Number.NaN;
  }
  view.refresh();
  if (!(units.probabilityError < 0.5)) return [];
  return [
    {
      cause: "probabilities_not_logs",
      weight: 12,
      sentence: `${formatShare(positive / own)} of the ${side} values are above 0 and none is above ${formatPlain(1)}. Their logarithms differ from the other side by ${formatNumber(units.probabilityError)} nats at the median, so the column contains probabilities.`,
      figures: { positive_share: positive / own, median_error: units.probabilityError, side },
    },
  ];
}
