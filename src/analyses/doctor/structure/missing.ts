import { formatShare, plural } from "../../../core/text/index.ts";
import type { Clue } from "../clue.ts";
import { type MissingSide, measureMissing } from "../features/missing.ts";
import type { View } from "../sample/view.ts";
import { listHandles } from "./handles.ts";

export function examineMissing(view: View): Clue[] {
  const { rollout, trainer } = measureMissing(view);
  const partly = trainer.rows - trainer.rowsWhole;
  // An overflowed value stays in the attention of all later tokens: missing ones run to the end of their rows.
  const isOverflow = partly >= 2 && trainer.rowsToEnd >= 0.9 * partly;
  return [
    ...(["rollout", "trainer"] as const).flatMap((side) => {
      const found = side === "rollout" ? rollout : trainer;
      if (found.tokens === 0) return [];
      return [describe(view, side, found)];
    }),
    ...(isOverflow ? [overflow(view, trainer)] : []),
  ];
}

function describe(view: View, side: string, found: MissingSide): Clue {
  return {
    cause: "nan_logprobs",
    weight: 11,
    sentence: `${plural(found.tokens, `${side} log-prob`)} (${formatShare(found.share)} of the tokens with mask 1) ${found.tokens === 1 ? "is" : "are"} NaN or infinite, in ${plural(found.rows, "sequence")}.`,
    figures: { tokens: found.tokens, share: found.share, sequences: found.rows },
    handles: listHandles(view, found.first),
  };
}

function overflow(view: View, found: MissingSide): Clue {
  return {
    cause: "fp16_overflow",
    weight: 10.5,
    sentence: `In ${found.rowsToEnd} of ${plural(found.rows - found.rowsWhole, "sequence")} where trainer log-probs go missing midway, every trainer log-prob from the first missing one to the end is NaN: a value that overflowed stays in the context of every later token.`,
    figures: { sequences_to_end: found.rowsToEnd, sequences: found.rows, tokens: found.tokens },
    handles: listHandles(view, found.first),
  };
}
