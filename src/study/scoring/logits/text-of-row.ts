import { LengthMismatchError, type Place, SchemaError } from "../../../core/base/index.ts";
import type { SavedText } from "./saved-text.ts";

interface Row extends Pick<SavedText, "key" | "at" | "row" | "logits"> {
  /** Ids including padding. */
  readonly ids: Int32Array;
  /** 0 = padding. */
  readonly attention: Int32Array | undefined;
  /** The response mask, over all tokens or only the last ones. */
  readonly response: Int32Array | undefined;
  /** Tokens of the prompt, not counting padding. */
  readonly promptLength: number | undefined;
}

/**
 * One text of a file, without its padding (left, right or between).
 *
 * @throws LengthMismatchError when masks and ids have different lengths
 * @throws SchemaError when there is no token, or the prompt is longer than the text
 */
export function textOfRow(given: Row): SavedText {
  const { key, at, ids, row, logits, attention, response } = given;
  if (attention !== undefined && attention.length !== ids.length)
    throw mismatch("attention_mask", attention.length, ids.length, at);
  if (response !== undefined && response.length > ids.length)
    throw mismatch("response_mask", response.length, ids.length, at);
  const positions = attention === undefined ? undefined : realPositions(attention);
  const real = positions === undefined ? ids : positions.map((position) => ids[position]!);
  if (real.length === 0) throw new SchemaError(`the text has 0 tokens among ${ids.length} columns`, { at });
  const promptLength = given.promptLength ?? promptByMask(response, ids.length, positions);
  if (promptLength !== undefined && (promptLength < 0 || promptLength > real.length))
    throw new SchemaError(`the prompt has ${promptLength} tokens, the whole text ${real.length}`, {
      at,
      likely: "prompt_length counts padding, or belongs to another text",
    });
  const mask =
    response === undefined || promptLength === undefined
      ? undefined
      : Uint8Array.from({ length: real.length - promptLength }, (_, i) => {
          const column = positions?.[promptLength + i] ?? promptLength + i;
          return (response[column - (ids.length - response.length)] ?? 0) === 0 ? 0 : 1;
        });
  return { key, at, ids: real, positions, promptLength, mask, width: ids.length, row, logits };
}

function realPositions(attention: Int32Array): Int32Array {
  const positions = new Int32Array(attention.reduce((count, value) => count + (value === 0 ? 0 : 1), 0));
  let next = 0;
  for (let i = 0; i < attention.length; i++) if (attention[i] !== 0) positions[next++] = i;
  return positions;
}

/**
 * A mask of the last columns shows where they begin; one of all columns has its first 1 at the first response token.
 */
function promptByMask(
  response: Int32Array | undefined,
  width: number,
  positions: Int32Array | undefined,
): number | undefined {
  if (response === undefined) return undefined;
  const start =
    response.length < width ? width - response.length : response.findIndex((value) => value !== 0);
  if (start < 0) return undefined;
  return positions === undefined ? start : positions.filter((position) => position < start).length;
}

function mismatch(name: string, length: number, ids: number, at: Place): LengthMismatchError {
  return new LengthMismatchError(`${name} has ${length} columns, input_ids has ${ids}`, {
    found: length,
    expected: ids,
    at,
  });
}
