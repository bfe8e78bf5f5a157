/**
 * Columns that are not about the sampled token: minus the entropy of its distribution, or the log-prob of the likeliest
 * token, whichever was sampled. Public cases: trl#3867 reports the top-1 log-prob.
 *
 * @module
 */
import { formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { SUREST } from "../features/spread.ts";
import type { View } from "../sample/view.ts";

/** Nats: a column and the statistic that it holds differ by rounding only. */
const SAME = 1e-3;
const NEARLY_ALL = 0.97;
const FEWEST = 20;

export function examineStatistics(view: View): Clue[] {
  for (const side of ["rollout", "trainer"] as const) {
    const clue = examineEntropy(view, side) ?? examineLikeliest(view, side);
    if (clue === undefined) continue;
    for (let i = 0; i < view.tokens; i++) view.claim(i);
    return [clue];
  }
  return [];
}

type Side = "rollout" | "trainer";

function columnOf(view: View, side: Side): Float64Array {
  return side === "rollout" ? view.a : view.c;
}

/** Unsure tokens at which a column is minus the entropy that the same side recorded. */
function examineEntropy(view: View, side: Side): Clue | undefined {
  const column = columnOf(view, side);
  let [tokens, equal] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    const { rolloutEntropy, trainerEntropy } = view.row(i);
    const entropy = (side === "rollout" ? rolloutEntropy : trainerEntropy)?.[view.index(i)];
    if (!view.isOwn(i) || entropy === undefined || !(entropy > 10 * SAME)) continue;
    tokens++;
    if (Math.abs(column[i]! + entropy) < SAME * Math.max(1, entropy)) equal++;
  }
  if (tokens < FEWEST || equal < NEARLY_ALL * tokens) return undefined;
  return describe(side, tokens, equal, "minus the recorded entropy");
}

/**
 * Two different tokens have probabilities that sum to 1 at most. A column of the likeliest tokens agrees with the other
 * side where that side is sure, never contradicts that limit elsewhere, and is then never the lower one.
 */
function examineLikeliest(view: View, side: Side): Clue | undefined {
  const column = columnOf(view, side);
  const other = side === "rollout" ? view.c : view.a;
  let [likely, agreeing, higher, unlikely, above] = [0, 0, 0, 0, 0];
  let lowest = 0;
  const [values, theirValues] = [new Set<number>(), new Set<number>()];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    const [own, theirs] = [column[i]!, other[i]!];
    lowest = Math.min(lowest, own);
    if (theirs > MOSTLY && theirs < SUREST && own < SUREST) {
      likely++;
      if (Math.abs(view.logits.rollout[i]! - view.logits.trainer[i]!) < AGREES) agreeing++;
      if (own > theirs || Math.abs(own - theirs) < SAME * Math.abs(theirs)) higher++;
    } else if (theirs < UNLIKELY) {
      unlikely++;
      values.add(own);
      theirValues.add(theirs);
      if (own > theirs && Math.exp(own) + Math.exp(theirs) < 1 + LITTLE) above++;
    }
  }
  // A clamped column is above, too, but always by the same limit; any column is above a placeholder.
  if (Math.min(values.size, theirValues.size) < unlikely / 2) return undefined;
  if (unlikely < FEWEST || likely < FEWEST) return undefined;
  if (above < NEARLY_ALL * unlikely || agreeing < NEARLY_ALL * likely) return undefined;
  // Noise has both signs; another temperature or a filter moves sure tokens one way.
  if (higher < 0.2 * likely || (higher > 0.8 * likely && !isExact(view))) return undefined;
  // The likeliest of many words is seldom very unlikely.
  if (lowest < LOWEST) return undefined;
  return describe(side, unlikely, above, "the log-prob of a likelier token than the sampled one");
}

/** Whether most of the two columns agree to float32's precision, so that no noise shows. */
function isExact(view: View): boolean {
  let [tokens, equal] = [0, 0];
  for (let i = 0; i < view.tokens; i++) {
    if (!view.isOwn(i)) continue;
    tokens++;
    if (Math.abs(view.d[i]!) < 1e-5) equal++;
  }
  return equal > tokens / 2;
}

/** log p above which a token is the likeliest one; below which another one probably is. */
const MOSTLY = Math.log(0.6);
const UNLIKELY = Math.log(0.15);
/** Nats of a logit: several times an engine's noise. */
const AGREES = 0.6;
const LITTLE = 0.02;
const LOWEST = -6;

function describe(side: Side, tokens: number, equal: number, what: string): Clue {
  return {
    cause: "other_statistic",
    weight: hold(3 + 2 * Math.log(equal)),
    sentence: `The ${side} column is ${what} at ${formatShare(equal / tokens)} of ${plural(tokens, "token")} that tell: it is not about the sampled token.`,
    figures: { side, tokens, equal },
  };
}
