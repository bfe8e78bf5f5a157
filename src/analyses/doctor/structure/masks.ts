import { formatNumber, formatShare, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import { type Boundaries, findForeignRuns } from "../features/boundaries.ts";
import type { View } from "../sample/view.ts";
import { listHandles } from "./handles.ts";

/** Tokens that count although the policy did not write them, and tokens that it wrote but do not count. */
export function examineMasks(view: View, boundaries: Boundaries): Clue[] {
  // Padding also looks like tool output; what is claimed first is not counted twice.
  const clues = [
    ...examinePadding(view, boundaries),
    ...examineTools(view, boundaries),
    ...examineMaskShift(view, boundaries),
  ];
  const isShifted = clues.some(({ cause }) => cause === "mask_shift");
  return isShifted ? clues : [...clues, ...examineEnding(view, boundaries)];
}

const FEWEST_RUNS = 3;
/**
 * Hard tokens cluster: a policy writes up to this many times the runs expected of independent tokens. One sampled at
 * temperature 2 wrote 6.6 times as many; tool output gives more than a hundred where 0.01 are expected.
 */
const CLUSTERED = 10;

function examineTools(view: View, { rows }: Boundaries): Clue[] {
  const { runs, tokens, zeros, expected } = findForeignRuns(view);
  const share = tokens.length / Math.max(1, view.tokens);
  const touched = new Set(tokens.map((i) => view.rowAt[i])).size;
  // A sure policy rarely writes three unlikely tokens in a row, but one at a high temperature does; a fault that makes
  // everything unlikely is a different one.
  if (runs < FEWEST_RUNS + CLUSTERED * expected || share > 0.45 || touched < 0.02 * rows) return [];
  for (const i of tokens) view.claim(i);
  const isZero = zeros > tokens.length / 2;
  const how = isZero ? "rollout log-probs of exactly 0" : "rollout log-probs that are just as low";
  return [
    {
      cause: "tool_tokens_unmasked",
      weight: hold(4 + 2 * Math.log(runs)),
      sentence: `${plural(runs, "run")} of three or more tokens with mask 1 (${plural(tokens.length, "token")}, ${formatShare(share)}) have trainer log-probs below −3 and ${how}: the policy did not write them.`,
      figures: { runs, tokens: tokens.length, share, zeros, sequences: touched },
      handles: listHandles(view, tokens),
    },
  ];
}

function examineMaskShift(view: View, boundaries: Boundaries): Clue[] {
  const { gaps, toolBefore, toolAfter, ownFirstInGap, ownLastInGap } = boundaries;
  if (gaps < 3) return [];
  const early = Math.min(toolAfter.length, ownFirstInGap);
  const late = Math.min(toolBefore.length, ownLastInGap);
  const moved = Math.max(early, late);
  if (moved < 3 || moved < 0.3 * gaps) return [];
  const isEarly = early >= late;
  const tokens = isEarly ? toolAfter : toolBefore;
  for (const i of tokens) view.claim(i);
  const [edge, other] = isEarly ? ["after", "first"] : ["before", "last"];
  return [
    {
      cause: "mask_shift",
      weight: 12,
      sentence: `At ${moved} of ${plural(gaps, "gap")} in the mask, the token right ${edge} the gap is tool output with mask 1, and the policy wrote the ${other} token inside the gap: the mask is shifted by one token.`,
      figures: { gaps, moved, direction: isEarly ? "early" : "late" },
      handles: listHandles(view, tokens),
    },
  ];
}

function examinePadding(view: View, { ending, rows }: Boundaries): Clue[] {
  const { padded, paddedTokens } = ending;
  if (padded < 3 || padded < 0.1 * rows) return [];
  const sum = paddedTokens.reduce((total, i) => total + view.c[i]!, 0);
  for (const i of paddedTokens) view.claim(i);
  return [
    {
      cause: "mask_past_eos",
      weight: hold(6 + Math.log(padded)),
      sentence: `${plural(padded, "sequence")} of ${rows} end with tokens of mask 1 whose rollout log-prob is exactly 0 and whose trainer log-prob is low (mean ${formatNumber(sum / paddedTokens.length)} nats): these tokens follow the stop token.`,
      figures: { sequences: padded, tokens: paddedTokens.length, mean: sum / paddedTokens.length },
      handles: listHandles(view, paddedTokens),
    },
  ];
}

function examineEnding(view: View, { ending }: Boundaries): Clue[] {
  const { id, rows, unmasked, share } = ending;
  if (unmasked < 3 || unmasked < 0.5 * rows || share < 0.3) return [];
  const ends = view.rows.flatMap((_, r) => {
    const [from, to] = view.span(r);
    return to > from ? [to - 1] : [];
  });
  return [
    {
      cause: "eos_not_in_mask",
      weight: hold(6 + Math.log(unmasked)),
      sentence: `Token ${id} ends ${formatShare(share)} of the sequences and has mask 0 in ${unmasked} of ${rows}, although the trainer gives it as high a probability as the policy's own tokens: the policy is not trained to stop.`,
      figures: { token_id: id, sequences: rows, unmasked, share },
      handles: listHandles(view, ends),
    },
  ];
}
