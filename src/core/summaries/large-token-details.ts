import type { ByteReader } from "../base/byte-reader.ts";
import type { ByteWriter } from "../base/byte-writer.ts";

/** Tokens of the response kept before a large token, and after it. */
export const IDS_BEFORE = 32;
export const IDS_AFTER = 16;
/** Of a prompt: ids, or UTF-16 units of its text. */
export const PROMPT_IDS = 200;
export const PROMPT_TEXT = 800;
/** Of a policy's most probable tokens. */
export const CANDIDATES = 5;

/** A policy's most probable tokens, likeliest first; log-probs in nats. */
export interface Candidates {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

/** What surrounds a large token. */
export interface LargeTokenDetails {
  /** Ids of the response before the token, and after it; -1 unknown, empty where the source has none. */
  readonly before: readonly number[];
  readonly after: readonly number[];
  /** The last of the prompt. */
  readonly promptIds: readonly number[];
  /** Tokens of the whole prompt. */
  readonly promptLength: number;
  /** The end of the prompt where the source has it as text. */
  readonly promptText: string | null;
  /** Of the tokens before, the token and those after, where the source has tokens by text. */
  readonly texts: readonly [before: string, token: string, after: string] | null;
  readonly rollout: Candidates | null;
  readonly trainer: Candidates | null;
}

export function encodeDetails(to: ByteWriter, details: LargeTokenDetails): void {
  for (const ids of [details.before, details.after, details.promptIds]) encodeIds(to, ids);
  to.whole(details.promptLength);
  encodeTexts(to, details.promptText === null ? [] : [details.promptText]);
  encodeTexts(to, details.texts ?? []);
  for (const side of [details.rollout, details.trainer]) {
    encodeIds(to, side?.ids ?? []);
    to.floats(side?.logprobs ?? []);
  }
}

export function decodeDetails(from: ByteReader): LargeTokenDetails {
  const [before, after, promptIds] = [decodeIds(from), decodeIds(from), decodeIds(from)];
  const promptLength = from.whole();
  const [promptText = null] = decodeTexts(from);
  const [textBefore, text, textAfter] = decodeTexts(from);
  const texts = textAfter === undefined ? null : ([textBefore!, text!, textAfter] as const);
  const [rollout, trainer] = [decodeCandidates(from), decodeCandidates(from)];
  return { before, after, promptIds, promptLength, promptText, texts, rollout, trainer };
}

function decodeCandidates(from: ByteReader): Candidates | null {
  const ids = decodeIds(from);
  const logprobs = [...from.floats(ids.length)];
  return ids.length === 0 ? null : { ids, logprobs };
}

function encodeIds(to: ByteWriter, ids: readonly number[]): void {
  to.whole(ids.length);
  for (const id of ids) to.signed(id);
}

function decodeIds(from: ByteReader): number[] {
  const ids: number[] = [];
  for (let left = from.count(); left > 0; left--) ids.push(from.signed());
  return ids;
}

function encodeTexts(to: ByteWriter, texts: readonly string[]): void {
  to.whole(texts.length);
  for (const text of texts) to.text(text);
}

function decodeTexts(from: ByteReader): string[] {
  const texts: string[] = [];
  for (let left = from.count(); left > 0; left--) texts.push(from.text());
  return texts;
}
