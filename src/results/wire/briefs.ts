/**
 * What a list shows of each sequence besides its figures: the beginning of its prompt, the end of its answer, and |Δ|
 * along it. Entries say where they end, so concatenated parts of the cache's file are a message:
 *
 *     Uint16 bytes of the prompt, Uint16 bytes of the answer (little-endian), 32 levels, prompt, answer (UTF-8)
 *
 * @module
 */
import { FormatError } from "../../core/base/index.ts";

/** Parts of a response, all of about the same length. */
export const SPARK_BINS = 32;
const HEAD = 4 + SPARK_BINS;
/** Levels 1 to 255 divide nine decades from 1e-6 nats up: each level is 8.5 % above the one below it. */
const LEAST = -6;
const LEVELS_PER_DECADE = 254 / 9;

export interface SequenceBrief {
  /** `[32]`, levels of the largest |Δ| in each part; 0 if no token with mask 1 has a finite one. */
  readonly spark: Uint8Array;
  /** On one line; empty if no text is known or may be shown. */
  readonly prompt: string;
  readonly answer: string;
}

/** Number of entries per file in a bundle. */
export const BRIEFS_PER_FILE = 64;

/** The level of |Δ| in nats, 1 to 255. */
export function sparkLevel(size: number): number {
  const level = 1 + Math.round((Math.log10(size) - LEAST) * LEVELS_PER_DECADE);
  return Math.min(255, Math.max(1, level));
}

/** The |Δ| of a level, nats; NaN for 0. */
export function sparkValue(level: number): number {
  return level === 0 ? Number.NaN : 10 ** (LEAST + (level - 1) / LEVELS_PER_DECADE);
}

/** Which response tokens a part covers, `[from, to)`; shorter responses have tokens in several parts. */
export function sparkRange(bin: number, tokens: number, bins = SPARK_BINS): readonly [number, number] {
  const from = Math.floor((bin * tokens) / bins);
  return [from, Math.min(tokens, Math.max(from + 1, Math.floor(((bin + 1) * tokens) / bins)))];
}

export function encodeBrief({ spark, prompt, answer }: SequenceBrief): Uint8Array {
  const [head, tail] = [new TextEncoder().encode(prompt), new TextEncoder().encode(answer)];
  const bytes = new Uint8Array(HEAD + head.length + tail.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, head.length, true);
  view.setUint16(2, tail.length, true);
  bytes.set(spark, 4);
  bytes.set(head, HEAD);
  bytes.set(tail, HEAD + head.length);
  return bytes;
}

/** @throws FormatError if the bytes end within an entry */
export function decodeBriefs(bytes: Uint8Array): SequenceBrief[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const utf8 = new TextDecoder();
  const found: SequenceBrief[] = [];
  for (let at = 0; at < bytes.length; ) {
    const texts = at + HEAD;
    const answer = texts <= bytes.length ? texts + view.getUint16(at, true) : Number.POSITIVE_INFINITY;
    const end = answer <= bytes.length ? answer + view.getUint16(at + 2, true) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw new FormatError("the list of texts is cut off");
    found.push({
      spark: bytes.subarray(at + 4, texts),
      prompt: utf8.decode(bytes.subarray(texts, answer)),
      answer: utf8.decode(bytes.subarray(answer, end)),
    });
    at = end;
  }
  return found;
}
