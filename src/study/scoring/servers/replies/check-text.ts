/**
 * Checks a text before it is sent to a server.
 *
 * @module
 */
import type { ForcedText } from "../../policy.ts";
import { type Asked, refuse } from "./refusals.ts";

export interface Limits {
  readonly vocabularySize: number | null;
  readonly contextLength: number | null;
  /** Tokens that the server must have room for beyond the text. */
  readonly room: number;
}

/** @throws TextRefusedError */
export function checkText(text: ForcedText, asked: Asked, limits: Limits): void {
  const { ids, promptLength } = text;
  if (promptLength < 1) {
    throw refuse(asked, `the text starts without a prompt (promptLength ${promptLength})`, {
      reason: "other",
      likely: "a model cannot score the first token, because nothing predicts it",
      hint: "begin with the model's start-of-text token",
    });
  }
  if (promptLength >= ids.length) {
    throw refuse(asked, `the response is empty: ${promptLength} of ${ids.length} tokens are the prompt`, {
      reason: "empty-response",
    });
  }
  const { vocabularySize, contextLength, room } = limits;
  const bound = vocabularySize ?? 2 ** 31;
  const unknown = ids.findIndex((id) => id < 0 || id >= bound);
  if (unknown !== -1) {
    throw refuse(
      asked,
      `token ${unknown} has id ${ids[unknown]}, of a vocabulary of ${vocabularySize ?? "?"}`,
      {
        reason: "unknown-token",
        likely: "the text was not tokenized with the model's tokenizer",
        hint: "use the tokenizer of the served model",
      },
    );
  }
  if (contextLength !== null && ids.length + room > contextLength) {
    const message = `the text has ${ids.length} tokens; the server's context of ${contextLength} has room for ${contextLength - room}`;
    throw refuse(asked, message, {
      reason: "context-length",
      hint: "start the server with a longer context, or leave out the text",
    });
  }
}
