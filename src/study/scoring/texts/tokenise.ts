import type { TokenDecoder } from "../../../input/tokens/index.ts";

export interface TextToTokenise {
  /** The prompt after the template was applied. */
  readonly prompt: string | undefined;
  /** Used unchanged. */
  readonly promptIds: Int32Array | undefined;
  readonly response: string | undefined;
  /** Used unchanged. */
  readonly responseIds: Int32Array | undefined;
  /** Appended to a response whose ids are not given. */
  readonly eosId: number | undefined;
}

export interface Tokenised {
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
  /**
   * Where the prompt's tokens change when the response follows: index of the first, its id alone and in the whole text
   * (-1: the whole text has no such token).
   */
  readonly retokenised:
    | { readonly index: number; readonly alone: number; readonly joined: number }
    | undefined;
  /** Whether given ids decode to a text different from the given one. */
  readonly otherPrompt: boolean;
  readonly otherResponse: boolean;
}

/**
 * Token ids of a prompt and a response.
 *
 * The prompt starts with the special tokens that the tokenizer puts before a text. The response's ids are those after
 * the prompt's in the ids of both texts together, which is most likely how a model that continues the prompt would have
 * written it. If the prompt's own ids change when the response follows, both are encoded separately.
 */
export function tokenise(tokenizer: TokenDecoder, text: TextToTokenise): Tokenised {
  const { prompt, response } = text;
  const encoded = prompt === undefined ? undefined : tokenizer.encodeStart(prompt);
  const promptIds = text.promptIds ?? Int32Array.from(encoded ?? []);
  const otherPrompt =
    text.promptIds !== undefined &&
    prompt !== undefined &&
    !tokenizer.decode([...text.promptIds]).includes(prompt.trim());
  if (text.responseIds !== undefined) {
    const { responseIds } = text;
    const otherResponse = response !== undefined && !says(tokenizer, responseIds, response);
    return { promptIds, responseIds, retokenised: undefined, otherPrompt, otherResponse };
  }
  const joined = prompt === undefined ? [] : tokenizer.encodeStart(prompt + response!);
  // Given prompt ids are joined to the response only if this tokenizer gives the same ones.
  const known =
    encoded !== undefined && startsWith(promptIds, encoded) && promptIds.length === encoded.length;
  const fits = known && startsWith(joined, promptIds);
  const ids = fits ? joined.slice(promptIds.length) : tokenizer.encode(response!);
  if (text.eosId !== undefined && ids.length > 0 && ids.at(-1) !== text.eosId) ids.push(text.eosId);
  return {
    promptIds,
    responseIds: Int32Array.from(ids),
    retokenised: known && !fits ? firstChange(promptIds, joined) : undefined,
    otherPrompt,
    otherResponse: false,
  };
}

function startsWith(ids: ArrayLike<number>, start: ArrayLike<number>): boolean {
  for (let i = 0; i < start.length; i++) if (ids[i] !== start[i]) return false;
  return true;
}

function firstChange(alone: Int32Array, joined: readonly number[]): Tokenised["retokenised"] {
  const index = alone.findIndex((id, i) => joined[i] !== id);
  return { index, alone: alone[index]!, joined: joined[index] ?? -1 };
}

/** Whether ids decode to a text; special tokens may be written out or not, and white space at the ends is ignored. */
function says(tokenizer: TokenDecoder, ids: Int32Array, text: string): boolean {
  const all = tokenizer.decode([...ids]);
  if (all.trim() === text.trim()) return true;
  const plain = tokenizer.decode([...ids].filter((id) => !tokenizer.specialIds.has(id)));
  return plain.trim() === text.trim();
}
