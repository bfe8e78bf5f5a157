/**
 * One batch in a segment of the log:
 *
 *     "LRF1" · length of the head (u32) · length of the body (u64) · SHA-256 of these and the head, 16 bytes · head · body
 *
 * all little-endian. The head is JSON (`FrameHead`), the body is the file as it was received. A frame that was cut off
 * anywhere fails one of the two digests.
 *
 * @module
 */
import { createHash } from "node:crypto";

/** The key of a batch within its run. */
export interface BatchKey {
  readonly step: number;
  readonly rank: number;
  /** The number of the batch within its step and rank. */
  readonly call: number;
}

export interface FrameHead extends BatchKey {
  /** The body's digest, hexadecimal. */
  readonly sha256: string;
}

const MAGIC = 0x3146524c;
/** The first bytes of every frame. */
export const MAGIC_BYTES: Buffer = Buffer.from("LRF1");
export const PREFIX_BYTES = 32;
const DIGEST_AT = 16;
/** A head is about 120 bytes. */
const MOST_HEAD_BYTES = 4096;

/** Prefix and head; the body follows. */
export function encodeFrameStart(head: FrameHead, bodyBytes: number): Buffer {
  const { step, rank, call, sha256 } = head;
  const text = Buffer.from(JSON.stringify({ step, rank, call, sha256 }));
  const start = Buffer.alloc(PREFIX_BYTES + text.length);
  start.writeUInt32LE(MAGIC, 0);
  start.writeUInt32LE(text.length, 4);
  start.writeBigUInt64LE(BigInt(bodyBytes), 8);
  text.copy(start, PREFIX_BYTES);
  digestStart(start).copy(start, DIGEST_AT);
  return start;
}

/** `STEP RANK CALL`: the same for the same key. */
export function keyText({ step, rank, call }: BatchKey): string {
  return `${step} ${rank} ${call}`;
}

/** The lengths that a prefix declares; undefined where it is not a prefix. They are not verified yet. */
export function readPrefix(prefix: Buffer): { headBytes: number; bodyBytes: number } | undefined {
  if (prefix.length < PREFIX_BYTES || prefix.readUInt32LE(0) !== MAGIC) return undefined;
  const headBytes = prefix.readUInt32LE(4);
  const bodyBytes = Number(prefix.readBigUInt64LE(8));
  return headBytes <= MOST_HEAD_BYTES && Number.isSafeInteger(bodyBytes)
    ? { headBytes, bodyBytes }
    : undefined;
}

/** The head after a prefix; undefined where the digest does not match. */
export function readHead(start: Buffer): FrameHead | undefined {
  const digest = start.subarray(DIGEST_AT, PREFIX_BYTES);
  if (!digestStart(start).equals(digest)) return undefined;
  return JSON.parse(start.toString("utf8", PREFIX_BYTES)) as FrameHead;
}

function digestStart(start: Buffer): Buffer {
  return createHash("sha256")
    .update(start.subarray(0, DIGEST_AT))
    .update(start.subarray(PREFIX_BYTES))
    .digest()
    .subarray(0, PREFIX_BYTES - DIGEST_AT);
}
