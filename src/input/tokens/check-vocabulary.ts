/**
 * Checks the vocabulary of a `tokenizer.json`, before the library builds tables as long as its largest id.
 *
 * @module
 */
import { FormatError, LARGEST_TOKEN_ID } from "../../core/base/index.ts";

/**
 * Accepts a missing vocabulary, which the library reports. @throws FormatError if a token is not text, or an id is not
 * one that a vocabulary can have
 */
export function checkVocabulary(file: string, definition: Readonly<Record<string, unknown>>): void {
  const fail = (what: string): never => {
    throw new FormatError(`${file} is not a tokenizer: ${what}`, {
      at: { file },
      likely: "the file is damaged, or not the tokenizer.json of the tokenizers library",
    });
  };
  const requireId = (id: unknown, of: string): void => {
    if (Number.isInteger(id) && (id as number) >= 0 && (id as number) <= LARGEST_TOKEN_ID) return;
    fail(`the id of ${of} is ${show(id)}, expected a whole number from 0 to ${LARGEST_TOKEN_ID}`);
  };
  const { added_tokens: added = [], model } = definition;
  if (added !== null && !Array.isArray(added)) fail('its "added_tokens" are not a list');
  for (const [i, token] of ((added ?? []) as readonly unknown[]).entries()) {
    if (typeof token !== "object" || token === null) fail(`added token ${i} is not an object`);
    const { id, content } = token as { readonly id?: unknown; readonly content?: unknown };
    if (typeof content !== "string") fail(`the text of added token ${i} is ${show(content)}`);
    requireId(id, `added token ${i}`);
  }
  const { vocab } = model as { readonly vocab?: unknown };
  if (Array.isArray(vocab)) {
    for (const [i, entry] of vocab.entries())
      if (!Array.isArray(entry) || typeof entry[0] !== "string" || typeof entry[1] !== "number")
        fail(`entry ${i} of its vocabulary is ${show(entry)}, expected a text and a score`);
  } else if (typeof vocab === "object" && vocab !== null) {
    for (const token in vocab) requireId((vocab as Record<string, unknown>)[token], show(token));
  } else if (vocab !== undefined) fail(`its vocabulary is ${show(vocab)}`);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
