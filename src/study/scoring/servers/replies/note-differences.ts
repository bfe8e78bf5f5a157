/**
 * Notes about differences in a reply that its scores do not show.
 *
 * @module
 */
import type { ForcedText } from "../../policy.ts";
import type { Notes } from "./notes.ts";

export function noteCapped(notes: Notes, given: number, asked: number): void {
  if (given >= asked) return;
  notes.add(`capped-${given}`, `The server returned ${given} alternatives for a token instead of ${asked}.`);
}

/** The text without spaces: some tokenizers lose spaces when tokens are decoded one by one. */
function letters(text: string): string {
  return text.replace(/[\s▁]+/g, "");
}

/** @param decoded - the response as the server writes it, or a text that ends in it; undefined if it does not say */
export function noteOtherText(notes: Notes, text: ForcedText, decoded: string | undefined): void {
  // A part of a character decodes to U+FFFD, and such a text cannot be compared.
  if (decoded === undefined || text.responseText === undefined || decoded.includes("\uFFFD")) return;
  if (letters(decoded).includes(letters(text.responseText))) return;
  notes.add(
    "other-text",
    `The server decodes text ${text.id} differently: it uses another tokenizer, or the ids belong to another model.`,
  );
}
