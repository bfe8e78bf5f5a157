/**
 * Sentences of the report with the places they name: `Step 30`, `steps 10–30`, `turn 3`, `s30.q48.t39`.
 *
 * @module
 */
import { HANDLE_PATTERN } from "../../../src/core/schema/index.ts";

export type TextPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "steps"; readonly text: string; readonly from: number; readonly to: number }
  | { readonly kind: "turn"; readonly text: string; readonly turn: number }
  | { readonly kind: "handle"; readonly text: string };

const PLACES = new RegExp(
  `\\bsteps? (-?\\d+)(?:–(-?\\d+))?\\b|\\bturn (\\d+)\\b|\\b${HANDLE_PATTERN}\\b`,
  "gi",
);

export function textParts(sentence: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of sentence.matchAll(PLACES)) {
    if (match.index > at) parts.push({ kind: "text", text: sentence.slice(at, match.index) });
    const [text, from, to = from, turn] = match;
    if (from !== undefined) parts.push({ kind: "steps", text, from: Number(from), to: Number(to) });
    else if (turn !== undefined) parts.push({ kind: "turn", text, turn: Number(turn) });
    else parts.push({ kind: "handle", text });
    at = match.index + text.length;
  }
  if (at < sentence.length) parts.push({ kind: "text", text: sentence.slice(at) });
  return parts;
}
