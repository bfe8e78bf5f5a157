/**
 * Compares two sequences. Policies score the same only while all earlier tokens are equal: after the first difference,
 * equal tokens have different contexts.
 *
 * @module
 */
import type { WireSequence } from "./sequence.ts";

type Texts = Pick<WireSequence, "meta" | "ids" | "textOffsets" | "texts">;
type Scored = Texts & Pick<WireSequence, "mask" | "rollout" | "trainer">;

/** How many response tokens both start with; 0 if the prompts differ. Unknown ids are never equal. */
export function sharedTokens(a: Texts, b: Texts): number {
  const prompt = a.meta.promptLength;
  if (b.meta.promptLength !== prompt || !samePrompt(a, b, prompt)) return 0;
  const end = Math.min(a.ids.length, b.ids.length);
  let at = prompt;
  while (at < end && a.ids[at] === b.ids[at] && a.ids[at]! >= 0) at++;
  return at - prompt;
}

/** Compared by ids; a prompt known only as text has the id -1 and is compared as text. */
function samePrompt(a: Texts, b: Texts, prompt: number): boolean {
  for (let at = 0; at < prompt; at++) if (a.ids[at] !== b.ids[at]) return false;
  if (a.ids[0] !== -1 || prompt === 0) return true;
  const end = a.textOffsets[prompt]!;
  if (end !== b.textOffsets[prompt]) return false;
  for (let at = 0; at < end; at++) if (a.texts[at] !== b.texts[at]) return false;
  return true;
}

/**
 * Δb − Δa, nats, with each run's Δ = trainer − rollout.
 *
 * @returns `[shared]`; NaN if a mask is 0 or a log-prob not finite
 */
export function deltaDifferences(a: Scored, b: Scored, shared = sharedTokens(a, b)): Float64Array {
  return Float64Array.from({ length: shared }, (_, at) => {
    if (a.mask[at] === 0 || b.mask[at] === 0) return Number.NaN;
    const difference = b.trainer[at]! - b.rollout[at]! - (a.trainer[at]! - a.rollout[at]!);
    return Number.isFinite(difference) ? difference : Number.NaN;
  });
}
