/**
 * Sentences of the report with the places they name: `Step 30`, `s30.q48.t39`.
 *
 * @module
 */
export type TextPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "step"; readonly text: string; readonly step: number }
  | { readonly kind: "handle"; readonly text: string };

const PLACES = /\bsteps? (\d+)\b|\b(?:s\d+\.)?(?:r\d+\.)?q\d+(?:\.t\d+)?\b/gi;

export function textParts(sentence: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of sentence.matchAll(PLACES)) {
    if (match.index > at) parts.push({ kind: "text", text: sentence.slice(at, match.index) });
    const [text, step] = match;
    parts.push(step === undefined ? { kind: "handle", text } : { kind: "step", text, step: Number(step) });
    at = match.index + text.length;
  }
  if (at < sentence.length) parts.push({ kind: "text", text: sentence.slice(at) });
  return parts;
}
