/**
 * Builds what lists show of a sequence from its encoded form.
 *
 * @module
 */

import { TOKEN_FLAGS } from "../../../../core/base/index.ts";
import { type SequenceBrief, SPARK_BINS, sparkLevel, sparkRange } from "../../../../results/wire/briefs.ts";
import { isSpelled, type UnspelledSequence, type WireSequence } from "../../../../results/wire/sequence.ts";
import { textBetween } from "../../../../results/wire/sequence-text.ts";

/** Characters of each text. */
export const BRIEF_CHARACTERS = 160;
/** The most tokens to search for it: texts may be as long as a book. */
const REACH = 4096;
/** Names that chat templates give to whoever speaks. */
const ROLES = /^\s*(?:user|human|system|developer|assistant|model|tool)\s*[:\n]?\s*/i;
const USER = /^\s*(?:user|human)\s*(?:[:\n]|$)/i;

/** The data's own texts, where tokens have none; undefined where there are none or they may not be shown. */
export interface OwnTexts {
  readonly prompt: string | undefined;
  readonly answer: string | undefined;
}

/** @param own replaces the tokens' texts if these are only ids; undefined if tokens have texts */
export function buildBrief(sequence: UnspelledSequence, own?: OwnTexts): SequenceBrief {
  const [parts, answer] =
    own === undefined && isSpelled(sequence)
      ? [splitTokens(sequence), readEnd(sequence)]
      : [splitText(own?.prompt ?? ""), (own?.answer ?? "").slice(-REACH)];
  return {
    spark: drawSpark(sequence),
    prompt: cutStart(findQuestion(parts)),
    answer: cutEnd(answer),
  };
}

function drawSpark({ mask, rollout, trainer }: UnspelledSequence): Uint8Array {
  return Uint8Array.from({ length: SPARK_BINS }, (_, bin) => {
    const [from, to] = sparkRange(bin, mask.length);
    let largest = -1;
    for (let at = from; at < to; at++) {
      const size = Math.abs(trainer[at]! - rollout[at]!);
      if (mask[at] !== 0 && size > largest && Number.isFinite(size)) largest = size;
    }
    return largest < 0 ? 0 : sparkLevel(largest);
  });
}

/**
 * The question: the last user message of a prompt divided by special tokens, because prompts of one run share their
 * system prompt. For any other prompt, its beginning.
 */
function findQuestion(parts: readonly string[]): string {
  const asked = parts.findLastIndex((text) => USER.test(text));
  if (asked >= 0) {
    const own = parts[asked]!.replace(ROLES, "").trim();
    // Llama has a special token after the name, too.
    return own === "" ? (parts[asked + 1] ?? "") : own;
  }
  return parts.length > 1
    ? parts.reduce((a, b) => (b.trim().length > a.trim().length ? b : a)).replace(ROLES, "")
    : (parts[0] ?? "");
}

/** Splits a prompt's text at what templates write for special tokens. */
function splitText(prompt: string): string[] {
  return prompt.split(/<\|[^|<>]{1,40}\|>/).filter((text) => text.trim() !== "");
}

/** The prompt's text between its special tokens. */
function splitTokens(sequence: WireSequence): string[] {
  const { flags, meta } = sequence;
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at <= meta.promptLength; at++) {
    const ends = at === meta.promptLength || (flags[at]! & TOKEN_FLAGS.special) !== 0;
    if (!ends) continue;
    if (at > from) parts.push(textBetween(sequence, from, Math.min(at, from + REACH)));
    from = at + 1;
  }
  return parts.filter((text) => text.trim() !== "");
}

/** The last of the response's text, without the special tokens that end it. */
function readEnd(sequence: WireSequence): string {
  const { flags, ids, meta } = sequence;
  let to = ids.length;
  while (to > meta.promptLength && (flags[to - 1]! & TOKEN_FLAGS.special) !== 0) to--;
  const from = Math.max(meta.promptLength, to - BRIEF_CHARACTERS);
  return textBetween(sequence, from, to);
}

function cutStart(text: string): string {
  const characters = toCharacters(text.slice(0, REACH));
  return characters.length > BRIEF_CHARACTERS
    ? `${characters.slice(0, BRIEF_CHARACTERS - 1).join("")}…`
    : characters.join("");
}

function cutEnd(text: string): string {
  const characters = toCharacters(text);
  return characters.length > BRIEF_CHARACTERS
    ? `…${characters.slice(1 - BRIEF_CHARACTERS).join("")}`
    : characters.join("");
}

/** On one line: runs of spaces and line ends are one space. */
function toCharacters(text: string): string[] {
  return Array.from(text.replace(/\s+/gu, " ").trim());
}
