/**
 * Texts that a model cannot read, or that the worker refused.
 *
 * @module
 */
import { TextRefusedError } from "../../../core/base/index.ts";
import type { ForcedText, PolicyFacts } from "../policy.ts";
import { makeError } from "./worker-errors.ts";

/** Why these policies cannot score a text; undefined if they can. */
export function refusal(text: ForcedText, policies: readonly PolicyFacts[]): TextRefusedError | undefined {
  const { id, ids, promptLength } = text;
  if (!(promptLength >= 1 && promptLength <= ids.length)) {
    return new TextRefusedError(
      `text ${id} has a prompt of ${promptLength} of ${ids.length} tokens; nothing predicts the first token`,
      { hint: "begin the prompt with the model's beginning-of-text token" },
    );
  }
  for (const facts of policies) {
    const { contextLength, vocabularySize, location } = facts;
    if (contextLength !== null && ids.length > contextLength) return tooLong(text, ids.length, facts);
    const wrong = ids.findIndex(
      (token) => token < 0 || token >= (vocabularySize ?? Number.POSITIVE_INFINITY),
    );
    if (wrong >= 0) {
      return new TextRefusedError(
        `text ${id} has token ${ids[wrong]} at position ${wrong}; the ids of ${location} are 0 to ${(vocabularySize ?? 0) - 1}`,
        {
          reason: "unknown-token",
          at: { file: location },
          likely: "the ids come from another tokenizer",
          hint: "tokenize the text with the model's own tokenizer.json",
        },
      );
    }
  }
  return undefined;
}

export function tooLong(
  { id }: ForcedText,
  tokens: number,
  { contextLength, location }: PolicyFacts,
): TextRefusedError {
  return new TextRefusedError(
    `text ${id} has ${tokens} tokens; the limit of ${location} is ${contextLength}`,
    {
      reason: "context-length",
      at: { file: location },
      likely: "the text was written by a model with a longer context",
      hint: "shorten it or leave it out",
    },
  );
}

export function refusedBy(id: string, fields: unknown): TextRefusedError {
  const { message, at, likely, hint } = makeError(fields);
  return new TextRefusedError(`text ${id} was not scored: ${message}`, {
    at,
    ...(likely !== undefined && { likely }),
    ...(hint !== undefined && { hint }),
  });
}
